//! What the engine says, written straight to the line.

use core::fmt::{self, Write};

use crate::bench::per_second;
use crate::chess::{Bitboard, Board, Colour, File, Game, Move, Rank, Square};
use crate::eval::evaluate;
use crate::net::{BlobError, PolicyNet, Preference, ValueNet};
use crate::platform::Platform;
use crate::search::{Best, Bound, Report, mate_in_moves};

use super::options::{ALL, Evaluation, HashSizes, Kind, Machine, Options};
use super::{AUTHOR, NAME, wdl};

/// Writes to a platform's line.
pub(super) struct Line<'a, P>(pub(super) &'a mut P);

impl<P: Platform> Write for Line<'_, P> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// Writes a line. The platform takes every byte, so nothing can fail.
pub(super) fn print(platform: &mut impl Platform, text: fmt::Arguments<'_>) {
    let _ = Line(platform).write_fmt(text);
    platform.write(b"\n");
}

/// Answers `uci`.
pub(super) fn identify(platform: &mut impl Platform, machine: Machine, options: &Options) {
    print(platform, format_args!("id name {NAME}"));
    print(platform, format_args!("id author {AUTHOR}"));
    for (_, name, kind) in ALL {
        match kind {
            Kind::Hash => {
                let HashSizes { min, max, now } = machine.hash_sizes;
                print(platform, format_args!("option name {name} type spin default {now} min {min} max {max}"));
            }
            Kind::Threads => {
                let most = machine.processors;
                print(platform, format_args!("option name {name} type spin default 1 min 1 max {most}"));
            }
            Kind::Overhead(max) => {
                let now = options.move_overhead;
                print(platform, format_args!("option name {name} type spin default {now} min 0 max {max}"));
            }
            Kind::Spin(default, min, max) => {
                print(platform, format_args!("option name {name} type spin default {default} min {min} max {max}"));
            }
            Kind::Check(default) => print(platform, format_args!("option name {name} type check default {default}")),
            Kind::Combo(words) => {
                let default = words.first().copied().unwrap_or_default();
                print(platform, format_args!("option name {name} type combo default {default}{}", Choices(words)));
            }
            Kind::Text => print(platform, format_args!("option name {name} type string default <empty>")),
            Kind::Button => print(platform, format_args!("option name {name} type button")),
        }
    }
    print(platform, format_args!("uciok"));
}

/// The words of a combo.
struct Choices(&'static [&'static str]);

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|word| write!(f, " var {word}"))
    }
}

/// Moves of a line, blank before each.
struct Moves<'a>(&'a [Move], bool);

impl fmt::Display for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|mv| write!(f, " {}", mv.long_algebraic(self.1)))
    }
}

/// A score as UCI writes it.
struct Score(i32);

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match mate_in_moves(self.0) {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

/// Writes what an iteration has found.
pub(super) fn report(platform: &mut impl Platform, report: &Report<'_>, options: &Options) {
    let bound = match report.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let Report { depth, selective_depth, line, score, nodes, micros, permille_full, pv, .. } = *report;
    // Limited strength looks for more lines than anyone asked for.
    if line > options.multi_pv as usize {
        return;
    }
    let mut out = Line(platform);
    let _ = write!(out, "info depth {depth} seldepth {selective_depth} multipv {line} score {}{bound}", Score(score));
    if options.show_wdl {
        let (win, draw, loss) = wdl::chances(score);
        let _ = write!(out, " wdl {win} {draw} {loss}");
    }
    let speed = per_second(nodes, micros);
    let _ = write!(out, " nodes {nodes} nps {speed} hashfull {permille_full} time {}", micros / 1_000);
    if !pv.is_empty() {
        let _ = write!(out, " pv{}", Moves(pv, options.chess960));
    }
    out.0.write(b"\n");
}

/// Writes what the policy net likes best, and as many more as are asked for.
pub(super) fn preferences(platform: &mut impl Platform, preferences: &[Preference], options: &Options) {
    for (number, Preference { mv, chance }) in (1..=options.multi_pv).zip(preferences) {
        let mv = mv.long_algebraic(options.chess960);
        print(platform, format_args!("info string policy: {mv} {}.{:02} %", chance / 100, chance % 100));
        print(platform, format_args!("info depth 1 multipv {number} nodes 1 pv {mv}"));
    }
}

/// Writes the move that was chosen.
pub(super) fn best_move(platform: &mut impl Platform, mv: Move, ponder: Option<Move>, options: &Options) {
    let best = mv.long_algebraic(options.chess960);
    match ponder {
        Some(ponder) => {
            print(platform, format_args!("bestmove {best} ponder {}", ponder.long_algebraic(options.chess960)));
        }
        None => print(platform, format_args!("bestmove {best}")),
    }
}

/// Writes what a finished search without an iteration knows: the search was stopped at once, or had nothing to search.
pub(super) fn no_move(platform: &mut impl Platform, board: &Board) {
    let score = if board.in_check() { "mate 0" } else { "cp 0" };
    print(platform, format_args!("info depth 0 score {score}"));
    print(platform, format_args!("bestmove (none)"));
}

/// Tells in words what a finished search has found, in debug mode.
pub(super) fn summary(platform: &mut impl Platform, best: &Best, micros: u64) {
    print(platform, format_args!("info string {} nodes in {micros} microseconds, {} plies", best.nodes, best.depth));
}

/// Draws the position.
pub(super) fn display(platform: &mut impl Platform, game: &Game) {
    let board = game.board();
    for rank in (0..8).rev().map(Rank::new) {
        let mut out = Line(platform);
        let _ = write!(out, " {} ", rank.digit());
        for file in (0..8).map(File::new) {
            let piece = board.piece_on(Square::at(file, rank));
            let _ = write!(out, " {}", piece.map_or('.', |piece| piece.letter()));
        }
        out.0.write(b"\n");
    }
    print(platform, format_args!("    a b c d e f g h"));
    print(platform, format_args!("Fen: {}", board.fen()));
    print(platform, format_args!("Key: {:016x}", board.key()));
    print(platform, format_args!("Checkers:{}", Names(board.checkers())));
    print(platform, format_args!("Legal moves: {}", board.count_legal_moves()));
    if let Some(ending) = game.ending() {
        print(platform, format_args!("Ending: {ending:?}"));
    }
}

/// Names of squares, blank before each.
struct Names(Bitboard);

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.into_iter().try_for_each(|square| write!(f, " {square}"))
    }
}

