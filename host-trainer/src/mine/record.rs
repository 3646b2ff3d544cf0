//! Mined games on disk: a file of games in the viriformat of the engine Viridithas, one behind the other. Each is its
//! start position (32 bytes), four bytes a half-move (the move, and the worth of the position before it) and four zero
//! bytes.
//!
//! Scores are centipawns from White's side, at most [`MAX_CENTIPAWNS`] either way; a mate in so many half-moves is
//! [`MATE`] less their number, and always beyond that.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufReader, Seek, SeekFrom, Write},
    path::Path,
    thread,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use shakmaty::{Color, EnPassantMode, Move, Position, Role, fen::Fen};
use viriformat::{
    chess::{
        board::{Board, DrawType, GameOutcome, WinType},
        chessmove::{Move as PackedMove, MoveFlags},
        piece::PieceType,
        types::Square,
    },
    dataformat::Game as PackedGame,
};

use super::game::Game;
use crate::{
    arena::game::{Ending, Verdict},
    engine::info::Score,
    line::Ruling,
};

/// The score of a mate on the board, in the file.
pub const MATE: i16 = 32_000;
/// The greatest score that is no mate, in the file.
pub const MAX_CENTIPAWNS: i16 = 30_000;

/// The bytes of a start position.
const START_BYTES: usize = 32;
/// The bytes of a half-move.
const PLY_BYTES: usize = 4;

/// What is in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Whole games.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// The bytes of the whole games. What is behind them is the beginning of another.
    pub bytes: u64,
}

/// Counts the whole games of a file.
pub fn scan(file: impl io::Read) -> io::Result<Contents> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut contents = Contents::default();
    let mut game = Vec::new();
    loop {
        game.clear();
        match PackedGame::deserialise_fast_into_buffer(&mut reader, &mut game) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(contents),
            Err(error) => return Err(error),
        }
        contents.games += 1;
        contents.positions += ((game.len() - START_BYTES) / PLY_BYTES - 1) as u64;
        contents.bytes += game.len() as u64;
    }
}

/// How often a lock is asked for, and how long it is waited in between.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Locks a file; `false` if another run keeps it locked. A process that was just started from this one holds a copy of
/// every lock for a moment, until it has become another program, so one refusal means nothing.
fn lock(file: &File) -> bool {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            // Where files cannot be locked at all, there is nothing to find out.
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
    false
}

/// A file that games are added to, each in one write.
#[derive(Debug)]
pub struct GameFile(File);

impl GameFile {
    /// Opens a file, or makes it; cuts off a game that is not whole, and says what is left. Another run may not have it
    /// open.
    pub fn open(path: &Path) -> anyhow::Result<(GameFile, Contents)> {
        let open = || OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = open().with_context(|| format!("cannot write {}", path.display()))?;
        if !lock(&file) {
            bail!("{} is being written by another run", path.display());
        }
        let mut mend = || -> io::Result<Contents> {
            let contents = scan(&file)?;
            file.set_len(contents.bytes)?;
            file.seek(SeekFrom::Start(contents.bytes))?;
            Ok(contents)
        };
        let contents = mend().with_context(|| format!("cannot mend {}", path.display()))?;
        Ok((GameFile(file), contents))
    }

    /// Adds a game.
    pub fn add(&mut self, game: &Game) -> anyhow::Result<()> {
        let bytes = encode(game)?;
        self.0.write_all(&bytes)?;
        Ok(())
    }
}

/// A game as bytes.
pub fn encode(game: &Game) -> anyhow::Result<Vec<u8>> {
    ensure!(game.notes.len() == game.line.plies().len(), "a move without a note");
    let fen = Fen::from_position(game.line.start(), EnPassantMode::Legal).to_string();
    let mut start = Board::new();
    start.set_from_fen(&fen, false)?;
    let mut packed = PackedGame::new(&start);
    packed.set_outcome(outcome(&game.verdict));
    let mut mover = game.line.start().turn();
    for (ply, note) in game.line.plies().iter().zip(&game.notes) {
        let score = centipawns(note.score);
        packed.add_move(pack(ply.mv)?, if mover.is_white() { score } else { -score });
        mover = !mover;
    }
    let mut bytes = Vec::with_capacity(START_BYTES + PLY_BYTES * (packed.len() + 1));
    packed.serialise_into(&mut bytes)?;
    Ok(bytes)
}

/// A score as the file has it, still from the side to move.
fn centipawns(score: Score) -> i16 {
    let limit = i32::from(MAX_CENTIPAWNS);
    match score {
        Score::Centipawns(cp) => cp.clamp(-limit, limit) as i16,
        Score::Mate(moves) => {
            let plies = 2 * i64::from(moves).abs() - i64::from(moves > 0);
            let score = MATE - plies.min(i64::from(MATE - MAX_CENTIPAWNS - 1)) as i16;
            if moves > 0 { score } else { -score }
        }
    }
}

