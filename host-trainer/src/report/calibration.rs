//! Does a network's promise hold? What the engine's integers predict of positions, against how their games ended.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use anyhow::{Context, ensure};
use engine_core::{chess::Board, net::ValueNet};
use maud::{Markup, PreEscaped, html};

use super::chart::{Chart, Scale, Series, number};
use crate::data::{bullet, game::Outcome, logistic::expectation};

/// Groups of predictions.
const GROUPS: usize = 20;
/// Groups with fewer positions are not drawn: chance would rule them.
const LEAST_POSITIONS: u64 = 20;

/// Positions whose predictions are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Group {
    /// How many.
    pub positions: u64,
    /// The sum of the predictions, each 0 to 1.
    pub predicted: f64,
    /// The sum of the points: 1 for a win, 1/2 for a draw.
    pub points: f64,
}

/// Predictions and results of many positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// By prediction, from 0 to 1 in equal steps.
    pub groups: [Group; GROUPS],
    /// The sum of the squared differences between prediction and points.
    squares: f64,
}

impl Default for Calibration {
    fn default() -> Calibration {
        Calibration { groups: [Group::default(); GROUPS], squares: 0.0 }
    }
}

impl Calibration {
    /// Counts a position: the points that were predicted for the side to move, 0 to 1, and those that it made.
    pub fn count(&mut self, predicted: f64, points: f64) {
        let group = ((predicted * GROUPS as f64) as usize).min(GROUPS - 1);
        let group = &mut self.groups[group];
        group.positions += 1;
        group.predicted += predicted;
        group.points += points;
        self.squares += (predicted - points).powi(2);
    }

    /// All positions.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.groups.iter().map(|group| group.positions).sum()
    }

    /// The mean squared difference between prediction and points (Brier 1950).
    #[must_use]
    pub fn brier(&self) -> f64 {
        self.squares / self.positions().max(1) as f64
    }

    /// The mean distance between what a group was promised and what it made, by positions (Naeini et al. 2015).
    #[must_use]
    pub fn expected_error(&self) -> f64 {
        let sum: f64 = self.groups.iter().map(|group| (group.predicted - group.points).abs()).sum();
        sum / self.positions().max(1) as f64
    }
}

/// Has a network judge at most so many positions of a file in bulletformat, taken evenly from all over it.
///
/// # Errors
/// If the file cannot be read, is cut off, or has a record that is no position.
pub fn measure(net: &ValueNet<'_>, path: &Path, most: u64) -> anyhow::Result<Calibration> {
    const RECORD: u64 = bullet::RECORD_BYTES as u64;
    let name = path.display();
    let mut file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let bytes = file.metadata().with_context(|| format!("cannot read {name}"))?.len();
    ensure!(
        bytes > 0 && bytes.is_multiple_of(RECORD),
        "{name} has {bytes} bytes, which is no number of whole {RECORD}-byte positions"
    );
    let all = bytes / RECORD;
    let count = all.min(most);
    let mut calibration = Calibration::default();
    for pick in 0..count {
        // No product of a file's positions and our picks needs more than 128 bits.
        let number = (u128::from(pick) * u128::from(all) / u128::from(count)) as u64;
        let mut record: bullet::Record = [0; bullet::RECORD_BYTES];
        file.seek(SeekFrom::Start(number * RECORD))?;
        file.read_exact(&mut record).with_context(|| format!("cannot read {name}"))?;
        let sample = bullet::decode(&record)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("{name}, position {}", number + 1))?;
        calibration.count(prediction(net, &sample.board), points(sample.outcome));
    }
    Ok(calibration)
}

/// The points that the side to move may expect.
fn prediction(net: &ValueNet<'_>, board: &Board) -> f64 {
    expectation(f64::from(net.evaluate(board)) / f64::from(net.shape().scale))
}

fn points(outcome: Outcome) -> f64 {
    f64::from(outcome as u8) / 2.0
}

