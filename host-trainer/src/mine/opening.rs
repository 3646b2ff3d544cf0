//! Random first moves, so that no two games are alike.

use shakmaty::{Chess, Position};

use crate::{arena::random::SplitMix64, line::Line};

/// A generator for one attempt at one game: what is random in a game depends on nothing else.
pub fn generator(seed: u64, game: u64, attempt: u64) -> SplitMix64 {
    let mix = |a: u64, b: u64| SplitMix64::new(a ^ SplitMix64::new(b).next_u64()).next_u64();
    SplitMix64::new(mix(mix(seed, game), attempt))
}

/// A position after `plies` or `plies + 1` uniformly random legal moves from the usual start, so that either side may
/// be to move; for 0 the usual start itself. Lines that end the game are given up for others.
pub fn draw(plies: u64, random: &mut SplitMix64) -> Chess {
    let plies = if plies == 0 { 0 } else { plies + random.below(2) };
    loop {
        let mut position = Chess::default();
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
        }
        if Line::new(position.clone()).ruling().is_none() {
            return position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_depend_on_the_seed_and_the_game_alone() {
        let open = |seed, game, attempt| draw(8, &mut generator(seed, game, attempt));
        assert_eq!(open(1, 2, 0), open(1, 2, 0));
        for other in [open(2, 2, 0), open(1, 3, 0), open(1, 2, 1)] {
            assert_ne!(open(1, 2, 0), other);
        }
    }

    #[test]
    fn no_random_moves_are_none() {
        assert!((0..20).all(|game| draw(0, &mut generator(1, game, 0)) == Chess::default()));
    }

    #[test]
    fn either_side_is_to_move_and_the_game_goes_on() {
        let positions: Vec<Chess> = (0..200).map(|game| draw(8, &mut generator(7, game, 0))).collect();
        let white = positions.iter().filter(|position| position.turn().is_white()).count();
        assert!((60..140).contains(&white), "{white} of 200 with White to move");
        for position in &positions {
            let plies = 2 * (position.fullmoves().get() - 1) + u32::from(position.turn().is_black());
            assert!(plies == 8 || plies == 9);
            assert!(Line::new(position.clone()).ruling().is_none());
        }
    }
}
