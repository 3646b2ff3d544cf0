//! From words to commands, a word at a time.

use core::fmt;

use crate::chess::{Board, Game};
use crate::search::{Limits, Remaining};

use super::resources::{Message, say};
use super::tokens::{Cut, Tokens};

/// The longest FEN, with room for numbers nobody reaches.
const LONGEST_FEN: usize = 128;
/// The deepest perft: a count that no machine reaches, and a recursion that every stack holds.
const DEEPEST_PERFT: u32 = if cfg!(fuzzing) { 2 } else { 20 };
/// The longest option name and value (a path).
const LONGEST_NAME: usize = 32;
const LONGEST_VALUE: usize = 256;

/// A command, complete with its line's end. What belongs to it lies in the [`Parser`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Uci,
    Debug(bool),
    IsReady,
    SetOption,
    NewGame,
    /// The parser's candidate game is to be played on.
    Position,
    /// The parser's limits are those of a search.
    Go,
    Perft(u32),
    Stop,
    PonderHit,
    Quit,
    Display,
    Eval,
    Bench(Option<u32>),
    Help,
    /// The line was wrong, and the parser's complaint says why; it has no effect.
    Refused,
}

impl Command {
    /// Whether it is for a search that is going on, or concerns no search at all.
    pub(super) const fn is_for_a_search(self) -> bool {
        matches!(
            self,
            Self::Uci | Self::Debug(_) | Self::IsReady | Self::Stop | Self::PonderHit | Self::Quit | Self::Refused
        )
    }
}

/// What the words of a line are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No command has been recognised yet.
    Start,
    /// The rest of the line means nothing.
    Done(Command),
    Debug,
    /// `startpos` or `fen` comes next.
    Position,
    Fen,
    /// `moves` comes next.
    Placed,
    Moves,
    /// A word of `go` comes next.
    Go,
    /// The number of a word of `go` comes next.
    GoNumber(GoWord),
    SearchMoves,
    SetOption,
    OptionName,
    OptionValue,
    /// A number comes next.
    Perft,
    Bench,
}

/// The words of `go` that take a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GoWord {
    WhiteTime,
    BlackTime,
    WhiteIncrement,
    BlackIncrement,
    MovesToGo,
    Depth,
    Nodes,
    Mate,
    MoveTime,
    Perft,
}

impl GoWord {
    const ALL: [(Self, &'static str); 10] = [
        (Self::WhiteTime, "wtime"),
        (Self::BlackTime, "btime"),
        (Self::WhiteIncrement, "winc"),
        (Self::BlackIncrement, "binc"),
        (Self::MovesToGo, "movestogo"),
        (Self::Depth, "depth"),
        (Self::Nodes, "nodes"),
        (Self::Mate, "mate"),
        (Self::MoveTime, "movetime"),
        (Self::Perft, "perft"),
    ];

    fn find(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name)| name.as_bytes() == word).map(|(word, _)| word)
    }

    fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|&(word, _)| word == self).map_or("", |(_, name)| name)
    }
}

/// Reads commands out of a byte stream.
#[derive(Debug)]
pub(super) struct Parser {
    tokens: Tokens,
    line: Line,
}

impl Parser {
    pub(super) fn new() -> Self {
        Self { tokens: Tokens::default(), line: Line::new() }
    }

    /// The game that the last `position` gave.
    pub(super) const fn candidate(&self) -> &Game {
        &self.line.candidate
    }

    /// The limits that the last `go` gave.
    pub(super) const fn limits(&self) -> &Limits {
        &self.line.limits
    }

    /// The name and value that the last `setoption` gave.
    pub(super) fn option(&self) -> (&str, &str) {
        (&self.line.name, &self.line.value)
    }

    /// Takes what was wrong with the last line.
    pub(super) const fn take_complaint(&mut self) -> Option<Message> {
        self.line.complaint.take()
    }

    /// Takes a byte; `board` is the present position. Returns the command that the byte completes, if it does.
    pub(super) fn feed(&mut self, byte: u8, board: &Board) -> Option<Command> {
        let cut = self.tokens.feed(byte);
        if cut == Cut::Nothing {
            return None;
        }
        if !self.tokens.word().is_empty() {
            self.line.word(self.tokens.word(), self.tokens.is_too_long(), board);
        }
        self.tokens.clear();
        if cut == Cut::Line { self.line.end(board) } else { None }
    }
}

