//! A run from its first step, or from its checkpoint, to its last.
//!
//! The loop is our own. burn's Learner keeps checkpoints of whole epochs, while a run here must go on from any step
//! with the same bits; it also wants batches as tensors of its own data loader. From burn come the module, its
//! gradients, the optimiser and the records of a checkpoint.

use std::{fs, path::PathBuf, process::ExitCode, time::Instant};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::{
    best::Best,
    checkpoint::{self, Position},
    command::RunArgs,
    curve::{Curve, Row},
    kind::{Data, Kind, Learner, Plan},
    loader::{Loader, Order},
    order::Epoch,
    progress::Progress,
    schedule::Schedule,
};
use quantize::whole;

use crate::{
    data::game::mix,
    stop::{INTERRUPTED, Stop},
};

/// What a run's folder says about it, written before its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Config<S> {
    version: String,
    settings: S,
    positions: usize,
    validation_positions: usize,
}

/// A run that is ready to begin or to go on.
#[derive(Debug)]
pub struct Run<K: Kind> {
    folder: PathBuf,
    settings: K::Settings,
    plan: Plan,
    data: K::Data,
    validation: Vec<K::Batch>,
    /// The folder's best network, and that of several runs if there is one.
    best: Vec<Best>,
    resumed: bool,
    checkpoint_every: usize,
    dashboard: bool,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All steps are done.
    Finished,
    /// Someone wanted it to stop; it can go on.
    Interrupted,
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> ExitCode {
        match ended {
            Ended::Finished => ExitCode::SUCCESS,
            Ended::Interrupted => ExitCode::from(INTERRUPTED),
        }
    }
}

impl<K: Kind> Run<K> {
    /// A new run in a folder that has none yet. Its settings are asked for once that is known.
    ///
    /// # Errors
    /// If there is one, or the settings or the data are no good.
    pub fn begin(args: &RunArgs, settings: impl FnOnce() -> anyhow::Result<K::Settings>) -> anyhow::Result<Run<K>> {
        let config = args.out.join("config.json");
        ensure!(
            !config.exists(),
            "{} already holds a run: go on with it by --resume, or choose another --out",
            args.out.display()
        );
        let run = Run::open(args, settings()?)?;
        fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {}", args.out.display()))?;
        let text = serde_json::to_string_pretty(&run.config())? + "\n";
        whole::write(&config, text.as_bytes()).with_context(|| format!("cannot write {}", config.display()))?;
        Ok(run)
    }

    /// The run that a folder holds, if its settings pass.
    ///
    /// # Errors
    /// If there is none, or its data have changed since it began.
    pub fn resume(args: &RunArgs, pass: impl FnOnce(&K::Settings) -> anyhow::Result<()>) -> anyhow::Result<Run<K>> {
        let path = args.out.join("config.json");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}, so there is no run to go on with", path.display()))?;
        let config: Config<K::Settings> =
            serde_json::from_str(&text).with_context(|| format!("{} is no run's config", path.display()))?;
        pass(&config.settings)?;
        let run = Run::open(args, config.settings.clone())?;
        let now = run.config();
        for (name, then, now) in [
            ("to learn from", config.positions, now.positions),
            ("to validate", config.validation_positions, now.validation_positions),
        ] {
            ensure!(
                then == now,
                "there were {then} positions {name} when this run began, and now there are {now}: the data have changed"
            );
        }
        Ok(run)
    }

    fn open(args: &RunArgs, settings: K::Settings) -> anyhow::Result<Run<K>> {
        let (data, validation) = K::open(&settings)?;
        let plan = K::plan(&settings);
        ensure!(
            Epoch::batches(data.positions(), plan.batch) > 0,
            "the data have {} positions, too few for one batch: --batch {} must be smaller",
            data.positions(),
            plan.batch
        );
        let judge = validation.iter().fold(0, |judge, batch| mix(judge ^ K::identity(&settings, batch)));
        let own = args.out.join("best.safetensors");
        let best = [&own].into_iter().chain(&args.best).map(|path| Best::new(path, judge));
        Ok(Run {
            folder: args.out.clone(),
            plan,
            data,
            validation,
            best: best.collect::<anyhow::Result<_>>()?,
            resumed: args.resume,
            checkpoint_every: args.checkpoint_every.get(),
            dashboard: args.dashboard(),
            settings,
        })
    }

    fn config(&self) -> Config<K::Settings> {
        Config {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: self.settings.clone(),
            positions: self.data.positions(),
            validation_positions: self.validation.iter().map(K::positions).sum(),
        }
    }

    /// The settings of the run.
    pub fn settings(&self) -> &K::Settings {
        &self.settings
    }

    /// What a reader should know before he waits.
    pub fn describe(&self) -> String {
        let Config { settings, positions, validation_positions, .. } = self.config();
        let Plan { epochs, batch, .. } = self.plan;
        let epoch = Epoch::batches(positions, batch);
        format!(
            "{positions} positions, {validation_positions} to validate; {}; {epochs} epochs of {epoch} steps of {batch} \
             positions",
            K::describe(&settings),
        )
    }

    /// Learns until the last step or until someone wants it to stop.
    ///
    /// # Errors
    /// If a file cannot be read or written, or the loss is no number any more.
    pub fn train<L: Learner<K>>(self, mut learner: L, stop: &Stop) -> anyhow::Result<Ended> {
        let mut position = Position::default();
        let path = self.folder.join("checkpoint");
        // A run may have been killed before its first checkpoint; then it begins again.
        if self.resumed && path.exists() {
            let bytes;
            (position, bytes) = checkpoint::load(&path)?;
            learner.load(bytes).with_context(|| path.display().to_string())?;
        }
        let Run { folder, settings, plan, data, validation, best, checkpoint_every, dashboard, .. } = self;
        let positions = data.positions();
        let epoch = Epoch::batches(positions, plan.batch);
        let schedule = Schedule::new(plan.rates.clone(), plan.epochs * epoch);
        let order = Order { batch: plan.batch, seed: plan.seed, first: position.step, steps: schedule.steps() };
        let course = Course::<K, L> {
            curve: Curve::open(&folder, K::measures(&settings), position.step)?,
            progress: Progress::new(schedule.steps(), position.step, dashboard),
            pending: Vec::new(),
            since: Instant::now(),
            since_step: position.step,
            validate_every: plan.validate_every.unwrap_or(epoch),
            folder,
            settings,
            plan,
            positions,
            epoch,
            validation,
            best,
            checkpoint_every,
            position,
            schedule,
            learner,
        };
        course.follow(Loader::start(data, order), stop)
    }
}

