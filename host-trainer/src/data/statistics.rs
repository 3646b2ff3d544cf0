//! What a set of positions is like.

use std::fmt::Write as _;

use engine_core::net::features::bucket;
use serde_json::{Value, json};

use super::{
    game::{MATE_FROM, Outcome},
    logistic::{Observation, fit_scale},
};

/// Positions are counted by their number of pieces in so many buckets.
const BUCKETS: usize = 8;
/// Centipawns of a bar of the histogram.
const BAR: i32 = 200;
/// Scores beyond this, either way, share the last bars.
const LAST_BAR: i32 = 2400;
/// Plies of a line of the table by ply.
const PLIES: usize = 20;
/// Width of the longest bar in characters.
const WIDTH: u64 = 50;

/// Counts of positions by score, result, pieces and ply.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// Positions by result and score (as the bits of an `i16`).
    scores: Vec<[u32; 3]>,
    unscored: u64,
    outcomes: [u64; 3],
    buckets: [u64; BUCKETS],
    /// By ply, where it is known, in groups of [`PLIES`].
    plies: Vec<u64>,
}

impl Default for Statistics {
    fn default() -> Statistics {
        Statistics {
            scores: vec![[0; 3]; 1 << 16],
            unscored: 0,
            outcomes: [0; 3],
            buckets: [0; BUCKETS],
            plies: Vec::new(),
        }
    }
}

impl Statistics {
    /// Counts a position: score and outcome are the side to move's.
    pub fn count(&mut self, score: Option<i16>, outcome: Outcome, pieces: u32, ply: Option<u32>) {
        match score {
            Some(score) => self.scores[usize::from(score as u16)][outcome as usize] += 1,
            None => self.unscored += 1,
        }
        self.outcomes[outcome as usize] += 1;
        self.buckets[bucket(pieces, BUCKETS)] += 1;
        if let Some(ply) = ply {
            let group = ply as usize / PLIES;
            if self.plies.len() <= group {
                self.plies.resize(group + 1, 0);
            }
            self.plies[group] += 1;
        }
    }

    /// How many positions were counted.
    pub fn positions(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// The scores that occur, with their counts by outcome.
    fn by_score(&self) -> impl Iterator<Item = (i16, [u32; 3])> {
        let scores = i16::MIN..=i16::MAX;
        scores.map(|score| (score, self.scores[usize::from(score as u16)])).filter(|(_, counts)| *counts != [0; 3])
    }

    /// The [scale](fit_scale) of the scores, mates aside.
    pub fn scale(&self) -> Option<f64> {
        let observations: Vec<Observation> = self
            .by_score()
            .filter(|(score, _)| score.unsigned_abs() < MATE_FROM.unsigned_abs())
            .map(|(score, counts)| {
                let [loss, draw, win] = counts.map(f64::from);
                Observation { score: score.into(), count: loss + draw + win, points: win + draw / 2.0 }
            })
            .collect();
        fit_scale(&observations)
    }

    /// For the record of a run.
    pub fn json(&self) -> Value {
        let [losses, draws, wins] = self.outcomes;
        json!({
            "positions": self.positions(),
            "side_to_move": { "wins": wins, "draws": draws, "losses": losses },
            "by_pieces": self.buckets,
            "scale": self.scale(),
        })
    }

    /// Tables to read.
    pub fn tables(&self) -> String {
        let mut text = String::new();
        let [losses, draws, wins] = self.outcomes;
        let all = self.positions();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "positions     {all}");
        let _ = writeln!(
            text,
            "side to move  wins {wins} ({}), draws {draws} ({}), losses {losses} ({})",
            percent(wins, all),
            percent(draws, all),
            percent(losses, all)
        );
        if self.unscored > 0 {
            let _ = writeln!(text, "unscored      {}", self.unscored);
        }
        let _ = match self.scale() {
            Some(scale) => writeln!(text, "scale         {scale:.1} (expected points = 1 / (1 + exp(-score / scale)))"),
            None => writeln!(text, "scale         none fits"),
        };
        text.push_str("\nscore of the side to move, centipawns\n");
        push_bars(&mut text, self.score_bars());
        text.push_str("\npieces\n");
        let first = |index: usize| (2..=32).find(|&pieces| bucket(pieces, BUCKETS) == index).unwrap_or(32);
        let last = |index: usize| (2..=32).rfind(|&pieces| bucket(pieces, BUCKETS) == index).unwrap_or(32);
        let rows = self.buckets.iter().enumerate();
        push_bars(
            &mut text,
            rows.map(|(index, &count)| (format!("{}-{}", first(index), last(index)), count)).collect(),
        );
        if !self.plies.is_empty() {
            text.push_str("\nply\n");
            let rows = self.plies.iter().enumerate();
            let label = |group: usize| format!("{}-{}", group * PLIES, group * PLIES + PLIES - 1);
            push_bars(&mut text, rows.map(|(group, &count)| (label(group), count)).collect());
        }
        text
    }

    /// Labels and counts of the histogram of scores.
    fn score_bars(&self) -> Vec<(String, u64)> {
        let inner = (2 * LAST_BAR / BAR) as usize;
        let mate = i32::from(MATE_FROM);
        let mut bars = vec![("mated".to_owned(), 0), (format!("< -{LAST_BAR}"), 0)];
        bars.extend((0..inner).map(|bar| (format!("{}..", bar as i32 * BAR - LAST_BAR), 0)));
        bars.extend([(format!(">= {LAST_BAR}"), 0), ("mates".to_owned(), 0)]);
        for (score, counts) in self.by_score() {
            let score = i32::from(score);
            let bar = match score {
                _ if score <= -mate => 0,
                _ if score < -LAST_BAR => 1,
                _ if score < LAST_BAR => 2 + (score + LAST_BAR).div_euclid(BAR) as usize,
                _ if score < mate => inner + 2,
                _ => inner + 3,
            };
            bars[bar].1 += counts.iter().map(|&count| u64::from(count)).sum::<u64>();
        }
        bars
    }
}

fn push_bars(text: &mut String, rows: Vec<(String, u64)>) {
    let most = rows.iter().map(|row| row.1).max().unwrap_or(0).max(1);
    let all: u64 = rows.iter().map(|row| row.1).sum();
    for (label, count) in rows {
        let bar = "#".repeat((count * WIDTH / most) as usize);
        let line = format!("{label:>9} {count:>12} {:>7} {bar}", percent(count, all));
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// A share as text.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{:.2} %", 100.0 * part as f64 / whole.max(1) as f64)
}
