//! The curve of a run: a CSV file that grows, and a picture of it.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow};
use plotters::{
    chart::ChartBuilder,
    prelude::{IntoDrawingArea, IntoLogRange, PathElement, SVGBackend},
    series::LineSeries,
    style::{BLACK, BLUE, Color, RED, WHITE},
};

use quantize::whole;

const HEADING: &str = "step,epoch,learning_rate,train_loss,validation_loss,positions_per_second";

/// How things stood after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Steps done.
    pub step: usize,
    /// Passes through the data.
    pub epoch: f64,
    /// Learning rate of the last step.
    pub lr: f64,
    /// Mean loss since the last row.
    pub train_loss: f64,
    /// Loss on the validation positions, if it was measured here.
    pub validation_loss: Option<f64>,
    /// Speed since the last row.
    pub positions_per_second: f64,
}

impl Row {
    fn csv(&self) -> String {
        let Row { step, epoch, lr, train_loss, validation_loss, positions_per_second } = self;
        let validation = validation_loss.map(|loss| loss.to_string()).unwrap_or_default();
        format!("{step},{epoch:.4},{lr:e},{train_loss},{validation},{positions_per_second:.0}\n")
    }

    fn parse(line: &str) -> Option<Row> {
        let fields: Vec<&str> = line.split(',').collect();
        let [step, epoch, lr, train_loss, validation_loss, positions_per_second] = fields[..] else { return None };
        Some(Row {
            step: step.parse().ok()?,
            epoch: epoch.parse().ok()?,
            lr: lr.parse().ok()?,
            train_loss: train_loss.parse().ok()?,
            validation_loss: if validation_loss.is_empty() { None } else { Some(validation_loss.parse().ok()?) },
            positions_per_second: positions_per_second.parse().ok()?,
        })
    }
}

/// The rows of a run, in memory and on the disk.
#[derive(Debug)]
pub struct Curve {
    csv: PathBuf,
    svg: PathBuf,
    rows: Vec<Row>,
}

impl Curve {
    /// The curve in a folder, up to a step; what a killed run wrote after that is dropped.
    pub fn open(folder: &Path, step: usize) -> anyhow::Result<Curve> {
        let csv = folder.join("curves.csv");
        let mut rows = Vec::new();
        if step > 0 {
            let text = fs::read_to_string(&csv).with_context(|| format!("cannot read {}", csv.display()))?;
            rows.extend(text.lines().filter_map(Row::parse).filter(|row| row.step <= step));
        }
        let text: String = [format!("{HEADING}\n")].into_iter().chain(rows.iter().map(Row::csv)).collect();
        whole::write(&csv, text.as_bytes()).with_context(|| format!("cannot write {}", csv.display()))?;
        Ok(Curve { csv, svg: folder.join("curves.svg"), rows })
    }

    /// Adds a row.
    pub fn add(&mut self, row: Row) -> anyhow::Result<()> {
        let csv = self.csv.display();
        OpenOptions::new()
            .append(true)
            .open(&self.csv)
            .and_then(|mut file| file.write_all(row.csv().as_bytes()))
            .with_context(|| format!("cannot write {csv}"))?;
        self.rows.push(row);
        Ok(())
    }

    /// Draws both losses over the steps, with a logarithmic scale.
    pub fn draw(&self) -> anyhow::Result<()> {
        let train: Vec<(f64, f64)> = self.rows.iter().map(|row| (row.step as f64, row.train_loss)).collect();
        let validation: Vec<(f64, f64)> =
            self.rows.iter().filter_map(|row| Some((row.step as f64, row.validation_loss?))).collect();
        let losses = || train.iter().chain(&validation).map(|&(_, loss)| loss).filter(|&loss| loss > 0.0);
        let (lowest, highest) = (losses().fold(f64::INFINITY, f64::min), losses().fold(0.0, f64::max));
        let Some(last) = self.rows.last().filter(|_| lowest <= highest) else { return Ok(()) };

        let mut picture = String::new();
        {
            let area = SVGBackend::with_string(&mut picture, (960, 540)).into_drawing_area();
            let fault = |error: &dyn std::fmt::Display| anyhow!("cannot draw the curve: {error}");
            area.fill(&WHITE).map_err(|error| fault(&error))?;
            let mut chart = ChartBuilder::on(&area)
                .margin(16)
                .x_label_area_size(36)
                .y_label_area_size(72)
                .build_cartesian_2d(0.0..last.step as f64, (lowest * 0.98..highest * 1.02).log_scale())
                .map_err(|error| fault(&error))?;
            chart
                .configure_mesh()
                .x_desc("steps")
                .y_desc("loss")
                .x_label_formatter(&|step| format!("{step:.0}"))
                .y_label_formatter(&|loss| format!("{loss:.4}"))
                .draw()
                .map_err(|error| fault(&error))?;
            for (points, colour, name) in [(train, BLUE, "training"), (validation, RED, "validation")] {
                chart
                    .draw_series(LineSeries::new(points, colour))
                    .map_err(|error| fault(&error))?
                    .label(name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour));
            }
            chart
                .configure_series_labels()
                .background_style(WHITE)
                .border_style(BLACK.mix(0.3))
                .draw()
                .map_err(|error| fault(&error))?;
            area.present().map_err(|error| fault(&error))?;
        }
        whole::write(&self.svg, picture.as_bytes()).with_context(|| format!("cannot write {}", self.svg.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: usize, validation_loss: Option<f64>) -> Row {
        let train_loss = 0.1 / step as f64;
        Row { step, epoch: 0.5, lr: 1e-3, train_loss, validation_loss, positions_per_second: 5e5 }
    }

    #[test]
    fn a_resumed_curve_forgets_what_comes_after() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut curve = Curve::open(folder.path(), 0).expect("opened");
        for step in 1..=3 {
            curve.add(row(step, (step == 2).then_some(0.07))).expect("written");
        }
        let again = Curve::open(folder.path(), 2).expect("opened");
        assert_eq!(again.rows, [row(1, None), row(2, Some(0.07))]);
        again.draw().expect("drawn");
        let picture = fs::read_to_string(folder.path().join("curves.svg")).expect("read");
        assert!(picture.contains("validation") && picture.contains("polyline"));
    }
}
