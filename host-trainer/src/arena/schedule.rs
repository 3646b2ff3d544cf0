//! Which engines meet when, with which opening and colours.

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0.
    pub number: usize,
    /// The opponent of the first engine: an index into the list of engines, from 1.
    pub opponent: usize,
    /// Which pair of games against that opponent, from 0; both games of a pair have the same opening.
    pub pair: usize,
    /// Whether the first engine plays White.
    pub first_is_white: bool,
}

/// A gauntlet of the first engine against all the others, in pairs of games with both colours.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    opponents: usize,
    pairs: usize,
}

impl Schedule {
    /// For so many opponents (at least one) and games in all; rounded up to whole pairs, the same number against each.
    pub fn new(opponents: usize, games: usize) -> Schedule {
        Schedule { opponents, pairs: games.div_ceil(2 * opponents) }
    }

    /// Games in all.
    pub fn games(&self) -> usize {
        2 * self.opponents * self.pairs
    }

    /// Pairs against each opponent, and so openings needed.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// The game of a number; every opponent comes up in turn. `None` past the last.
    pub fn fixture(&self, number: usize) -> Option<Fixture> {
        let pair = number / 2;
        (number < self.games()).then(|| Fixture {
            number,
            opponent: 1 + pair % self.opponents,
            pair: pair / self.opponents,
            first_is_white: number.is_multiple_of(2),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_rounded_up_to_pairs_for_everyone() {
        assert_eq!(Schedule::new(1, 5).games(), 6);
        assert_eq!(Schedule::new(3, 7).games(), 12);
        assert_eq!(Schedule::new(3, 12).pairs(), 2);
    }

    #[test]
    fn everyone_meets_every_opening_with_both_colours() {
        let schedule = Schedule::new(3, 12);
        let fixtures: Vec<Fixture> = (0..).map_while(|number| schedule.fixture(number)).collect();
        assert_eq!(fixtures.len(), 12);
        for opponent in 1..=3 {
            for pair in 0..2 {
                for first_is_white in [true, false] {
                    let matching =
                        |f: &&Fixture| f.opponent == opponent && f.pair == pair && f.first_is_white == first_is_white;
                    assert_eq!(fixtures.iter().filter(matching).count(), 1);
                }
            }
        }
    }
}
