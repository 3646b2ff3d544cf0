//! A chess computer with a board that feels its pieces, and no UCI: which squares to light when a piece is lifted, the
//! engine's answer, taking back.
//!
//!     cargo run --release -p engine-core --example chess_computer

use engine_core::chess::{Board, Ending, File, Game, Move, MoveKind, Role, Square};
use engine_core::net::ValueNet;
use engine_core::nets;
use engine_core::search::{Blind, Cluster, Knowledge, Limits, Searcher, Table};

/// How many half-moves of a game are remembered, two bytes each.
const LONGEST: usize = 1_024;

/// What lies on the table: the game, and what the engine thinks with.
struct ChessComputer<'a> {
    game: Game,
    moves: heapless::Vec<Move, LONGEST>,
    searcher: Searcher,
    memory: &'a [Cluster],
    network: ValueNet<'a>,
}

impl<'a> ChessComputer<'a> {
    fn new(memory: &'a [Cluster], network: ValueNet<'a>) -> Self {
        let game = Game::new(Board::start());
        Self { game, moves: heapless::Vec::new(), searcher: Searcher::new(), memory, network }
    }

    /// A piece is lifted: the squares it may go to. A castling king goes two squares, as people move it.
    fn lifted(&self, from: Square) -> impl Iterator<Item = Square> {
        self.game.board().legal_moves().into_iter().filter(move |mv| mv.from() == from).map(landing)
    }

    /// It is put down again: the move that this is, played. A pawn on the last rank becomes `promoted`. `None` if no
    /// legal move is like that, and the piece has to go back.
    fn put(&mut self, from: Square, to: Square, promoted: Role) -> Option<Move> {
        let becomes = |mv: &Move| mv.promotes_to().is_none_or(|role| role == promoted);
        let wanted = |mv: &Move| mv.from() == from && landing(*mv) == to && becomes(mv);
        let mv = self.game.board().legal_moves().into_iter().find(wanted)?;
        self.play(mv).then_some(mv)
    }

    /// The engine moves. `None` if the game is over.
    fn answer(&mut self, nodes: u64) -> Option<Move> {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let knowledge = Knowledge { network: Some(&self.network), ..Knowledge::default() };
        let table = Table::new(self.memory, self.moves.len() as u8);
        let best = self.searcher.think(&self.game, &limits, table, knowledge, &mut Blind)?;
        self.play(best.mv).then_some(best.mv)
    }

    /// The last move is taken back.
    fn take_back(&mut self) -> Option<Move> {
        let last = self.moves.pop()?;
        self.game = Game::new(Board::start());
        for &mv in &self.moves {
            self.game.play(mv);
        }
        Some(last)
    }

    fn ending(&self) -> Option<Ending> {
        self.game.ending()
    }

    fn play(&mut self, mv: Move) -> bool {
        let noted = self.moves.push(mv).is_ok();
        if noted {
            self.game.play(mv);
        }
        noted
    }
}

/// Where the piece that is lifted lands. The engine writes castling as the king onto its rook; people move it two squares.
fn landing(mv: Move) -> Square {
    if mv.kind() != MoveKind::Castling {
        return mv.to();
    }
    let file = if mv.to() > mv.from() { 6 } else { 2 };
    Square::at(File::new(file), mv.from().rank())
}

/// A game as the board's sensors would tell it, with what the lights and the display would show.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let memory = vec![Cluster::new(); 8_192];
    let mut computer = ChessComputer::new(&memory, ValueNet::load(nets::DEFAULT)?);
    let square = |name: &str| Square::from_name(name.as_bytes()).ok_or("no square");
    for (from, to) in [("e2", "e4"), ("g1", "f3"), ("e1", "e3"), ("f1", "c4"), ("e1", "g1")] {
        let (from, to) = (square(from)?, square(to)?);
        let lights: Vec<String> = computer.lifted(from).map(|square| square.to_string()).collect();
        println!("{from} is lifted; lights on: {}", lights.join(" "));
        if computer.put(from, to, Role::Queen).is_none() {
            println!("{to}: not legal, put it back");
            continue;
        }
        match computer.answer(2_000) {
            Some(answer) => println!("{from}-{to} is played; I play {}", answer.long_algebraic(false)),
            None => println!("{from}-{to} is played; the game is over: {:?}", computer.ending()),
        }
    }
    let taken: Vec<String> = [computer.take_back(), computer.take_back()]
        .iter()
        .flatten()
        .map(|mv| mv.long_algebraic(false).to_string())
        .collect();
    println!("taken back: {}", taken.join(", "));
    Ok(())
}
