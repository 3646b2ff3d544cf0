//! Knightlight's core as a teacher, without a process between.

use std::time::Instant;

use engine_core::{
    chess::{Board, Game},
    net::ValueNet,
    search::{Cluster, Knowledge, Limits as CoreLimits, Observer, Order, Report, Searcher, Table, mate_in_moves},
};
use shakmaty::{EnPassantMode, fen::Fen};

use super::teacher::{Choice, Lesson, View};
use crate::{
    engine::{
        fault::{Failure, Fault},
        info::Score,
        limits::Limits,
        uci::parse_move,
    },
    line::Line,
    stop::Stop,
};

/// A search by nodes ends with the iteration in which it has reached its number; but after so many times the number it
/// ends at once.
const NODE_SLACK: u64 = 10;
/// No search by nodes is cut off before so many: the first iteration always ends.
const LEAST_HARD_NODES: u64 = 100_000;

/// The core with its memory.
#[derive(Debug)]
pub struct InProcess {
    searcher: Searcher,
    clusters: Vec<Cluster>,
    generation: u8,
    limits: Limits,
    choices: usize,
    forget: bool,
    stop: Stop,
    network: Option<Box<ValueNet<'static>>>,
    /// The game so far, as the core knows it, and its half-moves.
    game: Option<(Game, usize)>,
}

impl InProcess {
    /// A player that knows nothing yet.
    pub fn new(lesson: &Lesson, network: Option<Box<ValueNet<'static>>>, stop: &Stop) -> InProcess {
        let clusters = lesson.hash * 1024 * 1024 / size_of::<Cluster>();
        InProcess {
            searcher: Searcher::new(),
            clusters: vec![Cluster::new(); clusters],
            generation: 0,
            limits: lesson.limits.clone(),
            choices: lesson.choices,
            forget: lesson.forget,
            stop: stop.clone(),
            network,
            game: None,
        }
    }

    /// Name and version.
    pub fn name(&self) -> String {
        let judge = self.network.as_deref().map_or("classical", ValueNet::name);
        format!("Knightlight {} ({judge})", env!("CARGO_PKG_VERSION"))
    }

    /// Another game begins.
    pub fn new_game(&mut self) {
        self.game = None;
        if self.forget {
            self.searcher.forget();
            Table::new(&self.clusters, 0).clear();
            self.generation = 0;
        }
    }

    /// Looks at the present position.
    pub fn look(&mut self, line: &Line) -> Result<View, Failure> {
        let game = self.follow(line)?;
        let limits = CoreLimits {
            depth: self.limits.depth,
            nodes: self.limits.nodes.map(|nodes| nodes.saturating_mul(NODE_SLACK).max(LEAST_HARD_NODES)),
            movetime: self.limits.movetime.map(|time| time.as_millis().try_into().unwrap_or(u64::MAX)),
            multi_pv: self.choices,
            ..CoreLimits::default()
        };
        let mut watcher = Watcher {
            start: Instant::now(),
            soft_nodes: self.limits.nodes.unwrap_or(u64::MAX),
            enough: false,
            stop: &self.stop,
            found: vec![None; self.choices],
            depth: 0,
        };
        self.generation = self.generation.wrapping_add(1);
        let table = Table::new(&self.clusters, self.generation);
        let knowledge = Knowledge { network: self.network.as_deref(), ..Knowledge::default() };
        self.searcher.think(&game, &limits, table, knowledge, &mut watcher);
        if self.stop.is_raised() {
            return Err(Failure::Interrupted);
        }
        let mut choices: Vec<Choice> = Vec::with_capacity(self.choices);
        for (mv, score) in watcher.found.iter().flatten() {
            let mv = parse_move(mv, line)?;
            // When a search ends within an iteration, a move may be among the lines of this one and of the last.
            if choices.iter().all(|choice| choice.mv != mv) {
                choices.push(Choice { mv, score: *score });
            }
        }
        if choices.is_empty() {
            // The time was too short for even the first iteration.
            return Err(Fault::Unscored.into());
        }
        Ok(View { choices, depth: watcher.depth })
    }

    /// Brings the core's game up to the line's.
    fn follow(&mut self, line: &Line) -> Result<Game, Failure> {
        let refused = |what: String| Failure::from(Fault::Refusal(what));
        let (mut game, known) = match self.game.take() {
            Some(game) => game,
            None => {
                let fen = Fen::from_position(line.start(), EnPassantMode::Legal).to_string();
                let board = Board::from_fen(&fen).map_err(|error| refused(format!("{fen}: {error}")))?;
                (Game::new(board), 0)
            }
        };
        for ply in &line.plies()[known..] {
            let mv = game.board().parse_move(ply.uci.as_bytes());
            game.play(mv.map_err(|error| refused(format!("{}: {error}", ply.uci)))?);
        }
        self.game = Some((game.clone(), line.plies().len()));
        Ok(game)
    }
}

/// Keeps the best lines of a search, and ends it.
struct Watcher<'a> {
    start: Instant,
    soft_nodes: u64,
    enough: bool,
    stop: &'a Stop,
    /// By line: the move and what it is worth.
    found: Vec<Option<(String, Score)>>,
    depth: u32,
}

impl Observer for Watcher<'_> {
    fn micros(&mut self) -> u64 {
        self.start.elapsed().as_micros().try_into().unwrap_or(u64::MAX)
    }

    fn order(&mut self) -> Order {
        if self.enough || self.stop.is_raised() { Order::Stop } else { Order::Continue }
    }

    fn report(&mut self, report: &Report<'_>) {
        let slot = self.found.get_mut(report.line - 1);
        if let (Some(slot), Some(mv)) = (slot, report.pv.first()) {
            let score = mate_in_moves(report.score).map_or(Score::Centipawns(report.score), Score::Mate);
            *slot = Some((mv.long_algebraic(false).to_string(), score));
            self.depth = report.depth;
        }
        self.enough |= report.nodes >= self.soft_nodes;
    }
}
