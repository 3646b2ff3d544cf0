//! A conversation with a chess program: the position, the options, and what each command does.

use crate::bench;
use crate::book::Book;
use crate::chess::{Board, Game, Move, MoveList, perft_until};
use crate::net::{MoveOrder, PolicyNet, ValueNet};
use crate::platform::{Platform, Received};
use crate::random;
use crate::search::{Best, Crew, Knowledge, Limits, Observer, Order, Ordering, Searcher, Table};

use super::lookahead::Lookahead;
use super::options::{self, Evaluation, HashSizes, Id, Kind, Machine, Mode, OneOf, Options};
use super::parser::{Command, Parser};
use super::replies::{self, print};
use super::resources::{Processors, Resources, say};
use super::strength;
use super::watch::{End, Outcome, Talk, Watch};

/// A session: everything but the line it runs on.
#[derive(Debug)]
pub struct Session<R> {
    talk: Talk,
    game: Game,
    searcher: Searcher,
    resources: R,
    /// The machine's network, if it has one that can be used.
    network: Option<ValueNet<'static>>,
    /// A learnt order of moves, if one was loaded.
    move_order: Option<MoveOrder<'static>>,
    /// Counts searches, so that the hash table knows its old entries.
    generation: u8,
    /// The state of the generator that chooses book moves.
    random: u64,
}

/// Under a fuzzer, whatever the command, a search ends soon.
const FUZZING_NODES: u64 = 500;

// What is never inlined here has its stack to itself, and gives it back: inlined, it would be part of the frame that lies
// below every search.
impl<R: Resources> Session<R> {
    /// A session at the start position, with default options.
    #[inline(never)]
    #[must_use]
    pub fn new(resources: R) -> Self {
        let options = Options::new(resources.move_overhead());
        let network = resources.network().ok().flatten();
        let move_order = resources.move_order();
        Self {
            talk: Talk { parser: Parser::new(), ahead: Lookahead::default(), options, debug: false },
            game: Game::new(Board::start()),
            searcher: Searcher::new(),
            resources,
            network,
            move_order,
            generation: 0,
            random: 0,
        }
    }

    /// Talks on a platform's line until `quit` comes or the line is closed.
    pub fn run(&mut self, platform: &mut impl Platform) {
        loop {
            let received = self.talk.ahead.take().map_or_else(|| platform.read(), Received::Byte);
            let quit = match received {
                Received::Byte(byte) => self.take(byte, platform),
                Received::Nothing => {
                    platform.idle();
                    false
                }
                Received::Closed => {
                    // The last line may lack its newline, and a command that it holds still counts.
                    self.take(b'\n', platform);
                    true
                }
            };
            if quit {
                return;
            }
        }
    }

    /// Takes a byte, and does what it completes. Says whether to leave.
    fn take(&mut self, byte: u8, platform: &mut impl Platform) -> bool {
        let mut next = self.talk.parser.feed(byte, self.game.board());
        while let Some(command) = next {
            if let Some(complaint) = self.talk.parser.take_complaint() {
                print(platform, format_args!("info string {complaint}"));
            }
            let outcome = self.act(command, platform);
            if outcome.quit {
                return true;
            }
            next = outcome.waiting;
        }
        false
    }

    fn act(&mut self, command: Command, platform: &mut impl Platform) -> Outcome {
        match command {
            Command::Uci => {
                replies::identify(platform, self.machine(), &self.talk.options);
                replies::judge(platform, self.talk.options.evaluation(), &self.resources.network());
                replies::policy(platform, &self.resources.policy());
            }
            Command::Debug(on) => self.talk.debug = on,
            Command::IsReady => print(platform, format_args!("readyok")),
            Command::SetOption => self.set_option(platform),
            Command::NewGame => {
                self.searcher.forget();
                self.clear_hash();
                self.game = Game::new(Board::start());
            }
            Command::Position => self.game = self.talk.parser.candidate().clone(),
            Command::Go => return self.go(platform),
            Command::Perft(depth) => return self.perft(depth, platform),
            // Nothing is being searched, and what was wrong has been said.
            Command::Stop | Command::PonderHit | Command::Refused => {}
            Command::Quit => return Outcome { quit: true, ..Outcome::default() },
            Command::Display => replies::display(platform, &self.game),
            Command::Eval => {
                replies::evaluation(platform, self.game.board(), &self.talk.options, self.judge());
            }
            Command::Bench(depth) => return self.bench(depth.unwrap_or(bench::DEFAULT_DEPTH), platform),
            Command::Help => replies::help(platform),
        }
        Outcome::default()
    }

