//! A run from its first step, or from its checkpoint, to its last.
//!
//! The loop is our own. burn's Learner keeps checkpoints of whole epochs, while a run here must go on from any step
//! with the same bits; it also wants batches as tensors of its own data loader. From burn come the module, its
//! gradients, the optimiser and the records of a checkpoint.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, bail, ensure};
use burn::{
    module::AutodiffModule,
    tensor::{backend::AutodiffBackend, ops::Device},
};
use serde::{Deserialize, Serialize};

use super::{
    checkpoint::{self, Position},
    curve::{Curve, Row},
    data::DataFile,
    export,
    learner::{self, Learner, Loss},
    loader::{Batch, Loader, Plan},
    order::Epoch,
    progress::Progress,
    scale,
    schedule::Schedule,
    settings::{Given, Settings},
    sparse::Sparse,
};
use quantize::whole;

use crate::stop::Stop;

/// Positions that a scale is fitted to.
const SCALE_POSITIONS: usize = 1_000_000;

/// What a run's folder says about it, written before its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Config {
    version: String,
    settings: Settings,
    positions: usize,
    validation_positions: usize,
}

/// A run that is ready to begin or to go on.
#[derive(Debug)]
pub struct Run {
    folder: PathBuf,
    settings: Settings,
    data: DataFile,
    validation: Vec<Batch>,
    resumed: bool,
    checkpoint_every: usize,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All steps are done.
    Finished,
    /// Someone wanted it to stop; it can go on.
    Interrupted,
}

impl Run {
    /// A new run in a folder that has none yet.
    pub fn begin(folder: &Path, given: &Given, checkpoint_every: usize) -> anyhow::Result<Run> {
        let config = folder.join("config.json");
        ensure!(
            !config.exists(),
            "{} already holds a run: go on with it by --resume, or choose another --out",
            folder.display()
        );
        let mut settings = given.settings()?;
        let mut data = DataFile::open(&settings.data)?;
        if settings.scale.is_none() {
            let fitted = scale::fit(&data.sample(SCALE_POSITIONS)?)?;
            // The engine keeps whole centipawns.
            settings.scale = Some(f64::from(fitted).round());
        }
        let run = Run::open(folder, settings, data, false, checkpoint_every)?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let text = serde_json::to_string_pretty(&run.config())? + "\n";
        whole::write(&config, text.as_bytes()).with_context(|| format!("cannot write {}", config.display()))?;
        Ok(run)
    }

    /// The run that a folder holds.
    pub fn resume(folder: &Path, given: &Given, checkpoint_every: usize) -> anyhow::Result<Run> {
        let path = folder.join("config.json");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}, so there is no run to go on with", path.display()))?;
        let config: Config =
            serde_json::from_str(&text).with_context(|| format!("{} is no run's config", path.display()))?;
        given.agree_with(&config.settings)?;
        let data = DataFile::open(&config.settings.data)?;
        let run = Run::open(folder, config.settings.clone(), data, true, checkpoint_every)?;
        let now = run.config();
        for (name, then, now) in [
            ("--data", config.positions, now.positions),
            ("--validation", config.validation_positions, now.validation_positions),
        ] {
            ensure!(
                then == now,
                "the file of {name} had {then} positions when this run began, and now has {now}: it is another file"
            );
        }
        Ok(run)
    }

    fn open(
        folder: &Path,
        settings: Settings,
        data: DataFile,
        resumed: bool,
        checkpoint_every: usize,
    ) -> anyhow::Result<Run> {
        let validation = DataFile::open(&settings.validation)?.sample(settings.validation_positions)?;
        let (wdl, scale) = (settings.wdl_end as f32, settings.scale.unwrap_or(400.0) as f32);
        let validation = learner::batches(&validation, settings.batch, wdl, scale);
        let run = Run { folder: folder.to_owned(), settings, data, validation, resumed, checkpoint_every };
        ensure!(
            run.steps_per_epoch() > 0,
            "{} has {} positions, too few for one batch: --batch {} must be smaller",
            run.settings.data.display(),
            run.data.positions(),
            run.settings.batch
        );
        Ok(run)
    }

    fn config(&self) -> Config {
        Config {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: self.settings.clone(),
            positions: self.data.positions(),
            validation_positions: self.validation.iter().map(|batch| batch.targets.len()).sum(),
        }
    }

    fn steps_per_epoch(&self) -> usize {
        Epoch::batches(self.data.positions(), self.settings.batch)
    }

    /// What a reader should know before he waits.
    pub fn describe(&self) -> String {
        let Config { settings, positions, validation_positions, .. } = self.config();
        let epoch = self.steps_per_epoch();
        format!(
            "{positions} positions, {validation_positions} to validate; scale {} centipawns; {} epochs of {epoch} \
             steps of {} positions",
            settings.scale.unwrap_or(0.0),
            settings.epochs,
            settings.batch
        )
    }

    /// Learns until the last step or until someone wants it to stop.
    pub fn train<B>(self, devices: &[Device<B>], dashboard: bool, stop: &Stop) -> anyhow::Result<Ended>
    where
        B: AutodiffBackend + Sparse,
        B::InnerBackend: Sparse,
    {
        let mut learner = Learner::<B>::new(&self.settings, devices);
        let mut position = Position::default();
        if self.resumed {
            let path = self.checkpoint();
            // A run may have been killed before its first checkpoint; then it begins again.
            if path.exists() {
                (position, learner.net, learner.optimiser) =
                    checkpoint::load(&path, learner.net, learner.optimiser, &devices[0])?;
            }
        }
        let schedule = Schedule::new(&self.settings, self.settings.epochs * self.steps_per_epoch());
        let course = Course {
            curve: Curve::open(&self.folder, position.step)?,
            progress: Progress::new(schedule.steps(), position.step, dashboard),
            pending: Vec::new(),
            since: Instant::now(),
            since_step: position.step,
            position,
            schedule,
            learner,
        };
        course.follow(self, stop)
    }

    fn checkpoint(&self) -> PathBuf {
        self.folder.join("checkpoint")
    }
}

