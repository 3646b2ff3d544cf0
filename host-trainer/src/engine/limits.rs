//! What bounds an engine's thinking: clocks, time a move, nodes, depth.

use std::{fmt, str::FromStr, time::Duration};

/// `moves/time+increment`, as in `40/60+0.5`, `1+0.01` or `5:00+3`; times in seconds or `minutes:seconds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Moves until the base time is added again; `None` for the whole game.
    pub moves: Option<u32>,
    /// Time for those moves.
    pub base: Duration,
    /// Added after each move.
    pub increment: Duration,
}

/// Why a text is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time control: {problem} (write [moves/]time[+increment], as in 40/60+0.5 or 1+0.01, in seconds)"
)]
pub struct TimeControlError {
    text: String,
    problem: &'static str,
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let problem = |problem| TimeControlError { text: text.to_owned(), problem };
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => match moves.trim().parse() {
                Ok(0) | Err(_) => return Err(problem("the count of moves must be 1 or more")),
                Ok(moves) => (Some(moves), rest),
            },
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let base = parse_time(base).ok_or(problem("the time is no number of seconds"))?;
        let increment = parse_time(increment).ok_or(problem("the increment is no number of seconds"))?;
        if base.is_zero() {
            return Err(problem("the time must be more than nothing"));
        }
        Ok(TimeControl { moves, base, increment })
    }
}

/// Seconds, or minutes and seconds with a colon; at most a year.
fn parse_time(text: &str) -> Option<Duration> {
    const YEAR: f64 = 365.0 * 86_400.0;
    let seconds = match text.trim().split_once(':') {
        Some((minutes, seconds)) => f64::from(minutes.parse::<u16>().ok()?) * 60.0 + seconds.parse::<f64>().ok()?,
        None => text.trim().parse().ok()?,
    };
    (0.0..=YEAR).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// As the TimeControl tag of a PGN file has it.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// What an engine may use for a move. Several at once are all told to the engine, and the first to be reached ends
/// the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// A clock for the game.
    pub clock: Option<TimeControl>,
    /// The same time for every move.
    pub movetime: Option<Duration>,
    /// Positions searched for every move.
    pub nodes: Option<u64>,
    /// Plies searched for every move.
    pub depth: Option<u32>,
}

impl Limits {
    /// Whether nothing bounds the thinking.
    pub fn is_empty(&self) -> bool {
        *self == Limits::default()
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.clock.map(|clock| clock.to_string()),
            self.movetime.map(|time| format!("movetime={}", time.as_secs_f64())),
            self.nodes.map(|nodes| format!("nodes={nodes}")),
            self.depth.map(|depth| format!("depth={depth}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(" "))
    }
}

/// One side's clock at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Time left.
    pub time: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time comes.
    pub moves_to_go: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read_and_written() {
        let tc = |text: &str| text.parse::<TimeControl>().unwrap();
        assert_eq!(
            tc("40/60+0.5"),
            TimeControl { moves: Some(40), base: Duration::from_secs(60), increment: Duration::from_millis(500) }
        );
        assert_eq!(tc("1+0.01").base, Duration::from_secs(1));
        assert_eq!(tc("5:30").base, Duration::from_secs(330));
        assert_eq!(tc("0.2").increment, Duration::ZERO);
        for text in ["40/60+0.5", "1+0.01", "300", "0.2+0.01"] {
            assert_eq!(tc(text).to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_no_time_control() {
        for text in ["", "x", "0", "0/60", "-1", "1+", "1+-1", "40/", "1e99", "NaN", "inf", "1:x", "/1"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        let error = "0/60".parse::<TimeControl>().unwrap_err().to_string();
        assert!(error.starts_with("`0/60` is not a time control: the count of moves"), "{error}");
    }
}
