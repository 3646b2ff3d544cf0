//! The bridge itself: lines from the chess program to the board and back, and what happens when the board is away.

use std::{
    io::{self, Write},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use crate::{
    conversation::Conversation,
    line::{self, Heard, Line},
    ports::Target,
};

/// How often a board that does not answer is asked again: opening the port restarts some, and what comes meanwhile is
/// lost.
const KNOCK: Duration = Duration::from_millis(500);
/// How long a line is silent when nothing old is on it any more.
const QUIET: Duration = Duration::from_millis(200);
/// How long a board may take to answer for the first time.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often a port that is gone is looked for.
const LOOK: Duration = Duration::from_millis(250);

/// What wakes the bridge.
enum Event {
    /// The program says a line.
    Said(Vec<u8>),
    /// The program has closed the line.
    Left,
    /// Something comes over the serial line of this number.
    Heard(u64, Heard),
}

/// How far the bridge is with the board.
enum Board {
    /// The port is gone; it is looked for at this time.
    Away(Instant),
    /// It is asked whether it is there, again at this time.
    Knocking(Line, Instant),
    /// It has answered, and what was still on its way passes by, until nothing has come by this time.
    Settling(Line, Instant),
    /// It is asked once more, to know that everything before is over; by this time, or all begins anew.
    Confirming(Line, Instant),
    /// It listens.
    Listening(Line),
    /// The program has left. What it asked last is answered when the board answers this, at the latest by this time.
    Finishing(Line, Instant),
}

/// Whether the bridge goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

/// A chess program on standard input and output, and a board on a serial port.
pub(crate) struct Bridge {
    target: Target,
    baud: u32,
    sender: Sender<Event>,
    events: Receiver<Event>,
    conversation: Conversation,
    board: Board,
    /// Counts the lines that were opened, so that nothing is heard of those that are gone.
    number: u64,
    /// When the board must have answered for the first time; `None` once it has.
    deadline: Option<Instant>,
    program_left: bool,
}

impl Bridge {
    /// A bridge to a port that is yet to be opened.
    pub(crate) fn new(target: Target, baud: u32) -> Self {
        let (sender, events) = mpsc::channel();
        let board = Board::Away(Instant::now());
        Self {
            target,
            baud,
            sender,
            events,
            conversation: Conversation::default(),
            board,
            number: 0,
            deadline: None,
            program_left: false,
        }
    }

    /// Forwards both ways until the program leaves.
    ///
    /// # Errors
    /// If the port cannot be opened at first, or nothing behind it answers.
    pub(crate) fn run(mut self) -> Result<()> {
        let first = self.open()?;
        self.knock(first);
        self.deadline = Some(Instant::now() + PATIENCE);
        while self.step()? == Next::GoOn {}
        Ok(())
    }

    /// Reads standard input, in a thread that ends with it or with the program.
    fn listen_to_the_program(&self) {
        let sender = self.sender.clone();
        thread::spawn(move || {
            let rest = line::cut(io::stdin(), |line| sender.send(Event::Said(line)).is_ok());
            // The last line may lack its end, and still counts. An error means that the bridge has left before.
            let _ = sender.send(Event::Said(rest));
            let _ = sender.send(Event::Left);
        });
    }

    /// Waits for what happens next, and deals with it.
    fn step(&mut self) -> Result<Next> {
        let now = Instant::now();
        let wake = match self.board {
            Board::Away(wake)
            | Board::Knocking(_, wake)
            | Board::Settling(_, wake)
            | Board::Confirming(_, wake)
            | Board::Finishing(_, wake) => wake.saturating_duration_since(now),
            Board::Listening(_) => Duration::MAX,
        };
        match self.events.recv_timeout(wake) {
            Ok(Event::Said(line)) => self.said(&line),
            Ok(Event::Left) => {
                self.program_left = true;
                self.program_has_left()
            }
            Ok(Event::Heard(number, _)) if number != self.number => Ok(Next::GoOn),
            Ok(Event::Heard(_, Heard::Line(line))) => self.heard(&line),
            Ok(Event::Heard(_, Heard::Gone)) => self.gone(),
            Err(RecvTimeoutError::Timeout) => self.time_is_up(),
            Err(RecvTimeoutError::Disconnected) => unreachable!("the bridge keeps a sender"),
        }
    }

    /// The program says a line.
    fn said(&mut self, line: &[u8]) -> Result<Next> {
        let text = String::from_utf8_lossy(line);
        if text.split_ascii_whitespace().eq(["quit"]) {
            return Ok(self.leave());
        }
        let listening = matches!(self.board, Board::Listening(_));
        self.conversation.said(&text, listening, Instant::now());
        if let Board::Listening(board) = &self.board {
            board.send(line);
            return Ok(Next::GoOn);
        }
        self.answer_for_the_board()
    }

    /// The board says a line.
    fn heard(&mut self, line: &[u8]) -> Result<Next> {
        let text = String::from_utf8_lossy(line);
        let is_ready = text.trim() == "readyok";
        self.board = match std::mem::replace(&mut self.board, Board::Away(Instant::now())) {
            Board::Knocking(board, _) if is_ready => Board::Settling(board, Instant::now() + QUIET),
            Board::Settling(board, _) => Board::Settling(board, Instant::now() + QUIET),
            Board::Confirming(board, _) if is_ready => return self.listens(board),
            Board::Listening(board) if text.trim_end().ends_with(firmware::GREETING.trim_end()) => {
                let name = self.target.name();
                let told = tell(&format!("the board on {name} has started anew"));
                self.knock(board);
                return told;
            }
            Board::Finishing(_, _) if is_ready => {
                return Ok(self.leave());
            }
            other => other,
        };
        if !matches!(self.board, Board::Listening(_) | Board::Finishing(..)) {
            return Ok(Next::GoOn);
        }
        self.conversation.heard(&text);
        match print(line)? {
            Next::Leave => Ok(self.leave()),
            Next::GoOn if self.program_left => self.program_has_left(),
            Next::GoOn => Ok(Next::GoOn),
        }
    }

    /// The board has begun to listen: it is told what it must know.
    fn listens(&mut self, board: Line) -> Result<Next> {
        if self.deadline.take().is_some() {
            // What the program has said so far is still in its pipe.
            self.board = Board::Listening(board);
            self.listen_to_the_program();
            return Ok(Next::GoOn);
        }
        for line in self.conversation.retold(Instant::now()) {
            board.send(line.as_bytes());
        }
        self.board = Board::Listening(board);
        if self.program_left {
            return self.program_has_left();
        }
        tell(&format!("the board on {} is back", self.target.name()))
    }

    /// The program has closed the line. What it has asked is answered before the bridge leaves.
    fn program_has_left(&mut self) -> Result<Next> {
        match std::mem::replace(&mut self.board, Board::Away(Instant::now())) {
            Board::Listening(board) if self.conversation.analyses() => {
                // Nobody will ever say so.
                board.send(b"stop");
                self.conversation.said("stop", true, Instant::now());
                self.board = Board::Listening(board);
            }
            Board::Listening(board) if !self.conversation.waits() => {
                board.send(b"isready");
                self.board = Board::Finishing(board, Instant::now() + PATIENCE);
            }
            Board::Away(_) => return Ok(Next::Leave),
            other => self.board = other,
        }
        Ok(Next::GoOn)
    }

    /// The port is gone.
    fn gone(&mut self) -> Result<Next> {
        if self.program_left {
            return Ok(Next::Leave);
        }
        let name = self.target.name();
        if self.deadline.is_some() {
            bail!("the serial port {name} was closed");
        }
        let was_there = matches!(self.board, Board::Listening(_));
        self.board = Board::Away(Instant::now() + LOOK);
        self.number += 1;
        if was_there && tell(&format!("the board on {name} is gone: waiting for it"))? == Next::Leave {
            return Ok(Next::Leave);
        }
        self.answer_for_the_board()
    }

    /// Nothing has come in time.
    fn time_is_up(&mut self) -> Result<Next> {
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            bail!(
                "nothing on {} answers `isready` within {} s at {} baud: is the board's firmware running, and the rate \
                 right?",
                self.target.name(),
                PATIENCE.as_secs(),
                self.baud
            );
        }
        match std::mem::replace(&mut self.board, Board::Away(now + LOOK)) {
            Board::Away(_) => {
                self.target.follow();
                // An error means that it is still away.
                if let Ok(board) = self.open() {
                    self.knock(board);
                }
            }
            Board::Settling(board, _) => {
                board.send(b"isready");
                self.board = Board::Confirming(board, now + KNOCK);
            }
            Board::Finishing(..) => return Ok(Next::Leave),
            Board::Knocking(board, _) | Board::Confirming(board, _) => self.knock(board),
            Board::Listening(board) => self.board = Board::Listening(board),
        }
        self.answer_for_the_board()
    }

    /// Answers what the program cannot wait for, while the board is away.
    fn answer_for_the_board(&mut self) -> Result<Next> {
        let pings = std::iter::repeat_n("readyok".to_owned(), self.conversation.answer_pings());
        let mv = self.conversation.answer_search(Instant::now()).map(|mv| format!("bestmove {mv}"));
        for answer in pings.chain(mv) {
            if print(answer.as_bytes())? == Next::Leave {
                return Ok(self.leave());
            }
        }
        Ok(Next::GoOn)
    }

    /// Opens the port.
    fn open(&mut self) -> Result<Line> {
        self.number += 1;
        let (number, sender) = (self.number, self.sender.clone());
        Line::open(self.target.name(), self.baud, move |heard| sender.send(Event::Heard(number, heard)).is_ok())
    }

    /// Asks the board whether it is there. A line that someone left half written is ended first, and a search is stopped.
    fn knock(&mut self, board: Line) {
        board.send(b"\nstop\nisready");
        self.board = Board::Knocking(board, Instant::now() + KNOCK);
    }

    /// Has the board start anew, so that it keeps no options of this program for the next.
    fn leave(&mut self) -> Next {
        match std::mem::replace(&mut self.board, Board::Away(Instant::now())) {
            Board::Away(_) => {}
            Board::Knocking(board, _)
            | Board::Settling(board, _)
            | Board::Confirming(board, _)
            | Board::Listening(board)
            | Board::Finishing(board, _) => board.send(b"quit"),
        }
        Next::Leave
    }
}

/// Tells the program, and people who read its log, what happens.
fn tell(news: &str) -> Result<Next> {
    print(format!("info string {news}").as_bytes())
}

/// Gives the program a line. When nobody reads any more, it is time to leave.
fn print(line: &[u8]) -> Result<Next> {
    let mut out = io::stdout().lock();
    match out.write_all(&[line, b"\n"].concat()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Next::GoOn),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Next::Leave),
        Err(error) => Err(error.into()),
    }
}
