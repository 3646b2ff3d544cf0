//! The curve of a run: a CSV file that grows, and a picture of it.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow};
use plotters::{
    chart::{ChartBuilder, ChartContext},
    coord::{ranged1d::ValueFormatter, types::RangedCoordf64},
    prelude::{Cartesian2d, IntoDrawingArea, IntoLogRange, PathElement, Ranged, SVGBackend},
    series::LineSeries,
    style::{BLACK, BLUE, Color, GREEN, RED, WHITE},
};

use super::kind::Judgement;
use quantize::whole;

/// The first columns; measures and the speed follow.
const HEADING: &str = "step,epoch,learning_rate,train_loss,validation_loss";

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
    /// What the validation positions say, if they were asked here.
    pub validation: Option<Judgement>,
    /// Speed since the last row.
    pub positions_per_second: f64,
}

impl Row {
    /// A line for so many measures.
    fn csv(&self, measures: usize) -> String {
        let Row { step, epoch, lr, train_loss, validation, positions_per_second } = self;
        let mut line = format!("{step},{epoch:.4},{lr:e},{train_loss}");
        for column in 0..=measures {
            let value = validation.as_ref().and_then(|judgement| judgement.column(column));
            line += &value.map_or(",".to_owned(), |value| format!(",{value}"));
        }
        line + &format!(",{positions_per_second:.0}\n")
    }

    fn parse(line: &str, measures: usize) -> Option<Row> {
        let fields: Vec<&str> = line.split(',').collect();
        let [step, epoch, lr, train_loss, ref validation @ .., positions_per_second] = fields[..] else { return None };
        let validation = match validation.split_first() {
            Some((loss, rest)) if rest.len() == measures && !loss.is_empty() => Some(Judgement {
                loss: loss.parse().ok()?,
                measures: rest.iter().map(|measure| measure.parse().ok()).collect::<Option<_>>()?,
            }),
            Some((_, rest)) if rest.len() == measures => None,
            _ => return None,
        };
        Some(Row {
            step: step.parse().ok()?,
            epoch: epoch.parse().ok()?,
            lr: lr.parse().ok()?,
            train_loss: train_loss.parse().ok()?,
            validation,
            positions_per_second: positions_per_second.parse().ok()?,
        })
    }
}

/// The rows of a run, in memory and on the disk.
#[derive(Debug)]
pub struct Curve {
    csv: PathBuf,
    svg: PathBuf,
    measures: &'static [&'static str],
    rows: Vec<Row>,
}

