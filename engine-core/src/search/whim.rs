//! Choosing among near-best moves: how to play weaker, as people do, than any search that looks at every move.

use heapless::Vec;

use crate::chess::Move;
use crate::random;

use super::MAX_MULTI_PV;

/// How far a choice may stray from what is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whim {
    /// Centipawns that any move's score may seem to be more than it is: the better the move, the likelier it is played,
    /// and one that is worse by more is not.
    pub reach: u16,
    /// Where the chances come from: the same for the same position, moves and seed.
    pub seed: u64,
}

/// Moves with their scores, best first.
pub(super) type Candidates = Vec<(Move, i32), MAX_MULTI_PV>;

impl Whim {
    /// The move that seems best, with its score.
    pub(super) fn choose(self, candidates: &Candidates) -> Option<(Move, i32)> {
        let seeming = |&(mv, score): &(Move, i32)| {
            let chance = random::next(&mut (self.seed ^ u64::from(mv.bits()))) >> 48;
            score + ((u64::from(self.reach) * chance) >> 16) as i32
        };
        // The first of equals: the better one.
        candidates.iter().rev().max_by_key(|candidate| seeming(candidate)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;

    #[test]
    fn better_moves_are_likelier_and_much_worse_ones_never_played() {
        let moves = Board::start().legal_moves();
        let scores = [50, 50, 20, -40, -60];
        let candidates: Candidates = moves.iter().copied().zip(scores).collect();
        let mut played = [0u32; 5];
        for seed in 0..10_000 {
            let (mv, score) = Whim { reach: 100, seed }.choose(&candidates).expect("a move");
            let index = candidates.iter().position(|&candidate| candidate == (mv, score)).expect("a candidate");
            played[index] += 1;
        }
        assert!(played[0].abs_diff(played[1]) < 500, "{played:?}");
        assert!(played[1] > played[2] && played[2] > played[3] && played[3] > 0, "{played:?}");
        assert_eq!(played[4], 0, "{played:?}");
        assert_eq!(Whim { reach: 0, seed: 1 }.choose(&candidates), Some(candidates[0]));
    }
}