/// A run under way.
struct Course<B>
where
    B: AutodiffBackend + Sparse,
    B::InnerBackend: Sparse,
{
    learner: Learner<B>,
    position: Position,
    schedule: Schedule,
    curve: Curve,
    progress: Progress,
    /// Losses of steps that have not been read from the device yet.
    pending: Vec<Vec<Loss<B::InnerBackend>>>,
    /// When the last row was written, and after which step.
    since: Instant,
    since_step: usize,
}

impl<B> Course<B>
where
    B: AutodiffBackend + Sparse,
    B::InnerBackend: Sparse,
{
    fn follow(mut self, run: Run, stop: &Stop) -> anyhow::Result<Ended> {
        let Run { ref settings, checkpoint_every, .. } = run;
        let epoch = run.steps_per_epoch();
        let validate_every = settings.validate_every.unwrap_or(epoch);
        let steps = self.schedule.steps();
        let loader = Loader::start(
            DataFile::open(&settings.data)?,
            Plan {
                batch: settings.batch,
                seed: settings.seed,
                scale: settings.scale.unwrap_or(400.0) as f32,
                schedule: self.schedule.clone(),
                first: self.position.step,
            },
        );
        for batch in loader {
            let step = self.position.step;
            let loss = self.learner.step(&batch?, self.schedule.lr(step), self.schedule.rounded(step));
            self.pending.push(loss);
            self.position.step += 1;
            self.progress.step(stop);

            let done = self.position.step;
            let at = |every: usize| done.is_multiple_of(every) || done == steps;
            if at(validate_every) || at(settings.report_every) {
                self.report(&run, at(validate_every))?;
            }
            let interrupted = stop.is_raised();
            if at(checkpoint_every) || interrupted {
                self.save(&run)?;
            }
            if interrupted {
                self.progress.finish();
                return Ok(if done == steps { Ended::Finished } else { Ended::Interrupted });
            }
        }
        self.progress.finish();
        match self.position.step {
            done if done == steps => Ok(Ended::Finished),
            done => bail!("batches ended after {done} of {steps} steps: the thread that reads them broke"),
        }
    }

    /// Adds a row to the curve, and keeps the network if none was better.
    fn report(&mut self, run: &Run, validate: bool) -> anyhow::Result<()> {
        self.read_losses();
        let done = self.position.step;
        let seconds = self.since.elapsed().as_secs_f64();
        let positions = (done - self.since_step) * run.settings.batch;
        let losses = std::mem::take(&mut self.position.losses);
        let validation_loss = validate.then(|| self.learner.validate(&run.validation));
        let row = Row {
            step: done,
            epoch: done as f64 / run.steps_per_epoch() as f64,
            lr: self.schedule.lr(done - 1),
            train_loss: losses.iter().map(|&loss| f64::from(loss)).sum::<f64>() / losses.len() as f64,
            validation_loss,
            positions_per_second: positions as f64 / seconds,
        };
        ensure!(row.train_loss.is_finite(), "the loss is no number any more after step {done}: lower --lr");
        self.progress.row(&row);
        self.curve.add(row)?;
        if let Some(loss) = validation_loss {
            self.curve.draw()?;
            let loss = loss as f32;
            if self.position.best.is_none_or(|best| loss < best) {
                self.position.best = Some(loss);
                self.export(run, "best.safetensors", loss)?;
            }
        }
        (self.since, self.since_step) = (Instant::now(), done);
        Ok(())
    }

    fn save(&mut self, run: &Run) -> anyhow::Result<()> {
        self.read_losses();
        checkpoint::save(&run.checkpoint(), &self.position, &self.learner.net, &self.learner.optimiser)?;
        self.export(run, "last.safetensors", self.position.best.unwrap_or(f32::NAN))
    }

    fn read_losses(&mut self) {
        self.position.losses.extend(self.pending.drain(..).map(|parts| parts.into_iter().map(Loss::read).sum::<f32>()));
    }

    fn export(&self, run: &Run, name: &str, loss: f32) -> anyhow::Result<()> {
        let done = self.position.step;
        let record = format!(
            "{} positions, {:.2} of {} epochs, step {done}, best validation loss {loss:.6}, seed {}",
            run.data.positions(),
            done as f64 / run.steps_per_epoch() as f64,
            run.settings.epochs,
            run.settings.seed
        );
        let bytes = export::safetensors(&self.learner.net.valid(), &run.settings, &record)?;
        let path = run.folder.join(name);
        whole::write(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))
    }
}
