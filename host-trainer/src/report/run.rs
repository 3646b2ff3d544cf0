//! A training run's folder: its settings and its curves, whatever the kind of network.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::chart::{Chart, Scale, Series, number};

/// Columns of the curve that say when, and those that say how it went along.
const STEP: &str = "step";
const EPOCH: &str = "epoch";
const PACE: [&str; 2] = ["learning_rate", "positions_per_second"];

/// What a run's folder holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Settings with their values, as `config.json` has them.
    pub settings: Vec<(String, String)>,
    /// The validation file that the settings name.
    pub validation: Option<PathBuf>,
    /// The curve; `None` if the run has none yet.
    pub curve: Option<Table>,
    /// The network of the lowest validation loss, if there is one yet.
    pub best: Option<PathBuf>,
}

/// A CSV file of numbers; fields may be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Option<f64>>>,
}

/// Reads a run's folder.
///
/// # Errors
/// If it holds no run, or one of its files is damaged.
pub fn read(folder: &Path) -> anyhow::Result<Run> {
    let path = folder.join("config.json");
    let text = fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}: is {} the folder of a run?", path.display(), folder.display()))?;
    let config: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is no run's config", path.display()))?;
    let mut settings = Vec::new();
    flatten("", &config, &mut settings);
    let validation = config.pointer("/settings/validation").and_then(Value::as_str).map(PathBuf::from);

    let path = folder.join("curves.csv");
    let curve = match fs::read_to_string(&path) {
        Ok(text) => Some(Table::parse(&text).with_context(|| path.display().to_string())?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let best = Some(folder.join("best.safetensors")).filter(|path| path.exists());
    Ok(Run { settings, validation, curve: curve.filter(|curve| !curve.rows.is_empty()), best })
}

/// Names with values, objects within objects taken apart.
fn flatten(name: &str, value: &Value, settings: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| flatten(name, value, settings)),
        Value::Null => settings.push((name.to_owned(), "–".to_owned())),
        Value::String(text) => settings.push((name.to_owned(), text.clone())),
        Value::Array(values) if values.is_empty() => settings.push((name.to_owned(), "none".to_owned())),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            settings.push((name.to_owned(), values.join(", ")));
        }
        Value::Number(count) => {
            settings.push((name.to_owned(), count.as_f64().map_or_else(|| count.to_string(), number)));
        }
        Value::Bool(on) => settings.push((name.to_owned(), on.to_string())),
    }
}

