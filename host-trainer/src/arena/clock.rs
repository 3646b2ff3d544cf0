//! One side's clock, kept by the arbiter.

use std::time::Duration;

use crate::engine::limits::{Remaining, TimeControl};

/// The time that one side has left.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Remaining,
}

impl Clock {
    /// A clock before the first move.
    pub fn new(control: TimeControl) -> Clock {
        Clock {
            control,
            remaining: Remaining { time: control.base, increment: control.increment, moves_to_go: control.moves },
        }
    }

    /// What it shows now.
    pub fn remaining(&self) -> Remaining {
        self.remaining
    }

    /// Takes the time of one move off and adds the increment. Where the time was overstepped by more than `margin`,
    /// gives by how much; a smaller overstep is forgiven and leaves the increment only.
    pub fn spend(&mut self, elapsed: Duration, margin: Duration) -> Result<(), Duration> {
        let overstep = elapsed.saturating_sub(self.remaining.time);
        if overstep > margin {
            return Err(overstep);
        }
        self.remaining.time = self.remaining.time.saturating_sub(elapsed) + self.control.increment;
        if let Some(moves) = self.remaining.moves_to_go {
            self.remaining.moves_to_go = Some(moves - 1);
            if moves == 1 {
                self.remaining.time += self.control.base;
                self.remaining.moves_to_go = self.control.moves;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clock(control: &str) -> Clock {
        Clock::new(control.parse().unwrap())
    }

    #[test]
    fn the_increment_comes_after_the_move() {
        let mut clock = clock("1+0.1");
        clock.spend(ms(300), ms(0)).unwrap();
        assert_eq!(clock.remaining().time, ms(800));
        assert_eq!(clock.remaining().moves_to_go, None);
    }

    #[test]
    fn an_overstep_counts_only_beyond_the_margin() {
        assert_eq!(clock("1+0.1").spend(ms(1021), ms(20)), Err(ms(21)));
        let mut clock = clock("1+0.1");
        clock.spend(ms(1020), ms(20)).unwrap();
        assert_eq!(clock.remaining().time, ms(100));
    }

    #[test]
    fn time_comes_again_after_the_last_move_of_a_session() {
        let mut clock = clock("2/10");
        clock.spend(ms(4000), ms(0)).unwrap();
        assert_eq!(clock.remaining().moves_to_go, Some(1));
        clock.spend(ms(4000), ms(0)).unwrap();
        assert_eq!(clock.remaining().time, ms(12_000));
        assert_eq!(clock.remaining().moves_to_go, Some(2));
    }
}