/// A run under way.
struct Course<K: Kind, L: Learner<K>> {
    folder: PathBuf,
    settings: K::Settings,
    plan: Plan,
    positions: usize,
    /// Steps of an epoch.
    epoch: usize,
    validation: Vec<K::Batch>,
    best: Vec<Best>,
    validate_every: usize,
    checkpoint_every: usize,
    learner: L,
    position: Position,
    schedule: Schedule,
    curve: Curve,
    progress: Progress,
    /// Losses of steps that have not been read from the device yet.
    pending: Vec<L::Loss>,
    /// When the last row was written, and after which step.
    since: Instant,
    since_step: usize,
}

impl<K: Kind, L: Learner<K>> Course<K, L> {
    fn follow(mut self, loader: Loader<K::Batch>, stop: &Stop) -> anyhow::Result<Ended> {
        let steps = self.schedule.steps();
        for batch in loader {
            let step = self.position.step;
            let loss = self.learner.step(&batch?, self.schedule.lr(step), self.schedule.course(step));
            self.pending.push(loss);
            self.position.step += 1;
            self.progress.step(stop);

            let done = self.position.step;
            let at = |every: usize| done.is_multiple_of(every) || done == steps;
            if at(self.validate_every) || at(self.plan.report_every) {
                self.report(at(self.validate_every))?;
            }
            let interrupted = stop.is_raised();
            if at(self.checkpoint_every) || interrupted {
                self.save()?;
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
    fn report(&mut self, validate: bool) -> anyhow::Result<()> {
        self.read_losses();
        let done = self.position.step;
        let seconds = self.since.elapsed().as_secs_f64();
        let positions = (done - self.since_step) * self.plan.batch;
        let losses = std::mem::take(&mut self.position.losses);
        let validation = validate.then(|| self.learner.validate(&self.validation));
        let row = Row {
            step: done,
            epoch: done as f64 / self.epoch as f64,
            lr: self.schedule.lr(done - 1),
            train_loss: losses.iter().map(|&loss| f64::from(loss)).sum::<f64>() / losses.len() as f64,
            validation,
            positions_per_second: positions as f64 / seconds,
        };
        ensure!(row.train_loss.is_finite(), "the loss is no number any more after step {done}: lower --lr");
        self.progress.row(&row, K::measures(&self.settings));
        let loss = row.validation.as_ref().map(|judgement| judgement.loss as f32);
        self.curve.add(row)?;
        if let Some(loss) = loss {
            self.curve.draw()?;
            if self.position.best.is_none_or(|best| loss < best) {
                self.position.best = Some(loss);
            }
            for best in &self.best {
                best.offer(loss, || self.export(loss, best.metadata(loss)))?;
            }
        }
        (self.since, self.since_step) = (Instant::now(), done);
        Ok(())
    }

    fn save(&mut self) -> anyhow::Result<()> {
        self.read_losses();
        checkpoint::save(&self.folder.join("checkpoint"), &self.position, &self.learner.save()?)?;
        let last = self.folder.join("last.safetensors");
        let bytes = self.export(self.position.best.unwrap_or(f32::NAN), [])?;
        whole::write(&last, &bytes).with_context(|| format!("cannot write {}", last.display()))
    }

    fn read_losses(&mut self) {
        self.position.losses.extend(self.pending.drain(..).map(L::read));
    }

    fn export<const N: usize>(&self, loss: f32, metadata: [(&str, String); N]) -> anyhow::Result<Vec<u8>> {
        let done = self.position.step;
        let mut exchange = self.learner.export(&self.settings)?;
        exchange.say(
            "record",
            format!(
                "{} positions, {:.2} of {} epochs, step {done}, best validation loss {loss:.6}, seed {}",
                self.positions,
                done as f64 / self.epoch as f64,
                self.plan.epochs,
                self.plan.seed
            ),
        );
        metadata.into_iter().for_each(|(key, value)| exchange.say(key, value));
        exchange.bytes()
    }
}
