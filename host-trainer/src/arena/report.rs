//! The match in words and figures, for people and for machines.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    sprt::{Decision, Sprt},
    standings::{Pairing, Standings},
    statistics::EloEstimate,
};

/// Everything that is known of a match, to be reported.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The engines' names, the first one's first.
    pub names: &'a [String],
    /// The results.
    pub standings: &'a Standings,
    /// The test under way.
    pub sprt: Option<&'a Sprt>,
}

impl Report<'_> {
    /// The state of the match on one line.
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        for pairing in &self.standings.pairings {
            let tally = pairing.tally;
            parts.push(format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses));
        }
        if let [pairing] = self.standings.pairings.as_slice() {
            parts.push(format!("Elo {}", elo_text(pairing.pairs.elo())));
            if let Some(sprt) = self.sprt {
                let (lower, upper) = sprt.bounds();
                let ratio = sprt.log_likelihood_ratio(&pairing.pairs);
                parts.push(format!("LLR {ratio:.2} ({lower:.2}, {upper:.2})"));
            }
        }
        let faults = self.standings.faults();
        if faults > 0 {
            parts.push(format!("{faults} faults"));
        }
        parts.join("  ")
    }

    /// The whole summary, several lines.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for (index, pairing) in self.standings.pairings.iter().enumerate() {
            self.describe(&mut text, &self.names[index + 1], pairing);
        }
        // Writing to a string cannot fail.
        if let Some(plies) = self.standings.plies_per_game() {
            let _ = writeln!(text, "Games: {}, {plies:.0} half-moves each", self.standings.games());
        }
        for (name, conduct) in self.names.iter().zip(&self.standings.conduct) {
            let time = conduct.time_per_move().unwrap_or_default().as_secs_f64();
            let faults: Vec<String> = conduct.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let faults = if faults.is_empty() { "none".to_owned() } else { faults.join(", ") };
            let _ = writeln!(text, "  {name}: {time:.3} s a move; faults: {faults}");
        }
        text
    }

    fn describe(&self, text: &mut String, opponent: &str, pairing: &Pairing) {
        let tally = pairing.tally;
        let _ = writeln!(text, "{} against {opponent}", self.names[0]);
        let percent = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1}%", 100.0 * share));
        let _ = writeln!(
            text,
            "  +{} ={} -{}, score {}, draws {}",
            tally.wins,
            tally.draws,
            tally.losses,
            percent(tally.score()),
            percent(tally.draw_ratio()),
        );
        let _ = writeln!(
            text,
            "  Elo {} (95%), LOS {}",
            elo_text(pairing.pairs.elo()),
            percent(pairing.pairs.superiority()),
        );
        let _ = writeln!(text, "  pairs [LL, LD, DD+WL, WD, WW] {:?}", pairing.pairs.0);
        if let Some(sprt) = self.sprt {
            let (lower, upper) = sprt.bounds();
            let ratio = sprt.log_likelihood_ratio(&pairing.pairs);
            let outcome = match sprt.decide(&pairing.pairs) {
                Some(Decision::AcceptAlternative) => "passed",
                Some(Decision::AcceptNull) => "failed",
                None => "undecided",
            };
            let _ = writeln!(
                text,
                "  SPRT elo0={} elo1={} alpha={} beta={}: LLR {ratio:.2} ({lower:.2}, {upper:.2}), {outcome}",
                sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta,
            );
        }
    }

    /// The summary for machines. Infinite figures are null.
    pub fn json(&self) -> Value {
        let pairings: Vec<Value> = self
            .standings
            .pairings
            .iter()
            .enumerate()
            .map(|(index, pairing)| {
                let elo = pairing.pairs.elo();
                json!({
                    "first": self.names[0],
                    "opponent": self.names[index + 1],
                    "wins": pairing.tally.wins,
                    "draws": pairing.tally.draws,
                    "losses": pairing.tally.losses,
                    "score": pairing.tally.score(),
                    "pentanomial": pairing.pairs.0,
                    "elo": elo.map(|elo| elo.elo),
                    "elo_error_95": elo.map(|elo| elo.error),
                    "superiority": pairing.pairs.superiority(),
                    "sprt": self.sprt.map(|sprt| {
                        let (lower, upper) = sprt.bounds();
                        json!({
                            "elo0": sprt.elo0,
                            "elo1": sprt.elo1,
                            "llr": sprt.log_likelihood_ratio(&pairing.pairs),
                            "lower": lower,
                            "upper": upper,
                            "passed": sprt.decide(&pairing.pairs).map(|d| d == Decision::AcceptAlternative),
                        })
                    }),
                })
            })
            .collect();
        let engines: Vec<Value> = self
            .names
            .iter()
            .zip(&self.standings.conduct)
            .map(|(name, conduct)| {
                json!({
                    "name": name,
                    "seconds_per_move": conduct.time_per_move().map(|time| time.as_secs_f64()),
                    "faults": conduct.faults,
                })
            })
            .collect();
        json!({
            "games": self.standings.games(),
            "plies_per_game": self.standings.plies_per_game(),
            "pairings": pairings,
            "engines": engines,
        })
    }
}