impl Curve {
    /// The curve in a folder, up to a step; what a killed run wrote after that is dropped. Besides the loss it has these
    /// measures.
    pub fn open(folder: &Path, measures: &'static [&'static str], step: usize) -> anyhow::Result<Curve> {
        let csv = folder.join("curves.csv");
        let mut rows = Vec::new();
        if step > 0 {
            let text = fs::read_to_string(&csv).with_context(|| format!("cannot read {}", csv.display()))?;
            let parsed = text.lines().filter_map(|line| Row::parse(line, measures.len()));
            rows.extend(parsed.filter(|row| row.step <= step));
        }
        let names: String = measures.iter().map(|name| format!(",{name}")).collect();
        let heading = format!("{HEADING}{names},positions_per_second\n");
        let text: String = [heading].into_iter().chain(rows.iter().map(|row| row.csv(measures.len()))).collect();
        whole::write(&csv, text.as_bytes()).with_context(|| format!("cannot write {}", csv.display()))?;
        Ok(Curve { csv, svg: folder.join("curves.svg"), measures, rows })
    }

    /// Adds a row.
    pub fn add(&mut self, row: Row) -> anyhow::Result<()> {
        let csv = self.csv.display();
        OpenOptions::new()
            .append(true)
            .open(&self.csv)
            .and_then(|mut file| file.write_all(row.csv(self.measures.len()).as_bytes()))
            .with_context(|| format!("cannot write {csv}"))?;
        self.rows.push(row);
        Ok(())
    }

    /// Draws both losses over the steps, with a logarithmic scale, and the measures below them.
    pub fn draw(&self) -> anyhow::Result<()> {
        let losses = [
            ("training", self.rows.iter().map(|row| (row.step as f64, row.train_loss)).collect()),
            ("validation", self.column(0)),
        ];
        let measures: Vec<(&str, Points)> =
            self.measures.iter().enumerate().map(|(index, name)| (*name, self.column(index + 1))).collect();
        let Some(last) = self.rows.last() else { return Ok(()) };
        let last = last.step as f64;
        let height = if measures.is_empty() { HEIGHT } else { 2 * HEIGHT };
        let mut picture = String::new();
        {
            let area = SVGBackend::with_string(&mut picture, (960, height)).into_drawing_area();
            area.fill(&WHITE).map_err(fault)?;
            let (upper, lower) = area.split_vertically(HEIGHT);
            let positive =
                losses.iter().flat_map(|(_, points)| points).map(|&(_, loss)| loss).filter(|&loss| loss > 0.0);
            let (lowest, highest) = range(positive);
            if lowest > highest {
                return Ok(());
            }
            let mut chart = ChartBuilder::on(&upper)
                .margin(16)
                .x_label_area_size(36)
                .y_label_area_size(72)
                .build_cartesian_2d(0.0..last, (lowest * 0.98..highest * 1.02).log_scale())
                .map_err(fault)?;
            lines(&mut chart, "loss", &losses)?;
            if !measures.is_empty() {
                let (lowest, highest) = range(measures.iter().flat_map(|(_, points)| points).map(|&(_, value)| value));
                let mut chart = ChartBuilder::on(&lower)
                    .margin(16)
                    .x_label_area_size(36)
                    .y_label_area_size(72)
                    .build_cartesian_2d(0.0..last, lowest.min(highest) * 0.98..highest * 1.02 + f64::MIN_POSITIVE)
                    .map_err(fault)?;
                lines(&mut chart, "share", &measures)?;
            }
            area.present().map_err(fault)?;
        }
        whole::write(&self.svg, picture.as_bytes()).with_context(|| format!("cannot write {}", self.svg.display()))
    }

    fn column(&self, column: usize) -> Points {
        let point = |row: &Row| Some((row.step as f64, row.validation.as_ref()?.column(column)?));
        self.rows.iter().filter_map(point).collect()
    }
}

/// The height of a chart in pixels.
const HEIGHT: u32 = 540;

type Points = Vec<(f64, f64)>;

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(lowest, highest), value| (value.min(lowest), value.max(highest)))
}

/// Draws named lines and the words around them.
fn lines<'a, 'b: 'a, Y: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, Y>>,
    what: &str,
    lines: &[(&str, Points)],
) -> anyhow::Result<()> {
    chart
        .configure_mesh()
        .x_desc("steps")
        .y_desc(what)
        .x_label_formatter(&|step| format!("{step:.0}"))
        .y_label_formatter(&|value| format!("{value:.4}"))
        .draw()
        .map_err(fault)?;
    for ((name, points), colour) in lines.iter().zip([BLUE, RED, GREEN, BLACK]) {
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour))
            .map_err(fault)?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK.mix(0.3)).draw().map_err(fault)
}

fn fault(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw the curve: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURES: &[&str] = &["top1", "top5"];

    fn row(step: usize, validation: Option<Judgement>) -> Row {
        let train_loss = 0.1 / step as f64;
        Row { step, epoch: 0.5, lr: 1e-3, train_loss, validation, positions_per_second: 5e5 }
    }

    #[test]
    fn a_resumed_curve_forgets_what_comes_after() {
        for measures in [&[], MEASURES] {
            let judged = Judgement { loss: 0.07, measures: vec![0.25; measures.len()] };
            let folder = tempfile::tempdir().expect("a folder");
            let mut curve = Curve::open(folder.path(), measures, 0).expect("opened");
            for step in 1..=3 {
                curve.add(row(step, (step == 2).then(|| judged.clone()))).expect("written");
            }
            let again = Curve::open(folder.path(), measures, 2).expect("opened");
            assert_eq!(again.rows, [row(1, None), row(2, Some(judged))]);
            again.draw().expect("drawn");
            let picture = fs::read_to_string(folder.path().join("curves.svg")).expect("read");
            assert!(picture.contains("validation") && picture.contains("polyline"));
            assert!(measures.iter().all(|name| picture.contains(name)));
        }
    }
}
