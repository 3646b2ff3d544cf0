//! A conversation with a chess program: the position, the options, and what each command does.

use crate::bench;
use crate::book::Book;
use crate::chess::{Board, Game, Move, perft};
use crate::platform::{Platform, Received};
use crate::search::{Best, Limits, Observer, Searcher, Table};

use super::options::{self, Id, Kind, Options};
use super::parser::{Command, Parser};
use super::replies::{self, print};
use super::resources::{Resources, say};
use super::strength;
use super::watch::{Outcome, Watch};

/// A session: everything but the line it runs on.
#[derive(Debug)]
pub struct Session<R> {
    parser: Parser,
    game: Game,
    options: Options,
    debug: bool,
    searcher: Searcher,
    resources: R,
    /// Counts searches, so that the hash table knows its old entries.
    generation: u8,
    /// The state of the generator that chooses book moves.
    random: u64,
}

/// Under a fuzzer, whatever the command, a search ends soon.
const FUZZING_NODES: u64 = 500;

/// Lowers a limit to `most`.
fn limit(nodes: &mut Option<u64>, most: u64) {
    *nodes = Some(nodes.map_or(most, |nodes| nodes.min(most)));
}

/// Whether the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Go,
    Quit,
}

impl<R: Resources> Session<R> {
    /// A session at the start position, with default options.
    #[must_use]
    pub fn new(resources: R) -> Self {
        Self {
            parser: Parser::new(),
            game: Game::new(Board::start()),
            options: Options::DEFAULT,
            debug: false,
            searcher: Searcher::new(),
            resources,
            generation: 0,
            random: 0,
        }
    }

    /// Talks on a platform's line until `quit` comes or the line is closed.
    pub fn run(&mut self, platform: &mut impl Platform) {
        loop {
            let flow = match platform.read() {
                Received::Byte(byte) => self.take(byte, platform),
                Received::Nothing => {
                    platform.idle();
                    Flow::Go
                }
                Received::Closed => {
                    // The last line may lack its newline, and a command that it holds still counts.
                    self.take(b'\n', platform);
                    Flow::Quit
                }
            };
            if flow == Flow::Quit {
                return;
            }
        }
    }