    /// The network, if it is to be used.
    const fn judge(&self) -> Option<&ValueNet<'static>> {
        if self.talk.options.judges_by_network() { self.network.as_ref() } else { None }
    }

    /// The policy net, if it is to play. Complains if it should and cannot.
    fn policy_to_play(&self, platform: &mut impl Platform) -> Option<PolicyNet<'static>> {
        if self.talk.options.mode == Mode::Search {
            return None;
        }
        match self.resources.policy() {
            Ok(Some(policy)) => return Some(policy),
            Ok(None) => print(platform, format_args!("info string Mode Policy: no policy net, so the search plays")),
            Err(problem) => print(platform, format_args!("info string Mode Policy: the search plays: {problem}")),
        }
        None
    }

    fn machine(&self) -> Machine {
        Machine { hash_sizes: self.resources.hash_sizes(), processors: self.resources.processors().count() as u32 }
    }

    fn clear_hash(&self) {
        Table::new(self.resources.clusters(), 0).clear();
    }

    fn go(&mut self, platform: &mut impl Platform) -> Outcome {
        let limits = self.limits(platform.micros());
        let end = End::of(&limits);
        if end != End::Commanded
            && let Some(mv) = self.book_move(&limits, platform.micros())
        {
            print(platform, format_args!("info string book move"));
            replies::best_move(platform, mv, None, &self.talk.options);
            return Outcome::default();
        }

        let policy = self.policy_to_play(platform);
        self.generation = self.generation.wrapping_add(1);
        platform.thinking(true);
        let start = platform.micros();
        let machine = self.machine();
        let crew = Crew::new();
        let Self { resources, searcher, game, talk, .. } = self;
        let options = talk.options;
        let table = Table::new(resources.clusters(), self.generation);
        let knowledge = knowledge(&options, self.network.as_ref(), self.move_order.as_ref());
        let mut watch = Watch {
            end_after_hit: End::of(&Limits { ponder: false, ..limits.clone() }),
            ..watch(platform, talk, game.board(), machine, &crew, end)
        };
        let best = match policy {
            Some(policy) => choose(&policy, game, &limits, &mut watch),
            None => resources.processors().alongside(
                options.helpers(),
                |number| {
                    let mut searcher = Searcher::new();
                    searcher.set_tables(options.tables());
                    searcher.help(game, &limits, table, knowledge, &crew, number);
                },
                || {
                    let best = searcher.think(game, &limits, table, knowledge, &mut watch);
                    crew.end();
                    best
                },
            ),
        };
        while watch.end == End::Commanded && !watch.outcome.stop {
            watch.listen();
            if watch.end == End::Commanded && !watch.outcome.stop {
                watch.platform.idle();
            }
        }
        let outcome = watch.outcome;
        platform.thinking(false);
        self.conclude(best, start, platform);
        outcome
    }

    #[inline(never)]
    fn conclude(&self, best: Option<Best>, start: u64, platform: &mut impl Platform) {
        match best {
            Some(best) => {
                if self.talk.debug {
                    let micros = platform.micros().saturating_sub(start);
                    replies::summary(platform, &best, micros);
                }
                replies::best_move(platform, best.mv, best.ponder, &self.talk.options);
            }
            None => replies::no_move(platform, self.game.board()),
        }
    }

    /// The limits of `go` with what the options add. The time is what differs from game to game.
    fn limits(&mut self, now: u64) -> Limits {
        let mut limits = self.talk.parser.limits().clone();
        limits.multi_pv = self.talk.options.multi_pv as usize;
        limits.full_width = !self.talk.options.selective;
        limits.overhead = u64::from(self.talk.options.move_overhead);
        if self.talk.options.limit_strength {
            self.random = self.random.wrapping_add(now);
            let seed = random::next(&mut self.random);
            strength::limit(&mut limits, self.talk.options.elo, seed);
        }
        if cfg!(fuzzing) {
            limits.lower_nodes(FUZZING_NODES);
        }
        limits
    }

    /// A move of the book, if it may be played and the book knows one that `go` allows.
    #[inline(never)]
    fn book_move(&mut self, limits: &Limits, now: u64) -> Option<Move> {
        let options = &self.talk.options;
        let board = self.game.board();
        // A book knows no history: where the game has come round again, it would only go round once more.
        if !options.own_book || self.game.history().repetitions(board).next().is_some() {
            return None;
        }
        let book = Book::new(self.resources.book());
        let mv = match (options.best_book_move, options.book_seed) {
            (true, _) => book.best(board),
            (false, 0) => {
                // The time is what differs from game to game.
                self.random = self.random.wrapping_add(now);
                book.pick(board, (random::next(&mut self.random) >> 32) as u32)
            }
            (false, seed) => {
                book.pick(board, (random::next(&mut (board.key() ^ u64::from(seed).rotate_left(32))) >> 32) as u32)
            }
        }?;
        (limits.search_moves.is_empty() || limits.search_moves.contains(&mv)).then_some(mv)
    }

    /// Counts the lines below each move.
    #[inline(never)]
    fn perft(&mut self, depth: u32, platform: &mut impl Platform) -> Outcome {
        let machine = self.machine();
        let crew = Crew::new();
        let board = *self.game.board();
        let chess960 = self.talk.options.chess960;
        let start = platform.micros();
        let mut watch = watch(platform, &mut self.talk, &board, machine, &crew, End::Foreseeable);
        let mut leaves = u64::from(depth == 0);
        for mv in board.legal_moves() {
            let Some(deeper) = depth.checked_sub(1) else { break };
            let below = perft_until(&board.after(mv), deeper, &mut || watch.order() == Order::Stop);
            let Some(below) = below else { break };
            leaves += below;
            print(watch.platform, format_args!("{}: {below}", mv.long_algebraic(chess960)));
        }
        let outcome = watch.outcome;
        let speed = bench::per_second(leaves, platform.micros().saturating_sub(start));
        print(platform, format_args!("Nodes searched: {leaves} ({speed} a second)"));
        outcome
    }

    /// Searches the fixed positions.
    #[inline(never)]
    fn bench(&mut self, depth: u32, platform: &mut impl Platform) -> Outcome {
        let depth = if cfg!(fuzzing) { 1 } else { depth };
        let machine = self.machine();
        let crew = Crew::new();
        replies::judge(platform, self.talk.options.evaluation(), &self.resources.network());
        platform.thinking(true);
        let knowledge = knowledge(&self.talk.options, self.network.as_ref(), self.move_order.as_ref());
        let mut watch = Watch {
            tells: false,
            ..watch(platform, &mut self.talk, self.game.board(), machine, &crew, End::Foreseeable)
        };
        let clusters = self.resources.clusters();
        let tally = bench::run(&mut self.searcher, clusters, depth, knowledge, &mut watch, |watch, fen, nodes| {
            print(watch.platform, format_args!("{nodes:>10} {fen}"));
        });
        let outcome = watch.outcome;
        platform.thinking(false);
        print(platform, format_args!("{} nodes {} nps", tally.nodes, tally.nodes_per_second()));
        outcome
    }

    #[inline(never)]
    fn set_option(&mut self, platform: &mut impl Platform) {
        let (name, value) = self.talk.parser.option();
        let Some((id, name, kind)) = options::find(name) else {
            let name = name.escape_debug();
            return print(platform, format_args!("info string setoption: there is no option '{name}'"));
        };
        let shown = value.escape_debug();
        match kind {
            Kind::Button => self.clear_hash(),
            Kind::Check(_) => match options::read_check(value) {
                Some(on) => {
                    self.set_check(id, on);
                    match id {
                        Id::LimitStrength => self.change_evaluation(),
                        // The table remembers what the other search found.
                        Id::Selective => self.clear_hash(),
                        _ => {}
                    }
                }
                None => print(platform, format_args!("info string {name}: 'true' or 'false' wanted, not '{shown}'")),
            },
            Kind::Combo(words) => match options::read_combo(words, value) {
                Some(choice) => self.set_combo(id, choice),
                None => print(platform, format_args!("info string {name}: {} wanted, not '{shown}'", OneOf(words))),
            },
            Kind::Hash => {
                let HashSizes { min, max, .. } = self.resources.hash_sizes();
                self.set_number(id, name, min, max, platform);
            }
            Kind::Threads => self.set_number(id, name, 1, self.resources.processors().count() as u32, platform),
            Kind::Spin(_, min, max) => self.set_number(id, name, min, max, platform),
            Kind::Overhead(max) => self.set_number(id, name, 0, max, platform),
            Kind::Text => self.load(id, name, platform),
        }
    }

    const fn set_check(&mut self, id: Id, on: bool) {
        match id {
            Id::OwnBook => self.talk.options.own_book = on,
            Id::BestBookMove => self.talk.options.best_book_move = on,
            Id::Selective => self.talk.options.selective = on,
            Id::Chess960 => self.talk.options.chess960 = on,
            Id::ShowWdl => self.talk.options.show_wdl = on,
            Id::LimitStrength => self.talk.options.limit_strength = on,
            // Pondering is the chess program's affair; the option only says that it may happen.
            _ => {}
        }
    }

    /// Sets a combo to the word of this number.
    fn set_combo(&mut self, id: Id, choice: usize) {
        match id {
            Id::Evaluation => {
                if let Some(&evaluation) = Evaluation::ALL.get(choice) {
                    self.talk.options.evaluation = evaluation;
                    self.change_evaluation();
                }
            }
            Id::Mode => {
                if let Some(&mode) = Mode::ALL.get(choice) {
                    self.talk.options.mode = mode;
                }
            }
            Id::MoveOrder => {
                if let Some(&place) = options::PLACES.get(choice) {
                    self.talk.options.move_order = place;
                }
            }
            _ => {}
        }
    }

    /// Judges by what the options say.
    fn change_evaluation(&mut self) {
        self.searcher.set_tables(self.talk.options.tables());
        // The table remembers what the other evaluation said.
        self.clear_hash();
    }

    fn set_number(&mut self, id: Id, name: &str, min: u32, max: u32, platform: &mut impl Platform) {
        let (_, value) = self.talk.parser.option();
        let Some(number) = value.parse().ok().filter(|number| (min..=max).contains(number)) else {
            let shown = value.escape_debug();
            return print(
                platform,
                format_args!("info string {name}: a number from {min} to {max} wanted, not '{shown}'"),
            );
        };
        match id {
            Id::Hash => {
                if number != self.resources.hash_sizes().now
                    && let Err(problem) = self.resources.resize_hash(number)
                {
                    print(platform, format_args!("info string Hash: {problem}"));
                }
            }
            Id::Threads => self.talk.options.threads = number,
            Id::BookSeed => self.talk.options.book_seed = number,
            Id::MultiPv => self.talk.options.multi_pv = number,
            Id::Elo => {
                self.talk.options.elo = number;
                self.change_evaluation();
            }
            Id::MoveOverhead => self.talk.options.move_overhead = number,
            Id::MoveOrderDepth => self.talk.options.move_order_depth = number,
            _ => {}
        }
    }

    /// Loads the file that a text option names.
    fn load(&mut self, id: Id, name: &str, platform: &mut impl Platform) {
        let (_, value) = self.talk.parser.option();
        let path = if value == "<empty>" { "" } else { value };
        let loaded = match id {
            Id::BookFile => self.resources.load_book(path),
            Id::PolicyFile => self.resources.load_policy(path),
            Id::MoveOrderFile => self.resources.load_move_order(path),
            _ => self.resources.load_network(path),
        };
        let changed = matches!(loaded, Some(Ok(())));
        let message = match loaded {
            Some(Ok(())) if path.is_empty() => say(format_args!("none; the built-in one, if any, is used")),
            Some(Ok(())) => say(format_args!("loaded '{}'", path.escape_debug())),
            Some(Err(problem)) => problem,
            None => say(format_args!("this machine has no files")),
        };
        print(platform, format_args!("info string {name}: {message}"));
        match id {
            Id::EvalFile if changed => self.change_network(),
            Id::MoveOrderFile if changed => self.move_order = self.resources.move_order(),
            _ => {}
        }
    }

    /// Judges by the network that has been loaded.
    fn change_network(&mut self) {
        self.network = self.resources.network().ok().flatten();
        // The table remembers what the last one said.
        self.clear_hash();
    }
}

