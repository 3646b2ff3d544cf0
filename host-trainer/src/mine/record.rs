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

/// A file that games are added to, each in one write.
#[derive(Debug)]
pub struct GameFile(File);

impl GameFile {
    /// Opens a file, or makes it; cuts off a game that is not whole, and says what is left. Another run may not have it
    /// open.
    pub fn open(path: &Path) -> anyhow::Result<(GameFile, Contents)> {
        let open = || OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = open().with_context(|| format!("cannot write {}", path.display()))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!("{} is being written by another run", path.display());
        }
        let mut mend = || {
            let contents = scan(&file)?;
            file.set_len(contents.bytes)?;
            file.seek(SeekFrom::Start(contents.bytes))?;
            Ok(contents)
        };
        let contents = mend().map_err(|error: io::Error| error).with_context(|| path.display().to_string())?;
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
        Move::EnPassant { from, to } => {
            PackedMove::new_with_flags(square(from)?, square(to)?, MoveFlags::EnPassant)
        }
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