/// A clock as `go` gives it, for both sides, White first.
#[derive(Clone, Copy, Debug, Default)]
struct Clocks {
    times: [Option<i64>; 2],
    increments: [i64; 2],
    moves_to_go: Option<u32>,
}

/// What the words of a line have built so far.
#[derive(Debug)]
struct Line {
    state: State,
    /// What `position` builds.
    candidate: Game,
    fen: heapless::String<LONGEST_FEN>,
    /// How many moves of `position` have been read.
    moves: u32,
    /// What `go` builds.
    limits: Limits,
    clocks: Clocks,
    /// The depth of `go perft`.
    perft: Option<u32>,
    /// What `setoption` builds.
    name: heapless::String<LONGEST_NAME>,
    value: heapless::String<LONGEST_VALUE>,
    /// What was wrong with the line: the first thing only.
    complaint: Option<Message>,
    /// Whether the complaint takes the line's effect away.
    refused: bool,
}

impl Line {
    fn new() -> Self {
        Self {
            state: State::Start,
            candidate: Game::new(Board::start()),
            fen: heapless::String::new(),
            moves: 0,
            limits: Limits::default(),
            clocks: Clocks::default(),
            perft: None,
            name: heapless::String::new(),
            value: heapless::String::new(),
            complaint: None,
            refused: false,
        }
    }

    /// Notes something wrong that takes the line's effect away.
    fn refuse(&mut self, complaint: Message) {
        self.complain(complaint);
        self.refused = true;
    }

    /// Notes something wrong.
    fn complain(&mut self, complaint: Message) {
        self.complaint.get_or_insert(complaint);
    }

    fn word(&mut self, word: &[u8], is_too_long: bool, board: &Board) {
        if is_too_long && !matches!(self.state, State::Start | State::Done(_)) {
            return self.refuse(say(format_args!("'{}' is too long", Shown(word))));
        }
        match self.state {
            State::Start => self.start(word),
            State::Done(_) => {}
            State::Debug => match word {
                b"on" => self.state = State::Done(Command::Debug(true)),
                b"off" => self.state = State::Done(Command::Debug(false)),
                _ => self.refuse(say(format_args!("debug: 'on' or 'off' wanted, not '{}'", Shown(word)))),
            },
            State::Position => self.position_kind(word),
            State::Fen if word != b"moves" => self.fen_field(word),
            State::Fen => {
                self.place_fen();
                self.state = State::Moves;
            }
            State::Placed if word == b"moves" => self.state = State::Moves,
            State::Placed => self.refuse(say(format_args!("position: 'moves' wanted, not '{}'", Shown(word)))),
            State::Moves => self.play(word),
            State::Go => self.go_word(word),
            State::GoNumber(expected) => self.go_number(expected, word),
            State::SearchMoves => match board.parse_move(word) {
                // There are no more legal moves than the list has room for, and none is taken twice.
                Ok(mv) if !self.limits.search_moves.contains(&mv) => {
                    let _ = self.limits.search_moves.push(mv);
                }
                Ok(_) => {}
                Err(_) if is_go_word(word) => self.go_word(word),
                Err(error) => self.complain(say(format_args!("go searchmoves: '{}' is {error}", Shown(word)))),
            },
            State::SetOption if word == b"name" => self.state = State::OptionName,
            State::SetOption => self.refuse(say(format_args!("setoption: 'name' wanted, not '{}'", Shown(word)))),
            State::OptionName if word == b"value" => self.state = State::OptionValue,
            State::OptionName | State::OptionValue => self.option_word(word),
            State::Perft => match number(word).map(clamp) {
                Some(depth) if depth <= DEEPEST_PERFT => self.state = State::Done(Command::Perft(depth)),
                _ => {
                    self.refuse(say(format_args!(
                        "perft: a depth up to {DEEPEST_PERFT} wanted, not '{}'",
                        Shown(word)
                    )));
                }
            },
            State::Bench => match number(word) {
                Some(depth) => self.state = State::Done(Command::Bench(Some(clamp(depth)))),
                None => self.refuse(say(format_args!("bench: a depth wanted, not '{}'", Shown(word)))),
            },
        }
    }

