//! What results say of the difference in strength.
//!
//! Both games of a pair share an opening, so their results are not independent; the pair is. Everything here
//! therefore counts pairs, by the half points that the first engine made in them (the "pentanomial" model of
//! Michel Van den Bergh, as fishtest uses it).

/// Wins, draws and losses of the first engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Tally {
    /// All games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Share of the points, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        let points = f64::from(self.wins) + 0.5 * f64::from(self.draws);
        (self.games() > 0).then(|| points / f64::from(self.games()))
    }

    /// Share of the games that were drawn, 0 to 1; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| f64::from(self.draws) / f64::from(self.games()))
    }

    /// The difference in Elo if every game stands for itself; `None` without games. Where games come in pairs,
    /// [`Pentanomial::elo`] is surer.
    pub fn elo(&self) -> Option<EloEstimate> {
        let mean = self.score()?;
        let games = f64::from(self.games());
        let squares = f64::from(self.wins) + 0.25 * f64::from(self.draws);
        let variance = squares / games - mean * mean;
        Some(EloEstimate::of(mean, (variance / games).max(0.0).sqrt()))
    }

    /// Counts a game by the half points that it brought: 0, 1 or 2.
    pub fn count(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

/// Pairs of games by the half points of the first engine: 0 (LL), 1 (LD), 2 (DD and WL), 3 (WD), 4 (WW).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u32; 5]);

impl Pentanomial {
    /// All pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Mean and variance of a pair's score, 0 to 1; `None` without pairs.
    pub fn moments(&self) -> Option<Moments> {
        (self.pairs() > 0).then(|| Moments::of(self.0.map(f64::from)))
    }

    /// The difference in Elo; `None` without pairs.
    pub fn elo(&self) -> Option<EloEstimate> {
        let (mean, error) = self.mean_and_error()?;
        Some(EloEstimate::of(mean, error))
    }

    /// Mean score of a pair and its standard error.
    fn mean_and_error(&self) -> Option<(f64, f64)> {
        let moments = self.moments()?;
        Some((moments.mean, (moments.variance / f64::from(self.pairs())).sqrt()))
    }

    /// Likelihood of superiority: how sure it is that the first engine is the stronger one, 0 to 1.
    pub fn superiority(&self) -> Option<f64> {
        let (mean, error) = self.mean_and_error()?;
        let lead = mean - 0.5;
        if error == 0.0 {
            return Some(if lead == 0.0 { 0.5 } else { f64::from(u8::from(lead > 0.0)) });
        }
        Some(0.5 * libm::erfc(-lead / error / std::f64::consts::SQRT_2))
    }
}

/// How the score of a pair is spread. A score is the share of the pair's two points, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Mean.
    pub mean: f64,
    /// Variance around it.
    pub variance: f64,
}

impl Moments {
    /// Of weighted pairs, by half points; some weight must be above 0.
    pub fn of(weights: [f64; 5]) -> Moments {
        let total: f64 = weights.iter().sum();
        let moment = |of: &dyn Fn(f64) -> f64| {
            let sum: f64 = (0u8..5).zip(weights).map(|(half, weight)| weight * of(f64::from(half) / 4.0)).sum();
            sum / total
        };
        let mean = moment(&|score| score);
        Moments { mean, variance: moment(&|score| (score - mean).powi(2)) }
    }
}

/// Two-sided 95% point of the normal distribution.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// A difference in Elo and its 95% interval. Each may be infinite, where all points went, or may have gone, one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// Best guess.
    pub elo: f64,
    /// The truth is between this and `high`, 19 times of 20.
    pub low: f64,
    /// See `low`.
    pub high: f64,
    /// Half the width of the interval.
    pub error: f64,
}

impl EloEstimate {
    /// From a share of the points, 0 to 1, and its standard error.
    fn of(mean: f64, error: f64) -> EloEstimate {
        let spread = NORMAL_95 * error;
        let (low, high) = (elo_from_score(mean - spread), elo_from_score(mean + spread));
        EloEstimate { elo: elo_from_score(mean), low, high, error: (high - low) / 2.0 }
    }
}

/// The logistic difference in Elo that a share of the points, 0 to 1, stands for (Elo 1978).
pub fn elo_from_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// The share of the points, 0 to 1, that a difference in Elo promises.
pub fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    #[test]
    fn elo_and_score_are_each_other_s_inverse() {
        // 75% is 400 log10(3), 190.85 Elo; a class of 200 Elo is 76%.
        close(elo_from_score(0.75), 190.849, 0.001);
        close(score_from_elo(200.0), 0.7597, 0.0001);
        for elo in [-700.0, -5.0, 0.0, 3.0, 400.0] {
            close(elo_from_score(score_from_elo(elo)), elo, 1e-9);
        }
        assert_eq!(elo_from_score(1.0), f64::INFINITY);
        assert_eq!(elo_from_score(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn pairs_by_hand() {
        // 10 pairs: mean (0.25 + 4 x 0.5 + 3 x 0.75 + 2) / 10 = 0.65;
        // variance (0.4^2 + 4 x 0.15^2 + 3 x 0.1^2 + 2 x 0.35^2) / 10 = 0.0525; standard error 0.0724569.
        let pairs = Pentanomial([0, 1, 4, 3, 2]);
        let moments = pairs.moments().unwrap();
        close(moments.mean, 0.65, 1e-12);
        close(moments.variance, 0.0525, 1e-12);
        // The 95% interval of the score is 0.65 +- 0.142013: 0.507987 to 0.792013, that is 5.55 to 232.26 Elo.
        let estimate = pairs.elo().unwrap();
        close(estimate.elo, 107.54, 0.01);
        close(estimate.error, 113.35, 0.05);
        // 0.15 / 0.0724569 = 2.0702 standard deviations.
        close(pairs.superiority().unwrap(), 0.98078, 0.0001);
    }

    #[test]
    fn paired_draws_are_surer_than_lone_ones() {
        let dull = Pentanomial([0, 10, 80, 10, 0]);
        let wild = Pentanomial([10, 20, 40, 20, 10]);
        assert_eq!(dull.elo().unwrap().elo, wild.elo().unwrap().elo);
        assert!(dull.elo().unwrap().error < wild.elo().unwrap().error);
        assert_eq!(dull.superiority(), Some(0.5));
    }

    #[test]
    fn lone_games_by_hand() {
        // 6 wins, 2 draws, 2 losses: mean 0.7, variance 6.5 / 10 - 0.49 = 0.16, standard error 0.126491.
        let estimate = Tally { wins: 6, draws: 2, losses: 2 }.elo().unwrap();
        close(estimate.elo, 147.19, 0.01);
        // 0.7 - 0.247918 = 0.452082 and 0.947918.
        close(estimate.low, -33.4, 0.1);
        close(estimate.high, 504.1, 0.2);
        assert_eq!(Tally::default().elo(), None);
    }

    #[test]
    fn no_games_say_nothing_and_whitewashes_do_not_divide_by_zero() {
        assert_eq!(Pentanomial::default().elo(), None);
        assert_eq!(Tally::default().score(), None);
        let whitewash = Pentanomial([0, 0, 0, 0, 7]);
        assert_eq!(whitewash.elo().unwrap().elo, f64::INFINITY);
        assert_eq!(whitewash.superiority(), Some(1.0));
        assert_eq!(Pentanomial([0, 0, 7, 0, 0]).superiority(), Some(0.5));
    }
}