impl Table {
    fn parse(text: &str) -> anyhow::Result<Table> {
        let mut lines = text.lines().enumerate();
        let (_, heading) = lines.next().context("the heading is missing")?;
        let columns: Vec<String> = heading.split(',').map(|name| name.trim().to_owned()).collect();
        ensure!(columns.iter().any(|name| name == STEP), "line 1: there is no column `{STEP}`, but {heading}");
        let mut rows = Vec::new();
        let count = text.lines().count();
        for (index, line) in lines {
            let fields: Vec<&str> = line.split(',').collect();
            let parse = |field: &&str| match field.trim() {
                "" => Ok(None),
                field => field.parse::<f64>().map(Some).with_context(|| format!("`{field}` is no number")),
            };
            let row = fields.iter().map(parse).collect::<anyhow::Result<Vec<_>>>();
            match row {
                Ok(row) if row.len() == columns.len() => rows.push(row),
                // A run that is killed, or that is going on, may have half a last line.
                _ if index + 1 == count && !text.ends_with('\n') => {}
                Ok(row) => bail!("line {}: {} fields, and the heading has {}", index + 1, row.len(), columns.len()),
                Err(error) => return Err(error).with_context(|| format!("line {}", index + 1)),
            }
        }
        Ok(Table { columns, rows })
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The points of a column over the steps.
    fn points(&self, column: usize) -> Vec<(f64, f64)> {
        let Some(step) = self.column(STEP) else { return Vec::new() };
        let finite = |number: &f64| number.is_finite();
        self.rows.iter().filter_map(|row| Some((row[step]?, row[column].filter(finite)?))).collect()
    }

    fn series(&self, columns: &[usize]) -> Vec<Series> {
        columns
            .iter()
            .map(|&column| {
                let points = self.points(column);
                // What is measured at few of the steps is worth seeing one by one.
                let dots = points.len() < 80 && points.len() < self.rows.len();
                Series { name: self.columns[column].replace('_', " "), points, dots }
            })
            .filter(|series| !series.points.is_empty())
            .collect()
    }

    /// The charts: losses, shares such as accuracies, and one for each other column.
    #[must_use]
    pub fn charts(&self) -> Vec<Chart> {
        let mut losses = Vec::new();
        let mut shares = Vec::new();
        let mut others = Vec::new();
        for (index, name) in self.columns.iter().enumerate() {
            let points = self.points(index);
            let is_share = || points.iter().all(|&(_, value)| (0.0..=1.0).contains(&value));
            match name.as_str() {
                _ if points.is_empty() => {}
                STEP | EPOCH => {}
                name if name.ends_with("loss") => losses.push(index),
                name if PACE.contains(&name) => others.push(index),
                _ if is_share() => shares.push(index),
                _ => others.push(index),
            }
        }
        let chart = |title: &str, y_scale, columns: &[usize]| Chart {
            title: title.to_owned(),
            x_name: "steps".to_owned(),
            x_scale: Scale::Linear,
            y_scale,
            series: self.series(columns),
            diagonal: false,
        };
        let positive = losses.iter().all(|&column| self.points(column).iter().all(|&(_, loss)| loss > 0.0));
        let mut charts = Vec::new();
        if !losses.is_empty() {
            charts.push(chart("Loss", if positive { Scale::Logarithmic } else { Scale::Linear }, &losses));
        }
        if !shares.is_empty() {
            charts.push(chart("Accuracy", Scale::Share, &shares));
        }
        charts.extend(others.iter().map(|&column| {
            let title = self.columns[column].replace('_', " ");
            chart(&(title[..1].to_uppercase() + &title[1..]), Scale::Linear, &[column])
        }));
        charts
    }

    /// The lowest loss on the validation positions, and its step.
    fn best(&self) -> Option<(f64, f64)> {
        let points = self.points(self.column("validation_loss")?);
        points.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// The settings, as a table.
#[must_use]
pub fn settings_section(run: &Run) -> Markup {
    html! {
        dl class="settings" {
            @for (name, value) in &run.settings {
                div { dt { (name.replace(['_', '-'], " ")) } dd { (value) } }
            }
        }
    }
}

/// The curves.
#[must_use]
pub fn curves_section(curve: &Table) -> Markup {
    let charts = curve.charts();
    html! {
        @if let Some((step, loss)) = curve.best() {
            p { "The lowest validation loss is " b { (number(loss)) } ", at step " (number(step)) "." }
        }
        div class="charts" {
            @for chart in &charts {
                @if let Some(svg) = chart.svg() {
                    figure {
                        figcaption { (chart.title) }
                        (PreEscaped(svg))
                        @if chart.series.len() > 1 { (PreEscaped(chart.legend())) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVE: &str = "step,epoch,learning_rate,train_loss,validation_loss,top_1,positions_per_second\n\
                         10,0.1,1e-3,0.5,,,400000\n20,0.2,1e-3,0.4,0.45,0.31,410000\n30,0.3,9e-4,0.35,0.47,0.33,400000\n";

    #[test]
    fn columns_are_found_by_their_names() {
        let table = Table::parse(CURVE).unwrap();
        let charts = table.charts();
        let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
        assert_eq!(titles, ["Loss", "Accuracy", "Learning rate", "Positions per second"]);
        assert_eq!(charts[0].series.len(), 2);
        assert_eq!(charts[0].series[1].points, [(20.0, 0.45), (30.0, 0.47)]);
        assert_eq!((charts[1].y_scale, charts[1].series[0].points.len()), (Scale::Share, 2));
        assert_eq!(table.best(), Some((20.0, 0.45)));
    }

    #[test]
    fn half_a_last_line_is_left_out_and_other_damage_is_named() {
        let torn = Table::parse(&CURVE[..CURVE.len() - 20]).unwrap();
        assert_eq!(torn.rows.len(), 2);
        let fault = |text: &str| format!("{:#}", Table::parse(text).unwrap_err());
        assert!(fault("").contains("heading is missing"));
        assert!(fault("a,b\n1,2\n").contains("no column `step`"));
        assert!(fault("step,loss\n1,2\n1,2,3\n4,5\n").contains("line 3: 3 fields"));
        assert!(fault("step,loss\n1,x\n2,3\n").contains("line 2: `x` is no number"));
    }

    #[test]
    fn a_folder_without_a_run_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let fault = format!("{:#}", read(dir.path()).unwrap_err());
        assert!(fault.contains("the folder of a run?"), "{fault}");
        fs::write(dir.path().join("config.json"), "{\"version\": \"1\", \"settings\": {\"dense\": [], \"lr\": 0.001}}")
            .unwrap();
        let run = read(dir.path()).unwrap();
        let settings: Vec<(&str, &str)> = run.settings.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(settings, [("dense", "none"), ("lr", "0.001"), ("version", "1")]);
        assert_eq!((run.curve, run.best, run.validation), (None, None, None));
    }
}