    /// Recognises a command. As the protocol wants it, unknown words before one are passed over.
    fn start(&mut self, word: &[u8]) {
        self.state = match word {
            b"uci" => State::Done(Command::Uci),
            b"debug" => State::Debug,
            b"isready" => State::Done(Command::IsReady),
            b"setoption" => {
                self.name.clear();
                self.value.clear();
                State::SetOption
            }
            // Nothing to register, so nothing to say.
            b"register" => return self.complain(say(format_args!("no registration is needed"))),
            b"ucinewgame" => State::Done(Command::NewGame),
            b"position" => State::Position,
            b"go" => {
                self.limits = Limits::default();
                self.clocks = Clocks::default();
                self.perft = None;
                State::Go
            }
            b"stop" => State::Done(Command::Stop),
            b"ponderhit" => State::Done(Command::PonderHit),
            b"quit" => State::Done(Command::Quit),
            b"d" => State::Done(Command::Display),
            b"eval" => State::Done(Command::Eval),
            b"perft" => State::Perft,
            b"bench" => State::Bench,
            b"help" => State::Done(Command::Help),
            _ => {
                self.complain(say(format_args!("unknown command '{}'; 'help' lists the commands", Shown(word))));
                return;
            }
        };
        // A command was found, so the words before it were noise.
        self.complaint = None;
    }

    fn position_kind(&mut self, word: &[u8]) {
        self.moves = 0;
        match word {
            b"startpos" => {
                self.candidate = Game::new(Board::start());
                self.state = State::Placed;
            }
            b"fen" => {
                self.fen.clear();
                self.state = State::Fen;
            }
            _ => self.refuse(say(format_args!("position: 'startpos' or 'fen' wanted, not '{}'", Shown(word)))),
        }
    }

    fn fen_field(&mut self, word: &[u8]) {
        if !append(&mut self.fen, core::str::from_utf8(word).unwrap_or("?")) {
            self.refuse(say(format_args!("position fen: longer than {LONGEST_FEN} bytes")));
        }
    }

    fn place_fen(&mut self) {
        match Board::from_fen(&self.fen) {
            Ok(board) => self.candidate = Game::new(board),
            Err(error) => self.refuse(say(format_args!("position fen: {error}"))),
        }
    }

    fn play(&mut self, word: &[u8]) {
        self.moves = self.moves.saturating_add(1);
        if self.refused {
            return;
        }
        match self.candidate.board().parse_move(word) {
            Ok(mv) => self.candidate.play(mv),
            Err(error) => {
                let number = self.moves;
                self.refuse(say(format_args!("position: move {number} '{}' is {error}", Shown(word))));
            }
        }
    }

    fn go_word(&mut self, word: &[u8]) {
        self.state = State::Go;
        match word {
            b"infinite" => self.limits.infinite = true,
            b"ponder" => self.limits.ponder = true,
            b"searchmoves" => self.state = State::SearchMoves,
            _ => match GoWord::find(word) {
                Some(expected) => self.state = State::GoNumber(expected),
                None => self.complain(say(format_args!("go: '{}' is unknown", Shown(word)))),
            },
        }
    }

    fn go_number(&mut self, expected: GoWord, word: &[u8]) {
        self.state = State::Go;
        let Some(number) = number(word) else {
            self.complain(say(format_args!("go {}: a number wanted, not '{}'", expected.name(), Shown(word))));
            // A missing number is no reason to lose the word that stands in its place.
            if is_go_word(word) {
                self.go_word(word);
            }
            return;
        };
        let count = clamp(number);
        match expected {
            GoWord::WhiteTime => self.clocks.times[0] = Some(number),
            GoWord::BlackTime => self.clocks.times[1] = Some(number),
            GoWord::WhiteIncrement => self.clocks.increments[0] = number,
            GoWord::BlackIncrement => self.clocks.increments[1] = number,
            GoWord::MovesToGo => self.clocks.moves_to_go = Some(count),
            GoWord::Depth => self.limits.depth = Some(count.max(1)),
            GoWord::Nodes => self.limits.nodes = Some(u64::try_from(number).unwrap_or(0).max(1)),
            GoWord::Mate => self.limits.mate = Some(count).filter(|&moves| moves > 0),
            GoWord::MoveTime => self.limits.movetime = Some(u64::try_from(number).unwrap_or(0)),
            GoWord::Perft => self.perft = Some(count.min(DEEPEST_PERFT)),
        }
    }

