//! Games of random moves, written by the format's own crate, with what shakmaty says of every position.
#![allow(dead_code, reason = "each test program takes what it needs")]

use bulletformat::ChessBoard;
use host_trainer::arena::random::SplitMix64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, fen::Fen, uci::UciMove};
use viriformat::{
    chess::board::{Board, DrawType, GameOutcome, WinType},
    dataformat::Game,
};

/// Starts that bring castling, en passant, promotions, Chess960 and repetitions about.
const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9",
    "4k3/PPP5/8/8/2Pp4/8/6pp/3K4 b - c3 0 30",
    "8/8/4k3/8/8/3QK3/8/8 w - - 0 60",
    "1rk2r2/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w FBfb - 0 5",
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
];

/// A position, the move played there and White's score.
pub(crate) struct Played {
    pub(crate) position: Chess,
    pub(crate) mv: Move,
    pub(crate) white_score: i16,
}

impl Played {
    /// The record that bulletformat's own reader of text makes of the position.
    pub(crate) fn record(&self, white_points: f32) -> ChessBoard {
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal);
        format!("{fen} | {} | {white_points:.1}", self.white_score).parse().unwrap()
    }

    /// The score for the side to move.
    pub(crate) fn score(&self) -> i16 {
        if self.position.turn() == Color::White { self.white_score } else { -self.white_score }
    }

    /// Plies since the usual start position.
    pub(crate) fn ply(&self) -> u32 {
        2 * (self.position.fullmoves().get() - 1) + u32::from(self.position.turn() == Color::Black)
    }
}

/// A game and White's points.
pub(crate) struct RandomGame {
    pub(crate) plies: Vec<Played>,
    pub(crate) white_points: f32,
}

impl RandomGame {
    fn new(random: &mut SplitMix64) -> RandomGame {
        let fen: Fen = STARTS[below(random, STARTS.len())].parse().unwrap();
        let mut position: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
        let mut plies = Vec::new();
        for _ in 0..below(random, 80) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[below(random, moves.len())];
            let after = position.clone().play(mv).unwrap();
            plies.push(Played { position, mv, white_score: score(random) });
            position = after;
        }
        RandomGame { plies, white_points: [0.0, 0.5, 1.0][below(random, 3)] }
    }

    /// The game's bytes in viriformat.
    pub(crate) fn viri(&self) -> Vec<u8> {
        let mut board = Board::new();
        let start = self.plies.first().map_or_else(Chess::default, |first| first.position.clone());
        let start = Fen::from_position(&start, EnPassantMode::Legal).to_string();
        // shakmaty writes castling rights as the usual letters where it can, the crate wants files.
        let files = engine_core::chess::Board::from_fen(&start).unwrap().shredder_fen().to_string();
        board.set_from_fen(&files, true).unwrap();
        let mut game = Game::new(&board);
        for Played { mv, white_score, .. } in &self.plies {
            let mv = board.parse_uci(&UciMove::from_move(*mv, CastlingMode::Chess960).to_string()).unwrap();
            game.add_move(mv, *white_score);
            board.make_move_simple(mv);
        }
        game.set_outcome(match self.white_points {
            1.0 => GameOutcome::WhiteWin(WinType::Adjudication),
            0.5 => GameOutcome::Draw(DrawType::Adjudication),
            _ => GameOutcome::BlackWin(WinType::Adjudication),
        });
        let mut bytes = Vec::new();
        game.serialise_into(&mut bytes).unwrap();
        bytes
    }
}

/// So many games of a seed.
pub(crate) fn random_games(seed: u64, count: usize) -> Vec<RandomGame> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| RandomGame::new(&mut random)).collect()
}

fn below(random: &mut SplitMix64, limit: usize) -> usize {
    (random.next_u64() % limit as u64) as usize
}

/// Mostly small, sometimes large, sometimes a mate.
fn score(random: &mut SplitMix64) -> i16 {
    let bound = [100, 1000, 5000][below(random, 3)];
    let size = if below(random, 20) == 0 { 32_000 - below(random, 60) as i16 } else { below(random, bound) as i16 };
    if below(random, 2) == 0 { size } else { -size }
}