/// The move that a policy net likes best, of those that the limits allow; tells of it, and of as many as asked for.
#[inline(never)]
fn choose<P: Platform>(policy: &PolicyNet<'_>, game: &Game, limits: &Limits, watch: &mut Watch<'_, P>) -> Option<Best> {
    let allowed = |mv: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(mv);
    let moves: MoveList = game.board().legal_moves().into_iter().filter(allowed).collect();
    let preferences = policy.preferences(game, &moves);
    replies::preferences(watch.platform, &preferences, &watch.talk.options);
    preferences.first().map(|best| Best { mv: best.mv, ponder: None, score: 0, depth: 1, nodes: 1 })
}

/// What the options have the search judge and order by.
fn knowledge<'a>(
    options: &Options,
    network: Option<&'a ValueNet<'static>>,
    move_order: Option<&'a MoveOrder<'static>>,
) -> Knowledge<'a> {
    Knowledge {
        network: network.filter(|_| options.judges_by_network()),
        ordering: Ordering {
            model: move_order,
            place: options.move_order,
            least_depth: options.move_order_depth as i32,
            ..Ordering::default()
        },
    }
}

/// A watch over a piece of work that tells what it finds.
fn watch<'a, P: Platform>(
    platform: &'a mut P,
    talk: &'a mut Talk,
    board: &'a Board,
    machine: Machine,
    crew: &'a Crew,
    end: End,
) -> Watch<'a, P> {
    Watch {
        platform,
        talk,
        board,
        machine,
        crew,
        end,
        end_after_hit: end,
        tells: true,
        ponder_hit: false,
        outcome: Outcome::default(),
    }
}