    /// Runs the bench on a platform's line, as the command `bench` does: for programs that do only that.
    pub fn bench(&mut self, depth: u32, platform: &mut impl Platform) -> bench::Tally {
        struct Timed<'a, P>(&'a mut P);
        impl<P: Platform> Observer for Timed<'_, P> {
            fn micros(&mut self) -> u64 {
                self.0.micros()
            }
        }
        platform.thinking(true);
        let tally = bench::run(
            &mut self.searcher,
            self.resources.clusters(),
            depth,
            &mut Timed(platform),
            |timed, fen, nodes| print(timed.0, format_args!("{nodes:>10} {fen}")),
        );
        platform.thinking(false);
        print(platform, format_args!("{} nodes {} nps", tally.nodes, tally.nodes_per_second()));
        tally
    }

    fn take(&mut self, byte: u8, platform: &mut impl Platform) -> Flow {
        let mut next = self.parser.feed(byte, self.game.board());
        while let Some(command) = next {
            if let Some(complaint) = self.parser.take_complaint() {
                print(platform, format_args!("info string {complaint}"));
            }
            let outcome = self.act(command, platform);
            if outcome.quit {
                return Flow::Quit;
            }
            next = outcome.waiting;
        }
        Flow::Go
    }

    fn act(&mut self, command: Command, platform: &mut impl Platform) -> Outcome {
        match command {
            Command::Uci => replies::identify(platform, self.resources.hash_sizes()),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => print(platform, format_args!("readyok")),
            Command::SetOption => self.set_option(platform),
            Command::NewGame => {
                self.searcher.forget();
                self.clear_hash();
                self.game = Game::new(Board::start());
            }
            Command::Position => self.game = self.parser.candidate().clone(),
            Command::Go => return self.go(platform),
            Command::Perft(depth) => return self.perft(depth, platform),
            // Nothing is being searched, and what was wrong has been said.
            Command::Stop | Command::PonderHit | Command::Refused => {}
            Command::Quit => return Outcome { quit: true, ..Outcome::default() },
            Command::Display => replies::display(platform, &self.game),
            Command::Eval => replies::evaluation(platform, self.game.board()),
            Command::Bench(depth) => {
                let depth = depth.unwrap_or(bench::DEFAULT_DEPTH);
                self.bench(if cfg!(fuzzing) { 1 } else { depth }, platform);
            }
            Command::Help => replies::help(platform),
        }
        Outcome::default()
    }

    fn clear_hash(&mut self) {
        Table::new(self.resources.clusters(), 0).clear();
    }

    fn go(&mut self, platform: &mut impl Platform) -> Outcome {
        let limits = self.limits();
        if limits.is_bounded()
            && let Some(mv) = self.book_move(&limits, platform.micros())
        {
            print(platform, format_args!("info string book move"));
            replies::best_move(platform, mv, None, &self.options);
            return Outcome::default();
        }

        self.generation = self.generation.wrapping_add(1);
        platform.thinking(true);
        let start = platform.micros();
        let hash_sizes = self.resources.hash_sizes();
        let mut table = Table::new(self.resources.clusters(), self.generation);
        let mut watch = Watch {
            platform,
            parser: &mut self.parser,
            options: &self.options,
            debug: &mut self.debug,
            hash_sizes,
            board: self.game.board(),
            endless: !limits.is_bounded(),
            outcome: Outcome::default(),
        };
        let best = self.searcher.think(&self.game, &limits, &mut table, &mut watch);
        // The protocol wants no move before `stop`, or before the opponent has moved.
        while watch.endless && !watch.outcome.stop {
            watch.listen();
            if watch.endless && !watch.outcome.stop {
                watch.platform.idle();
            }
        }
        let outcome = watch.outcome;
        platform.thinking(false);
        self.conclude(best, start, platform);
        outcome
    }

    fn conclude(&self, best: Option<Best>, start: u64, platform: &mut impl Platform) {
        match best {
            Some(best) => {
                if self.debug {
                    let micros = platform.micros().saturating_sub(start);
                    replies::summary(platform, &best, micros);
                }
                replies::best_move(platform, best.mv, best.ponder, &self.options);
            }
            None => replies::no_move(platform, self.game.board()),
        }
    }

    /// The limits of `go` with what the options add.
    fn limits(&self) -> Limits {
        let mut limits = self.parser.limits().clone();
        limits.multi_pv = self.options.multi_pv as usize;
        limits.overhead = u64::from(self.options.move_overhead);
        if self.options.limit_strength {
            limit(&mut limits.nodes, strength::nodes(self.options.elo));
        }
        if cfg!(fuzzing) {
            limit(&mut limits.nodes, FUZZING_NODES);
        }
        limits
    }

    /// A move of the book, if it may be played and the book knows one that `go` allows.
    fn book_move(&mut self, limits: &Limits, now: u64) -> Option<Move> {
        if !self.options.own_book {
            return None;
        }
        // Mixed as splitmix64 does, with the time as what differs from game to game.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(now);
        let mixed = (self.random ^ self.random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mv = Book::new(self.resources.book()).pick(self.game.board(), (mixed >> 32) as u32)?;
        (limits.search_moves.is_empty() || limits.search_moves.contains(&mv)).then_some(mv)
    }

    /// Counts the lines below each move, reading the line in between.
    fn perft(&mut self, depth: u32, platform: &mut impl Platform) -> Outcome {
        let hash_sizes = self.resources.hash_sizes();
        let board = self.game.board();
        let start = platform.micros();
        let mut watch = Watch {
            platform,
            parser: &mut self.parser,
            options: &self.options,
            debug: &mut self.debug,
            hash_sizes,
            board,
            endless: false,
            outcome: Outcome::default(),
        };
        let mut leaves = 0;
        for mv in board.legal_moves() {
            watch.listen();
            if watch.outcome.stop || depth == 0 {
                break;
            }
            let below = perft(&board.after(mv), depth - 1);
            leaves += below;
            print(watch.platform, format_args!("{}: {below}", mv.long_algebraic(self.options.chess960)));
        }
        let outcome = watch.outcome;
        let leaves = if depth == 0 { 1 } else { leaves };
        let micros = platform.micros().saturating_sub(start);
        let speed = (leaves * 1_000_000).checked_div(micros).unwrap_or(0);
        print(platform, format_args!("Nodes searched: {leaves} ({speed} a second)"));
        outcome
    }

    fn set_option(&mut self, platform: &mut impl Platform) {
        let (name, value) = self.parser.option();
        let Some((id, name, kind)) = options::find(name) else {
            let name = name.escape_debug();
            return print(platform, format_args!("info string setoption: there is no option '{name}'"));
        };
        let shown = value.escape_debug();
        match kind {
            Kind::Button => self.clear_hash(),
            Kind::Check(_) => match options::read_check(value) {
                Some(on) => self.set_check(id, on),
                None => print(platform, format_args!("info string {name}: 'true' or 'false' wanted, not '{shown}'")),
            },
            Kind::Hash | Kind::Spin(..) => {
                let (min, max) = match kind {
                    Kind::Spin(_, min, max) => (min, max),
                    _ => (self.resources.hash_sizes().0, self.resources.hash_sizes().1),
                };
                match value.parse() {
                    Ok(number) if (min..=max).contains(&number) => self.set_spin(id, number, platform),
                    _ => print(
                        platform,
                        format_args!("info string {name}: a number from {min} to {max} wanted, not '{shown}'"),
                    ),
                }
            }
            Kind::Text => self.load(id, name, platform),
        }
    }

    const fn set_check(&mut self, id: Id, on: bool) {
        match id {
            Id::OwnBook => self.options.own_book = on,
            Id::Chess960 => self.options.chess960 = on,
            Id::ShowWdl => self.options.show_wdl = on,
            Id::LimitStrength => self.options.limit_strength = on,
            // Pondering is the chess program's affair; the option only says that it may happen.
            _ => {}
        }
    }

    fn set_spin(&mut self, id: Id, number: u32, platform: &mut impl Platform) {
        match id {
            Id::Hash => {
                if number != self.resources.hash_sizes().2
                    && let Err(problem) = self.resources.resize_hash(number)
                {
                    print(platform, format_args!("info string Hash: {problem}"));
                }
            }
            Id::MultiPv => self.options.multi_pv = number,
            Id::Elo => self.options.elo = number,
            Id::MoveOverhead => self.options.move_overhead = number,
            _ => {}
        }
    }

    /// Loads the file that a text option names.
    fn load(&mut self, id: Id, name: &str, platform: &mut impl Platform) {
        let (_, value) = self.parser.option();
        let path = if value == "<empty>" { "" } else { value };
        let loaded = match id {
            Id::BookFile => self.resources.load_book(path),
            _ => self.resources.load_network(path),
        };
        let message = match loaded {
            Some(Ok(())) if path.is_empty() => say(format_args!("none")),
            Some(Ok(())) => say(format_args!("loaded '{}'", path.escape_debug())),
            Some(Err(problem)) => problem,
            None => say(format_args!("this machine has no files")),
        };
        print(platform, format_args!("info string {name}: {message}"));
    }
}
