//! How long to think.

use super::limits::Limits;

/// The moves that a game is assumed to last still, when the clock does not say.
const MOVES_AHEAD: u64 = 25;

/// The moments at which a search should, and must, end. All times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    start: u64,
    /// No new iteration begins after this long.
    soft: Option<u64>,
    /// The search ends after this long.
    hard: Option<u64>,
    pondering: bool,
}

impl Clock {
    /// The clock of a search that begins now.
    pub(super) fn new(limits: &Limits, now: u64) -> Self {
        let movetime = limits.movetime.map(|movetime| thinking_time(movetime, limits.overhead));
        let shared = limits.clock.map(|clock| {
            let left = thinking_time(counted(clock.time), limits.overhead);
            share(left, counted(clock.increment) * 1_000, clock.moves_to_go)
        });
        let first = |share: Option<u64>| movetime.into_iter().chain(share).min().filter(|_| !limits.infinite);
        let soft = first(shared.map(|(soft, _)| soft));
        let hard = first(shared.map(|(_, hard)| hard));
        Self { start: now, soft, hard, pondering: limits.ponder }
    }

    /// The opponent has played the expected move: our time runs from now.
    pub(super) fn ponder_hit(&mut self, now: u64) {
        self.pondering = false;
        self.start = now;
    }

    /// Whether the search must end.
    pub(super) fn is_over(&self, now: u64) -> bool {
        self.passed(self.hard, now)
    }

    /// Whether another iteration should not begin. `percent` stretches the time, or shortens it.
    pub(super) fn is_enough(&self, now: u64, percent: u64) -> bool {
        let soft = self.soft.map(|soft| soft.saturating_mul(percent) / 100);
        self.passed(soft, now)
    }

    /// Whether time limits the search.
    pub(super) const fn is_running(&self) -> bool {
        self.soft.is_some() && !self.pondering
    }

    fn passed(&self, limit: Option<u64>, now: u64) -> bool {
        !self.pondering && limit.is_some_and(|limit| now.saturating_sub(self.start) >= limit)
    }
}

/// The longest time that is told apart: seven weeks, in milliseconds.
const LONGEST: u64 = u32::MAX as u64;

/// Milliseconds as a clock gives them; one that has run over shows less than nothing.
fn counted(milliseconds: i64) -> u64 {
    u64::try_from(milliseconds).unwrap_or(0).min(LONGEST)
}

/// What is left of so many milliseconds when the overhead is paid, in microseconds: never less than a tenth, for an
/// overhead larger than the time can only be guessed at.
fn thinking_time(milliseconds: u64, overhead: u64) -> u64 {
    let all = milliseconds.min(LONGEST) * 1_000;
    all.saturating_sub(overhead.saturating_mul(1_000)).max(all / 10)
}

/// The soft and hard share of one move in the time left.
fn share(left: u64, increment: u64, moves_to_go: Option<u32>) -> (u64, u64) {
    let moves = moves_to_go.map_or(MOVES_AHEAD, |moves| u64::from(moves).clamp(1, MOVES_AHEAD));
    let even = left / moves + increment * 3 / 4;
    // Of the last move before the control a good part is kept back: the clock may be slower than its word.
    let most = if moves == 1 { left * 7 / 10 } else { left * 2 / 5 };
    let soft = (even * 6 / 10).min(most);
    (soft, (even * 3).min(most))
}

#[cfg(test)]
mod tests {
    use super::super::limits::Remaining;
    use super::*;

    fn budget(time: i64, increment: i64, moves_to_go: Option<u32>) -> (u64, u64) {
        let clock = Some(Remaining { time, increment, moves_to_go });
        let clock = Clock::new(&Limits { clock, overhead: 10, ..Limits::default() }, 0);
        (clock.soft.unwrap(), clock.hard.unwrap())
    }

    #[test]
    fn no_move_takes_the_whole_clock() {
        for time in [i64::MIN, -5, 0, 1, 5, 10, 11, 50, 100, 1_000, 60_000, 3_600_000, i64::MAX] {
            for increment in [i64::MIN, 0, 10, 1_000, 60_000, i64::MAX] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(1_000)] {
                    let (soft, hard) = budget(time, increment, moves);
                    let whole = counted(time) * 1_000;
                    assert!(soft <= hard, "{time} {increment} {moves:?}");
                    assert!(hard <= whole * 7 / 10, "{time} {increment} {moves:?}: {hard}");
                }
            }
        }
    }

    #[test]
    fn pondering_takes_no_time_until_the_hit() {
        let clock = Some(Remaining { time: 1_000, ..Remaining::default() });
        let mut clock = Clock::new(&Limits { clock, ponder: true, ..Limits::default() }, 0);
        assert!(!clock.is_over(10_000_000));
        clock.ponder_hit(10_000_000);
        assert!(!clock.is_over(10_000_001));
        assert!(clock.is_over(11_000_000));
    }
}