/// `+12.3 ± 4.5`, or what can be said when all points went one way or no pair is over.
fn elo_text(estimate: Option<EloEstimate>) -> String {
    match estimate {
        None => "-".to_owned(),
        Some(EloEstimate { elo, .. }) if elo.is_infinite() => format!("{elo:+}"),
        Some(EloEstimate { elo, error, .. }) if error.is_finite() => format!("{elo:+.1} ± {error:.1}"),
        Some(EloEstimate { elo, low, .. }) if low.is_finite() => format!("{elo:+.1}, at least {low:+.1}"),
        Some(EloEstimate { elo, high, .. }) if high.is_finite() => format!("{elo:+.1}, at most {high:+.1}"),
        Some(EloEstimate { elo, .. }) => format!("{elo:+.1}, or anything"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::statistics::{Pentanomial, Tally};

    #[test]
    fn a_summary_says_everything_once() {
        let mut standings = Standings::new(2);
        standings.pairings[0].tally = Tally { wins: 9, draws: 8, losses: 3 };
        standings.pairings[0].pairs = Pentanomial([0, 1, 4, 3, 2]);
        standings.conduct[1].faults.insert("crash", 2);
        let names = ["A".to_owned(), "B".to_owned()];
        let sprt = Sprt { elo1: 50.0, ..Sprt::default() };
        let report = Report { names: &names, standings: &standings, sprt: Some(&sprt) };
        let summary = report.summary();
        for part in [
            "A against B",
            "+9 =8 -3, score 65.0%, draws 40.0%",
            "Elo +107.5 ± 113.4 (95%), LOS 98.1%",
            "[0, 1, 4, 3, 2]",
            "LLR 1.55 (-2.94, 2.94), undecided",
            "B: 0.000 s a move; faults: 2 crash",
        ] {
            assert!(summary.contains(part), "{part} is not in\n{summary}");
        }
        assert_eq!(report.line(), "+9 =8 -3  Elo +107.5 ± 113.4  LLR 1.55 (-2.94, 2.94)  2 faults");
        assert_eq!(report.json()["pairings"][0]["pentanomial"][2], 4);
    }

    #[test]
    fn extremes_are_written_without_nonsense() {
        let text = |pairs| elo_text(Pentanomial(pairs).elo());
        assert_eq!(text([0; 5]), "-");
        assert_eq!(text([0, 0, 0, 0, 3]), "+inf");
        assert_eq!(text([3, 0, 0, 0, 0]), "-inf");
        assert_eq!(text([1, 0, 0, 0, 1]), "+0.0, or anything");
        assert_eq!(text([0, 0, 1, 0, 9]), "+511.5, at least +311.1");
        assert_eq!(text([9, 0, 1, 0, 0]), "-511.5, at most -311.1");
    }
}