fn pack(mv: Move) -> anyhow::Result<PackedMove> {
    let square = |square: shakmaty::Square| Square::new(u8::from(square)).context("no such square");
    Ok(match mv {
        Move::Normal { from, to, promotion: Some(role), .. } => {
            let piece = match role {
                Role::Knight => PieceType::Knight,
                Role::Bishop => PieceType::Bishop,
                Role::Rook => PieceType::Rook,
                Role::Queen => PieceType::Queen,
                Role::Pawn | Role::King => bail!("no piece to promote to: {role:?}"),
            };
            PackedMove::new_with_promo(square(from)?, square(to)?, piece)
        }
        Move::Normal { from, to, promotion: None, .. } => PackedMove::new(square(from)?, square(to)?),
        Move::EnPassant { from, to } => PackedMove::new_with_flags(square(from)?, square(to)?, MoveFlags::EnPassant),
        // The king takes its own rook.
        Move::Castle { king, rook } => PackedMove::new_with_flags(square(king)?, square(rook)?, MoveFlags::Castle),
        Move::Put { .. } => bail!("no move of chess: {mv:?}"),
    })
}

/// The file keeps only who won.
fn outcome(verdict: &Verdict) -> GameOutcome {
    let way = if verdict.ending == Ending::Ruling(Ruling::Checkmate) { WinType::Mate } else { WinType::Adjudication };
    match verdict.winner {
        Some(Color::White) => GameOutcome::WhiteWin(way),
        Some(Color::Black) => GameOutcome::BlackWin(way),
        None => GameOutcome::Draw(DrawType::Adjudication),
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess};

    use super::*;
    use crate::{epd, line::Line, mine::game::Note};

    /// A game of these moves, each with a score that counts up.
    fn game(fen: &str, moves: &str, winner: Option<Color>) -> Game {
        let mut line = Line::new(epd::parse_position(fen, CastlingMode::Standard).unwrap());
        for text in moves.split_whitespace() {
            line.play(epd::parse_move(text, line.position()).unwrap());
        }
        let notes = (1..).take(line.plies().len()).map(|cp| Note { score: Score::Centipawns(cp), depth: 1 }).collect();
        Game { line, notes, verdict: Verdict { winner, ending: Ending::Ruling(Ruling::Checkmate) } }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// Both castlings, a capture in passing, promotions to a queen and a knight.
    const RICH: &str = "r3k2r/1pp2ppp/8/4P3/8/8/PPP1pPPP/2K4R b kq - 3 20";
    const RICH_MOVES: &str = "e1=Q+ Rxe1 O-O-O f3 f5 exf6 b5 fxg7 Rd5 gxh8=N";

    fn read(bytes: &[u8]) -> PackedGame {
        // In the profile of tests, the crate checks every move.
        PackedGame::deserialise_from(&mut &bytes[..], Vec::new()).unwrap()
    }

    #[test]
    fn a_game_is_read_back_position_by_position() {
        for (fen, moves) in [(START, "e4 e5 Nf3 Nc6 Bb5 a6 O-O"), (RICH, "e1=Q+ Rxe1 O-O Kd2"), (RICH, RICH_MOVES)] {
            let game = game(fen, moves, Some(Color::Black));
            let packed = read(&encode(&game).unwrap());
            assert_eq!(packed.outcome(), viriformat::dataformat::WDL::Loss);
            let mut positions = vec![game.line.start().clone()];
            for ply in game.line.plies() {
                let mut next: Chess = positions[positions.len() - 1].clone();
                next.play_unchecked(ply.mv);
                positions.push(next);
            }
            let mut seen = 0;
            packed.visit_positions(|board, score| {
                let position = &positions[seen];
                let fen = Fen::from_position(position, EnPassantMode::PseudoLegal).to_string();
                assert_eq!(board.to_string(), fen);
                let mover_score = if position.turn().is_white() { score } else { -score };
                assert_eq!(mover_score, seen as i32 + 1);
                seen += 1;
            });
            assert_eq!(seen, game.notes.len());
        }
    }

    #[test]
    fn scores_fit_and_mates_stand_apart() {
        for (score, expected) in [
            (Score::Centipawns(-123), -123),
            (Score::Centipawns(40_000), 30_000),
            (Score::Centipawns(i32::MIN), -30_000),
            (Score::Mate(1), 31_999),
            (Score::Mate(3), 31_995),
            (Score::Mate(-2), -31_996),
            (Score::Mate(0), -32_000),
            (Score::Mate(i32::MAX), 30_001),
        ] {
            assert_eq!(centipawns(score), expected, "{score:?}");
        }
    }

    #[test]
    fn wherever_the_last_game_is_torn_the_others_are_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("worker-1.viri");
        let first = encode(&game(START, "e4 e5", None)).unwrap();
        let last = game(RICH, RICH_MOVES, None);
        let whole = [first.clone(), encode(&last).unwrap()].concat();
        for length in first.len()..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut file, contents) = GameFile::open(&path).unwrap();
            let expected = Contents { games: 1, positions: 2, bytes: first.len() as u64 };
            assert_eq!(contents, expected, "cut at {length}");
            file.add(&last).unwrap();
            drop(file);
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        assert_eq!(scan(&whole[..]).unwrap().games, 2);
    }

    #[test]
    fn two_runs_cannot_have_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("worker-1.viri");
        let _first = GameFile::open(&path).unwrap();
        let error = GameFile::open(&path).unwrap_err().to_string();
        assert!(error.contains("another run"), "{error}");
    }
}