/// Writes the static evaluation.
pub(super) fn evaluation(
    platform: &mut impl Platform,
    board: &Board,
    options: &Options,
    network: Option<&ValueNet<'_>>,
) {
    let (by, ours) = match (network, options.evaluation()) {
        (Some(_), _) => ("Evaluation by the network", evaluate(board, network)),
        (None, Evaluation::Simplified) => ("Simplified evaluation", options.tables().evaluate(board)),
        (None, _) => ("Classical evaluation", options.tables().evaluate(board)),
    };
    let white = if board.side_to_move() == Colour::White { ours } else { -ours };
    print(platform, format_args!("{by}: {white} centipawns for White, {ours} for the side to move"));
}

/// Says what judges positions, unless the options say otherwise.
pub fn evaluator(platform: &mut impl Platform, network: &Result<Option<ValueNet<'_>>, BlobError>) {
    judge(platform, Evaluation::Network, network);
}

/// Says what judges positions.
pub(super) fn judge(
    platform: &mut impl Platform,
    evaluation: Evaluation,
    network: &Result<Option<ValueNet<'_>>, BlobError>,
) {
    match evaluation {
        Evaluation::Network => {}
        Evaluation::Classical => return print(platform, format_args!("info string the classical evaluation plays")),
        Evaluation::Simplified => return print(platform, format_args!("info string the simplified evaluation plays")),
    }
    match network {
        Ok(Some(network)) => {
            let (name, width) = (network.name().escape_debug(), network.shape().width);
            print(platform, format_args!("info string network '{name}', {width} wide"));
        }
        Ok(None) => print(platform, format_args!("info string no network: the classical evaluation plays")),
        Err(problem) => print(platform, format_args!("info string the classical evaluation plays: {problem}")),
    }
}

/// Says what chooses moves without a search, if there is something that can.
pub(super) fn policy(platform: &mut impl Platform, policy: &Result<Option<PolicyNet<'_>>, BlobError>) {
    match policy {
        Ok(Some(policy)) => {
            print(platform, format_args!("info string policy net '{}'", policy.name().escape_debug()));
        }
        Ok(None) => {}
        Err(problem) => print(platform, format_args!("info string no policy net: {problem}")),
    }
}

/// Lists the commands.
pub(super) fn help(platform: &mut impl Platform) {
    print(
        platform,
        format_args!(
            "{NAME}, a chess engine that speaks UCI. Commands:
  uci                          the engine's name and options, then uciok
  isready                      readyok
  ucinewgame                   forget the last game
  setoption name N value V     set an option
  position startpos [moves M ...]
  position fen F [moves M ...] set the position, e.g. position startpos moves e2e4 e7e5
  go [depth N] [nodes N] [movetime MS] [wtime MS btime MS winc MS binc MS movestogo N]
     [mate N] [infinite] [ponder] [searchmoves M ...]
                               search, then bestmove
  go perft N, perft N          count the lines of N plies
  stop, ponderhit              end a search; the expected move was played
  debug on|off                 say more, or no more
  d                            draw the position
  eval                         the static evaluation
  bench [N]                    search fixed positions to depth N; the nodes are the engine's signature
  quit                         leave"
        ),
    );
}
