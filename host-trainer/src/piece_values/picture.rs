//! Pictures of a regression: how the cost fell, and how well the curve fits the results.

use std::{fmt::Display, path::Path};

use anyhow::{Context, anyhow};
use nalgebra::DVector;
use plotters::{
    chart::{ChartBuilder, ChartContext},
    coord::{Shift, types::RangedCoordf64},
    drawing::DrawingArea,
    prelude::{Cartesian2d, Circle, IntoDrawingArea, IntoLogRange, PathElement, SVGBackend},
    series::LineSeries,
    style::{BLACK, BLUE, Color, RED, WHITE},
};
use quantize::whole;

use super::regression::{Examples, score};
use crate::data::logistic::expectation;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws an SVG file.
fn draw(path: &Path, paint: impl FnOnce(&Area<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut picture = String::new();
    {
        let area = SVGBackend::with_string(&mut picture, (960, 540)).into_drawing_area();
        area.fill(&WHITE).map_err(fault)?;
        paint(&area)?;
        area.present().map_err(fault)?;
    }
    whole::write(path, picture.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

fn fault(error: impl Display) -> anyhow::Error {
    anyhow!("cannot draw the picture: {error}")
}

/// Draws the cost before the first step (drawn as step 1, for the scale is logarithmic) and after each.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn convergence(path: &Path, costs: &[f64]) -> anyhow::Result<()> {
    let lowest = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = costs.iter().copied().fold(lowest, f64::max);
    let margin = (0.05 * (highest - lowest)).max(1e-6);
    draw(path, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .x_label_area_size(36)
            .y_label_area_size(72)
            .build_cartesian_2d((1.0..costs.len().max(2) as f64).log_scale(), lowest - margin..highest + margin)
            .map_err(fault)?;
        chart
            .configure_mesh()
            .x_desc("steps, and one")
            .y_desc("cost")
            .x_label_formatter(&|step| format!("{step:.0}"))
            .y_label_formatter(&|cost| format!("{cost:.4}"))
            .draw()
            .map_err(fault)?;
        let points = costs.iter().enumerate().map(|(step, &cost)| (step as f64 + 1.0, cost));
        chart.draw_series(LineSeries::new(points, BLUE)).map_err(fault)?;
        Ok(())
    })
}

/// Examples that the weights say the same of, nearly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    count: f64,
    points: f64,
    /// Of the advantages, each as often as it occurred.
    sum: f64,
}

impl Bin {
    /// The mean advantage, the mean points, and the points' error: 95 times of 100 it is within.
    fn point(&self) -> (f64, f64, f64) {
        let mean = self.points / self.count;
        (self.sum / self.count, mean, 1.96 * (mean * (1.0 - mean) / self.count).sqrt())
    }
}

/// Advantages beyond this many pawns are not drawn.
const MOST_PAWNS: f64 = 12.0;
/// Bins a pawn.
const BINS: f64 = 2.0;

/// Sorts examples by the advantage that the weights give White, in pawns.
fn bins(examples: &dyn Examples, weights: &DVector<f64>, pawn: f64) -> Vec<Bin> {
    let mut bins = vec![Bin::default(); (2.0 * MOST_PAWNS * BINS) as usize + 1];
    let mut entries = Vec::new();
    for row in 0..examples.rows() {
        entries.clear();
        let target = examples.row(row, &mut entries);
        let advantage = score(&entries, weights) / pawn;
        let place = ((advantage + MOST_PAWNS) * BINS).round();
        if place < 0.0 || place >= bins.len() as f64 {
            continue;
        }
        let bin = &mut bins[place as usize];
        bin.count += target.count;
        bin.points += target.points;
        bin.sum += target.count * advantage;
    }
    bins.retain(|bin| bin.count > 0.0);
    bins
}

/// Draws the points of games over White's advantage in pawns, and the curve that the weights say.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn expectations(
    path: &Path,
    examples: &dyn Examples,
    weights: &DVector<f64>,
    pawn: f64,
) -> anyhow::Result<()> {
    let bins = bins(examples, weights, pawn);
    draw(path, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .x_label_area_size(36)
            .y_label_area_size(72)
            .build_cartesian_2d(-MOST_PAWNS..MOST_PAWNS, 0.0..1.0)
            .map_err(fault)?;
        chart
            .configure_mesh()
            .x_desc("White's advantage in pawns")
            .y_desc("White's points")
            .x_label_formatter(&|pawns| format!("{pawns:.0}"))
            .y_label_formatter(&|points| format!("{points:.1}"))
            .draw()
            .map_err(fault)?;
        let curve = (-120..=120).map(|step| f64::from(step) / 120.0 * MOST_PAWNS);
        let curve = curve.map(|advantage| (advantage, expectation(advantage * pawn)));
        chart
            .draw_series(LineSeries::new(curve, BLUE))
            .map_err(fault)?
            .label("fitted")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 20, y)], BLUE));
        dots(&mut chart, &bins)?;
        chart.configure_series_labels().background_style(WHITE).border_style(BLACK.mix(0.3)).draw().map_err(fault)?;
        Ok(())
    })
}

/// Draws each bin's points with their error.
fn dots<'a, 'b: 'a>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    bins: &[Bin],
) -> anyhow::Result<()> {
    let bars = bins.iter().map(Bin::point).map(|(advantage, points, error)| {
        let ends = [(points - error).max(0.0), (points + error).min(1.0)];
        PathElement::new(ends.map(|end| (advantage, end)), RED.mix(0.4))
    });
    chart.draw_series(bars).map_err(fault)?;
    let circles = bins.iter().map(Bin::point).map(|(advantage, points, _)| Circle::new((advantage, points), 3, RED));
    chart
        .draw_series(circles)
        .map_err(fault)?
        .label("games, with 95 % intervals")
        .legend(|(x, y)| Circle::new((x + 10, y), 3, RED));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{
        super::regression::{Target, tests::Dense},
        *,
    };

    fn examples() -> Dense {
        let row = |feature: f64, count, points| (vec![feature], Target { count, points });
        Dense(vec![row(1.0, 30.0, 20.0), row(1.1, 10.0, 8.0), row(-2.0, 4.0, 1.0), row(100.0, 5.0, 5.0)])
    }

    #[test]
    fn bins_gather_what_is_alike() {
        let bins = bins(&examples(), &DVector::from_element(1, 0.5), 0.5);
        let points: Vec<_> = bins.iter().map(Bin::point).collect();
        assert_eq!(bins.len(), 2, "100 pawns are not drawn");
        assert_eq!((points[0].0, points[0].1), (-2.0, 0.25));
        assert!((points[1].0 - 1.025).abs() < 1e-12 && (points[1].1 - 0.7).abs() < 1e-12);
        assert!((points[1].2 - 1.96 * (0.7f64 * 0.3 / 40.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn pictures_have_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.svg");
        for costs in [vec![0.7], vec![0.7, 0.5, 0.4]] {
            convergence(&path, &costs).unwrap();
            assert!(fs::read_to_string(&path).unwrap().contains("cost"));
        }
        expectations(&path, &examples(), &DVector::from_element(1, 0.5), 0.5).unwrap();
        let picture = fs::read_to_string(&path).unwrap();
        assert!(picture.matches("<circle").count() >= 3 && picture.contains("polyline"), "{picture}");
    }
}
