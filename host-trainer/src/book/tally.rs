//! What games say of their moves, and the book that comes of it.

use std::collections::HashMap;

use shakmaty::Color;

use super::polyglot::Entry;

/// What happened after a move, for the side that played it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    games: u32,
    wins: u32,
    draws: u32,
}

impl Tally {
    /// The field's custom, of the program whose format this is: two points for a win, one for a draw.
    fn points(self) -> u64 {
        2 * u64::from(self.wins) + u64::from(self.draws)
    }

    /// From 0 to 100.
    fn percent(self) -> f64 {
        50.0 * self.points() as f64 / f64::from(self.games)
    }
}

/// A move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The position's [key](super::polyglot::key).
    pub key: u64,
    /// The move, as a book [writes it](super::polyglot::encode).
    pub mv: u16,
    /// Who moved.
    pub side: Color,
}

/// Which moves a book takes.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Those played at least so often.
    pub count: u32,
    /// Those that scored at least so much, in percent, for the side that played them.
    pub percent: f64,
}

/// All moves of all games.
#[derive(Debug, Default)]
pub struct Tallies(HashMap<(u64, u16), Tally>);

impl Tallies {
    /// Counts the moves of a game that `winner` won.
    pub fn add(&mut self, moves: &[Played], winner: Option<Color>) {
        for &Played { key, mv, side } in moves {
            let tally = self.0.entry((key, mv)).or_default();
            tally.games += 1;
            tally.wins += u32::from(winner == Some(side));
            tally.draws += u32::from(winner.is_none());
        }
    }

    /// The entries of a book: by key, and a position's best move first. A move's weight is twice its wins and its draws;
    /// those of a position are made smaller together where one does not fit. A move that never scored has no weight,
    /// and is left out.
    pub fn entries(&self, wanted: Wanted) -> Vec<Entry> {
        let is_wanted = |tally: &Tally| tally.games >= wanted.count && tally.percent() >= wanted.percent;
        let kept = self.0.iter().filter(|(_, tally)| tally.points() > 0 && is_wanted(tally));
        let mut moves: Vec<(u64, u64, u16)> = kept.map(|(&(key, mv), tally)| (key, tally.points(), mv)).collect();
        moves.sort_unstable_by(|a, b| (a.0, b.1, a.2).cmp(&(b.0, a.1, b.2)));
        let mut entries = Vec::with_capacity(moves.len());
        for position in moves.chunk_by(|a, b| a.0 == b.0) {
            let most = position[0].1.max(u64::from(u16::MAX));
            entries.extend(position.iter().map(|&(key, points, mv)| {
                let weight = (points * u64::from(u16::MAX) / most).max(1);
                Entry { key, mv, weight: weight as u16 }
            }));
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Wanted = Wanted { count: 1, percent: 0.0 };

    fn played(key: u64, mv: u16, side: Color) -> Played {
        Played { key, mv, side }
    }

    /// Three wins and a draw for White's move 7, a loss and a draw for White's move 8, and Black's answer.
    fn tallies() -> Tallies {
        let mut tallies = Tallies::default();
        for (mv, winner) in [
            (7, Some(Color::White)),
            (8, None),
            (7, Some(Color::White)),
            (7, None),
            (8, Some(Color::Black)),
            (7, Some(Color::White)),
        ] {
            tallies.add(&[played(9, mv, Color::White), played(1, 5, Color::Black)], winner);
        }
        tallies
    }

    #[test]
    fn wins_count_twice_and_the_best_comes_first() {
        let entries = tallies().entries(ALL);
        let expected = [(1, 5, 2 + 1 + 1), (9, 7, 2 + 2 + 1 + 2), (9, 8, 1)];
        assert_eq!(entries, expected.map(|(key, mv, weight)| Entry { key, mv, weight }));
    }

    #[test]
    fn rare_and_bad_moves_are_left_out() {
        let moves = |wanted| tallies().entries(wanted).iter().map(|entry| entry.mv).collect::<Vec<_>>();
        assert_eq!(moves(Wanted { count: 3, ..ALL }), [5, 7]);
        assert_eq!(moves(Wanted { percent: 25.0, ..ALL }), [5, 7, 8]);
        assert_eq!(moves(Wanted { percent: 25.1, ..ALL }), [5, 7]);
        assert_eq!(moves(Wanted { percent: 100.0, ..ALL }), Vec::<u16>::new());
        let mut lost = Tallies::default();
        lost.add(&[played(1, 2, Color::White)], Some(Color::Black));
        assert_eq!(lost.entries(ALL), [], "a move without a weight is never played");
    }

    #[test]
    fn weights_that_do_not_fit_shrink_together() {
        let mut tallies = Tallies::default();
        for (mv, games) in [(1, 65_535), (2, 32_768), (3, 1)] {
            tallies.0.insert((4, mv), Tally { games, wins: games, draws: 0 });
        }
        let weights: Vec<u16> = tallies.entries(ALL).iter().map(|entry| entry.weight).collect();
        assert_eq!(weights, [65_535, 32_768, 1]);
    }
}