    fn option_word(&mut self, word: &[u8]) {
        let Ok(text) = core::str::from_utf8(word) else {
            return self.refuse(say(format_args!("setoption: '{}' is not UTF-8", Shown(word))));
        };
        let fits =
            if self.state == State::OptionName { append(&mut self.name, text) } else { append(&mut self.value, text) };
        if !fits {
            self.refuse(say(format_args!("setoption: the name or the value is too long")));
        }
    }

    /// Ends the line; blank ones are no command.
    fn end(&mut self, board: &Board) -> Option<Command> {
        let state = core::mem::replace(&mut self.state, State::Start);
        let command = match state {
            State::Start if self.complaint.is_none() => return None,
            State::Start => Command::Refused,
            State::Done(command) => command,
            State::Debug => self.missing("debug: 'on' or 'off'"),
            State::Position => self.missing("position: 'startpos' or 'fen'"),
            State::Fen => {
                if !self.refused {
                    self.place_fen();
                }
                Command::Position
            }
            State::Placed | State::Moves => Command::Position,
            State::Go | State::SearchMoves => self.go(board),
            State::GoNumber(expected) => {
                self.complain(say(format_args!("go {}: a number wanted", expected.name())));
                self.go(board)
            }
            State::SetOption => self.missing("setoption: 'name'"),
            State::OptionName if self.name.is_empty() => self.missing("setoption name: a name"),
            State::OptionName | State::OptionValue => Command::SetOption,
            State::Perft => self.missing("perft: a depth"),
            State::Bench => Command::Bench(None),
        };
        Some(if core::mem::take(&mut self.refused) { Command::Refused } else { command })
    }

    fn missing(&mut self, what: &str) -> Command {
        self.complain(say(format_args!("{what} wanted")));
        Command::Refused
    }

    /// Completes the limits with the clock of the side to move.
    fn go(&mut self, board: &Board) -> Command {
        let side = board.side_to_move().index();
        self.limits.clock = self.clocks.times[side].map(|time| Remaining {
            time,
            increment: self.clocks.increments[side],
            moves_to_go: self.clocks.moves_to_go.filter(|&moves| moves > 0),
        });
        self.perft.map_or(Command::Go, Command::Perft)
    }
}

fn is_go_word(word: &[u8]) -> bool {
    matches!(word, b"infinite" | b"ponder" | b"searchmoves") || GoWord::find(word).is_some()
}

/// Reads a whole number; one beyond what a machine can count is as good as the greatest.
fn number(word: &[u8]) -> Option<i64> {
    let text = core::str::from_utf8(word).ok()?;
    text.parse()
        .or_else(|error: core::num::ParseIntError| match error.kind() {
            core::num::IntErrorKind::PosOverflow => Ok(i64::MAX),
            core::num::IntErrorKind::NegOverflow => Ok(i64::MIN),
            _ => Err(error),
        })
        .ok()
}

