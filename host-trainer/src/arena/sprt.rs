//! Stopping a match as soon as it has proved enough: the generalised sequential probability ratio test.
//!
//! Source: Michel Van den Bergh, "A Practical Introduction to the GSPRT" (the method of fishtest), with the normal
//! approximation of the log-likelihood ratio on pentanomial counts; Wald 1945 for the bounds. Elo is logistic.

use std::str::FromStr;

use super::statistics::{Moments, Pentanomial, score_from_elo};

/// A test is not decided before so many pairs: the normal approximation knows nothing of fewer.
const FEWEST_PAIRS: u32 = 10;
/// What counts for a kind of pair that has not come up, so that pairs that are all alike have a variance (as fishtest
/// does it).
const UNSEEN: f64 = 1e-3;

/// Two hypotheses and how often we accept to be wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// Null hypothesis: the first engine is this much stronger.
    pub elo0: f64,
    /// Alternative, above `elo0`.
    pub elo1: f64,
    /// Chance to accept the alternative when the null hypothesis holds, 0 to 0.5.
    pub alpha: f64,
    /// Chance to accept the null hypothesis when the alternative holds, 0 to 0.5.
    pub beta: f64,
}

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 }
    }
}

/// What a test has proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The lower bound was reached.
    AcceptNull,
    /// The upper bound was reached.
    AcceptAlternative,
}

impl Sprt {
    /// The log-likelihood ratios at which the test ends: lower, upper.
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    /// The log-likelihood ratio of the alternative over the null hypothesis; 0 without pairs.
    pub fn log_likelihood_ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| f64::from(count).max(UNSEEN));
        let total: f64 = counts.iter().sum();
        let Moments { mean, variance } = Moments::of(counts);
        let (score0, score1) = (score_from_elo(self.elo0), score_from_elo(self.elo1));
        total * (score1 - score0) * (2.0 * mean - score0 - score1) / (2.0 * variance)
    }

    /// Whether the match may stop.
    pub fn decide(&self, pairs: &Pentanomial) -> Option<Decision> {
        if pairs.pairs() < FEWEST_PAIRS {
            return None;
        }
        let ratio = self.log_likelihood_ratio(pairs);
        let (lower, upper) = self.bounds();
        if ratio <= lower {
            Some(Decision::AcceptNull)
        } else if ratio >= upper {
            Some(Decision::AcceptAlternative)
        } else {
            None
        }
    }

    /// Changes the test by one `key=value`.
    pub fn set(&mut self, setting: &Setting) {
        match setting.key {
            Key::Elo0 => self.elo0 = setting.value,
            Key::Elo1 => self.elo1 = setting.value,
            Key::Alpha => self.alpha = setting.value,
            Key::Beta => self.beta = setting.value,
        }
    }

    /// Why the test makes no sense, if it does not.
    pub fn problem(&self) -> Option<&'static str> {
        if self.elo0 >= self.elo1 {
            return Some("elo0 must be less than elo1");
        }
        let sane = |risk: f64| risk > 0.0 && risk < 0.5;
        (!sane(self.alpha) || !sane(self.beta)).then_some("alpha and beta must be between 0 and 0.5")
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Key {
    Elo0,
    Elo1,
    Alpha,
    Beta,
}

/// One `key=value` of the command line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    key: Key,
    value: f64,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let (key, value) = text.split_once('=').ok_or("write elo0=0 elo1=5 alpha=0.05 beta=0.05")?;
        let key = match key {
            "elo0" => Key::Elo0,
            "elo1" => Key::Elo1,
            "alpha" => Key::Alpha,
            "beta" => Key::Beta,
            _ => return Err("the settings are elo0, elo1, alpha and beta".to_owned()),
        };
        let value: f64 = value.parse().map_err(|_| format!("`{value}` is no number"))?;
        if !value.is_finite() {
            return Err(format!("`{value}` is no number"));
        }
        Ok(Setting { key, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    #[test]
    fn the_usual_risks_give_the_usual_bounds() {
        // ln 19, as every fishtest page shows.
        let (lower, upper) = Sprt::default().bounds();
        close(upper, 2.944, 0.001);
        close(lower, -2.944, 0.001);
    }

    #[test]
    fn the_ratio_by_hand() {
        // 10 pairs, mean 0.65, variance 0.0525 (see the statistics' tests); scores 0.5 and 0.571463 for 0 and 50 Elo:
        // 10 x 0.071463 x (1.3 - 1.071463) / 0.105 = 1.5554.
        let test = Sprt { elo1: 50.0, ..Sprt::default() };
        let pairs = Pentanomial([0, 1, 4, 3, 2]);
        // The kind of pair that has not come up counts for a thousandth, which changes the third digit.
        close(test.log_likelihood_ratio(&pairs), 1.5554, 0.005);
        assert_eq!(test.decide(&pairs), None);
        let twice = Pentanomial([0, 2, 8, 6, 4]);
        close(test.log_likelihood_ratio(&twice), 3.1108, 0.005);
        assert_eq!(test.decide(&twice), Some(Decision::AcceptAlternative));
    }

    #[test]
    fn a_weaker_engine_is_found_out() {
        let pairs = Pentanomial([20, 40, 100, 20, 5]);
        assert_eq!(Sprt::default().decide(&pairs), None);
        let many = Pentanomial([200, 400, 1000, 200, 50]);
        assert_eq!(Sprt::default().decide(&many), Some(Decision::AcceptNull));
    }

    #[test]
    fn pairs_that_are_all_alike_decide_but_not_at_once() {
        let test = Sprt::default();
        assert_eq!(test.log_likelihood_ratio(&Pentanomial::default()), 0.0);
        assert_eq!(test.decide(&Pentanomial([0, 0, 0, 0, 9])), None);
        assert_eq!(test.decide(&Pentanomial([0, 0, 0, 0, 10])), Some(Decision::AcceptAlternative));
        assert_eq!(test.decide(&Pentanomial([0, 0, 20, 0, 0])), Some(Decision::AcceptNull));
    }

    #[test]
    fn settings_are_read() {
        let mut test = Sprt::default();
        for text in ["elo0=-3", "elo1=1.5", "alpha=0.1", "beta=0.02"] {
            test.set(&text.parse().unwrap());
        }
        assert_eq!((test.elo0, test.elo1, test.alpha, test.beta), (-3.0, 1.5, 0.1, 0.02));
        assert_eq!(test.problem(), None);
        for text in ["elo2=1", "elo0", "elo0=x", "elo1=inf"] {
            assert!(text.parse::<Setting>().is_err(), "{text}");
        }
        test.set(&"elo0=2".parse().unwrap());
        assert!(test.problem().is_some());
    }
}