/// The chart and its figures. `source` says what was measured, with what.
#[must_use]
pub fn section(calibration: &Calibration, source: &str) -> Markup {
    let drawn = calibration.groups.iter().filter(|group| group.positions >= LEAST_POSITIONS);
    let points = drawn.map(|group| {
        let count = group.positions as f64;
        (group.predicted / count, group.points / count)
    });
    let chart = Chart {
        title: "Calibration".to_owned(),
        x_name: "points predicted for the side to move".to_owned(),
        x_scale: Scale::Share,
        y_scale: Scale::Share,
        series: vec![Series { name: "points made".to_owned(), points: points.collect(), dots: true }],
        diagonal: true,
    };
    let most = calibration.groups.iter().map(|group| group.positions).max().unwrap_or(0).max(1);
    html! {
        p {
            (number(calibration.positions() as f64)) " positions of " (source) ". Brier score "
            b { (format!("{:.4}", calibration.brier())) } ", mean distance from the diagonal "
            b { (format!("{:.1} %", 100.0 * calibration.expected_error())) } "."
        }
        div class="charts" {
            figure {
                figcaption { "Points made against points predicted" }
                @match chart.svg() {
                    Some(svg) => (PreEscaped(svg)),
                    None => p class="note" { "No group has " (LEAST_POSITIONS) " positions." },
                }
            }
            figure {
                figcaption { "Positions by prediction" }
                (PreEscaped(histogram(&calibration.groups, most)))
            }
        }
    }
}

/// How many positions each group has.
fn histogram(groups: &[Group; GROUPS], most: u64) -> String {
    const WIDTH: f64 = 720.0;
    const HEIGHT: f64 = 300.0;
    const FLOOR: f64 = HEIGHT - 40.0;
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Positions by prediction\">"
    );
    let column = (WIDTH - 20.0) / GROUPS as f64;
    for (index, group) in groups.iter().enumerate() {
        let height = (FLOOR - 14.0) * group.positions as f64 / most as f64;
        let from = 100 * index / GROUPS;
        svg += &format!(
            "<rect class=\"column\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
             <title>{from} to {} %: {} positions</title></rect>",
            10.0 + column * index as f64 + 1.0,
            FLOOR - height,
            column - 2.0,
            100 * (index + 1) / GROUPS,
            number(group.positions as f64)
        );
    }
    for tick in 0..=4 {
        let x = 10.0 + (WIDTH - 20.0) * f64::from(tick) / 4.0;
        let anchor = ["start", "middle", "middle", "middle", "end"][tick as usize];
        svg += &format!(
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{} %</text>",
            FLOOR + 24.0,
            25 * tick
        );
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use engine_core::nets;

    use super::*;

    #[test]
    fn promises_and_points_by_hand() {
        let mut calibration = Calibration::default();
        for points in [1.0, 1.0, 0.5, 0.5] {
            calibration.count(0.75, points);
        }
        calibration.count(1.0, 0.0);
        assert_eq!(calibration.groups[15], Group { positions: 4, predicted: 3.0, points: 3.0 });
        assert_eq!(calibration.groups[19].positions, 1);
        // The four are right on the whole and wrong by a quarter each; the fifth is wholly wrong.
        assert!((calibration.brier() - (4.0 * 0.0625 + 1.0) / 5.0).abs() < 1e-12);
        assert!((calibration.expected_error() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_queen_up_is_a_good_promise() {
        let net = ValueNet::load(nets::VALUE_32).unwrap();
        let board = |fen| Board::from_fen(fen).unwrap();
        let up = board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.bullet");
        let records = [bullet::encode(&up, 900, Outcome::Win), bullet::encode(&Board::start(), 0, Outcome::Draw)];
        std::fs::write(&path, records.concat()).unwrap();
        let calibration = measure(&net, &path, 10).unwrap();
        assert_eq!(calibration.positions(), 2);
        assert!(calibration.brier() < 0.1, "{calibration:?}");
        assert_eq!(measure(&net, &path, 1).unwrap().positions(), 1);
        std::fs::write(&path, [0; 33]).unwrap();
        assert!(measure(&net, &path, 10).unwrap_err().to_string().contains("33 bytes"));
        std::fs::write(&path, [0; 64]).unwrap();
        assert!(format!("{:#}", measure(&net, &path, 10).unwrap_err()).contains("position 1"));
    }
}