/// A number as a count; negative ones are zero.
fn clamp(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// Adds a word to a text, a blank before it unless it is the first. Says whether it fits.
fn append<const N: usize>(text: &mut heapless::String<N>, word: &str) -> bool {
    let separator = if text.is_empty() { "" } else { " " };
    text.push_str(separator).and_then(|()| text.push_str(word)).is_ok()
}

/// Shows the beginning of a word from the wire, whatever its bytes.
struct Shown<'a>(&'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 24;
        for &byte in self.0.iter().take(SHOWN) {
            write!(f, "{}", byte.escape_ascii())?;
        }
        if self.0.len() > SHOWN { f.write_str("...") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;

    /// Feeds a text; gives each command with its complaint.
    fn commands(parser: &mut Parser, text: &str) -> Vec<(Command, String)> {
        let board = Board::start();
        let mut commands = Vec::new();
        for byte in text.bytes() {
            if let Some(command) = parser.feed(byte, &board) {
                commands.push((command, parser.take_complaint().map_or(String::new(), |text| text.to_string())));
            }
        }
        commands
    }

    fn command(text: &str) -> (Command, String) {
        let commands = commands(&mut Parser::new(), text);
        assert_eq!(commands.len(), 1, "{text:?}: {commands:?}");
        commands.into_iter().next().unwrap()
    }

    #[test]
    fn lines_end_in_any_way_and_blank_ones_are_nothing() {
        let mut parser = Parser::new();
        let read = commands(&mut parser, "uci\r\nisready\n\n  \t\r\n stop \rquit\n");
        let read: Vec<_> = read.into_iter().map(|(command, _)| command).collect();
        assert_eq!(read, [Command::Uci, Command::IsReady, Command::Stop, Command::Quit]);
    }

    #[test]
    fn unknown_words_are_passed_over_and_unknown_lines_named() {
        assert_eq!(command("joho debug on\n"), (Command::Debug(true), String::new()));
        assert_eq!(command("joho\n"), (Command::Refused, "unknown command 'joho'; 'help' lists the commands".into()));
        assert_eq!(command("stop now please\n").0, Command::Stop);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, complaint) in [
            ("position\n", "position: 'startpos' or 'fen' wanted"),
            ("position middle\n", "position: 'startpos' or 'fen' wanted, not 'middle'"),
            ("position fen\n", "position fen: piece placement: rank 8 must fill eight squares"),
            ("position startpos e2e4\n", "position: 'moves' wanted, not 'e2e4'"),
            ("position startpos moves e2e4 e7e5 e4e5 g8f6\n", "position: move 3 'e4e5' is not legal here"),
            ("position startpos moves e2e4 0000\n", "position: move 2 '0000' is not a move such as e2e4 or e7e8q"),
            ("setoption\n", "setoption: 'name' wanted"),
            ("setoption value 3\n", "setoption: 'name' wanted, not 'value'"),
            ("setoption name\n", "setoption name: a name wanted"),
            ("debug maybe\n", "debug: 'on' or 'off' wanted, not 'maybe'"),
            ("perft x\n", "perft: a depth up to 20 wanted, not 'x'"),
        ] {
            assert_eq!(command(line), (Command::Refused, complaint.into()), "{line:?}");
        }
    }

    #[test]
    fn go_reads_what_it_can() {
        let mut parser = Parser::new();
        let read =
            commands(&mut parser, "go wtime 1000 btime x winc -5 movestogo 0 depth 7 nodes 99999999999999999999\n");
        assert_eq!(read, [(Command::Go, "go btime: a number wanted, not 'x'".into())]);
        let limits = parser.limits();
        assert_eq!(limits.clock, Some(Remaining { time: 1000, increment: -5, moves_to_go: None }));
        assert_eq!((limits.depth, limits.nodes), (Some(7), Some(i64::MAX as u64)));

        let read = commands(&mut parser, "go searchmoves e2e4 e2e5 d2d4 depth wtime 5\n");
        assert_eq!(read, [(Command::Go, "go searchmoves: 'e2e5' is not legal here".into())]);
        assert_eq!(parser.limits().search_moves.len(), 2);
        assert_eq!(parser.limits().clock.map(|clock| clock.time), Some(5));
        assert_eq!(command("go perft 3\n").0, Command::Perft(3));
        assert_eq!(command("go wtime\n"), (Command::Go, "go wtime: a number wanted".into()));
    }

    #[test]
    fn a_refused_position_leaves_nothing_behind() {
        let mut parser = Parser::new();
        assert_eq!(commands(&mut parser, "position startpos moves e2e5\n")[0].0, Command::Refused);
        assert_eq!(commands(&mut parser, "position startpos moves e2e4\n"), [(Command::Position, String::new())]);
        assert_eq!(parser.candidate().board().side_to_move(), crate::chess::Colour::Black);
    }

    #[test]
    fn a_word_may_be_too_long_but_a_line_may_not() {
        let long = "x".repeat(1_000);
        assert!(command(&(long.clone() + "\n")).1.starts_with("unknown command 'xxxxxxxxxxxxxxxxxxxxxxxx...'"));
        assert!(command(&("position startpos moves ".to_string() + &long + "\n")).1.contains("too long"));
        let shuffles = "g1f3 g8f6 f3g1 f6g8 ".repeat(1_000);
        assert_eq!(command(&("position startpos moves ".to_string() + &shuffles + "\n")).0, Command::Position);
    }
}
