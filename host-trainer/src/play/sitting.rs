//! A person's games against an opponent, one after another, until the person leaves.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use quantize::whole;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position, Square, fen::Fen};
use time::OffsetDateTime;

use super::{
    bar,
    board::{self, Look},
    command::{self, Command},
    entry,
    input::{Input, Lines},
    record::{self, Record},
};
use crate::{
    arena::game::{Ending, MoveNote, Verdict},
    engine::{Answer, Engine, Patience, Reply, Turn, fault::Failure, info::Info, info::Score, limits::Limits},
    line::Line,
};

/// How much longer than its time for a move an engine may think before it is told to move now.
const MARGIN: Duration = Duration::from_millis(500);

/// Starts Knightlight, to be asked for advice.
pub type CallAdvisor<'a> = dyn Fn() -> anyhow::Result<Box<dyn Engine>> + 'a;

/// What stays the same from game to game.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The person's name, for the record.
    pub person: String,
    /// The person's colour in the first game; it changes from game to game.
    pub side: Color,
    /// Where every game starts.
    pub start: Chess,
    /// What bounds the opponent's thinking.
    pub limits: Limits,
    /// What bounds the advisor's.
    pub advice: Limits,
    /// When to call an engine hung.
    pub patience: Patience,
    /// The file that games are added to.
    pub pgn: PathBuf,
    /// What the terminal shows.
    pub look: Look,
    /// Whether the evaluation bar is shown with the opponent's moves.
    pub bar: bool,
    /// Someone watches: progress is shown, and typed lines are on the screen already.
    pub live: bool,
}

/// How a sitting came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The person left.
    Quit,
    /// Someone wanted the program to stop.
    Interrupted,
}

/// The state of a sitting.
pub struct Sitting<'a> {
    terms: Terms,
    opponent: Box<dyn Engine>,
    advisor: Option<Box<dyn Engine>>,
    call_advisor: &'a CallAdvisor<'a>,
    out: &'a mut dyn Write,
    side: Color,
    bottom: Color,
    line: Line,
    notes: Vec<MoveNote>,
    verdict: Option<Verdict>,
    /// The game on the board is not in a file yet.
    unsaved: bool,
    /// Files that this sitting has made, which it may write again.
    files: Vec<PathBuf>,
}

impl std::fmt::Debug for Sitting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sitting").field("terms", &self.terms).field("line", &self.line).finish_non_exhaustive()
    }
}

impl<'a> Sitting<'a> {
    /// A sitting that is about to begin.
    pub fn new(
        terms: Terms,
        opponent: Box<dyn Engine>,
        call_advisor: &'a CallAdvisor<'a>,
        out: &'a mut dyn Write,
    ) -> Sitting<'a> {
        Sitting {
            opponent,
            advisor: None,
            call_advisor,
            out,
            side: terms.side,
            bottom: terms.side,
            line: Line::new(terms.start.clone()),
            notes: Vec::new(),
            verdict: None,
            unsaved: false,
            files: Vec::new(),
            terms,
        }
    }

    /// Plays until the person leaves. The last game is saved whatever happens.
    ///
    /// # Errors
    /// If the opponent fails, or a file cannot be written.
    pub fn play(mut self, lines: &Lines) -> anyhow::Result<Left> {
        let left = self.games(lines);
        if left.as_ref().is_ok_and(|&left| left == Left::Interrupted) {
            writeln!(self.out)?;
        }
        let saved = self.save_to_collection();
        let left = left?;
        saved.map(|()| left)
    }

    fn games(&mut self, lines: &Lines) -> anyhow::Result<Left> {
        self.begin()?;
        loop {
            if self.verdict.is_none() && self.line.turn() != self.side {
                match self.reply()? {
                    ControlFlow::Continue(()) => continue,
                    ControlFlow::Break(()) => return Ok(Left::Interrupted),
                }
            }
            self.prompt()?;
            let asked = Instant::now();
            let text = match lines.next() {
                Input::Line(text) => text,
                Input::Ended => {
                    writeln!(self.out)?;
                    return Ok(Left::Quit);
                }
                Input::Interrupted => return Ok(Left::Interrupted),
            };
            if !self.terms.live {
                writeln!(self.out, "{text}")?;
            }
            match Command::parse(&text) {
                Ok(Command::Quit) => return Ok(Left::Quit),
                Ok(command) => match self.obey(command, asked.elapsed()) {
                    Ok(()) => {}
                    Err(error) if is_interruption(&error) => return Ok(Left::Interrupted),
                    Err(error) => return Err(error),
                },
                Err(complaint) => writeln!(self.out, "{complaint}")?,
            }
        }
    }

    fn begin(&mut self) -> anyhow::Result<()> {
        if let Some(objection) = self.opponent.objection(&self.line, &self.terms.limits) {
            bail!("{}: {objection}", self.opponent.name());
        }
        self.opponent.new_game(&self.terms.limits).with_context(|| self.opponent.name().to_owned())?;
        let (name, bounds) = (self.opponent.name(), bounds(&self.terms.limits));
        writeln!(
            self.out,
            "You have {} against {name} ({bounds} a move). `help` lists the commands.",
            side(self.side)
        )?;
        self.show()?;
        self.judge()
    }

    /// Has the opponent move. `Break`: someone wants the program to stop.
    fn reply(&mut self) -> anyhow::Result<ControlFlow<()>> {
        let reply = match think(self.opponent.as_mut(), &self.line, &self.terms, &self.terms.limits, self.out) {
            Ok(reply) => reply,
            Err(Failure::Interrupted) => return Ok(ControlFlow::Break(())),
            Err(Failure::Fault(fault)) => {
                let name = self.opponent.name();
                let transcript = self.opponent.transcript().join("\n  ");
                bail!("{name} {fault}; its last lines:\n  {transcript}");
            }
        };
        let mv = match reply.answer {
            Answer::Move(mv) => mv,
            Answer::Resign => {
                self.verdict = Some(Verdict { winner: Some(self.side), ending: Ending::Resignation(!self.side) });
                self.unsaved = true;
                self.announce()?;
                return Ok(ControlFlow::Continue(()));
            }
        };
        let number = self.move_number();
        self.take(mv, MoveNote { score: reply.info.score, depth: reply.info.depth, elapsed: reply.elapsed });
        let san = self.line.plies().last().map_or("", |ply| ply.san.as_str());
        writeln!(self.out, "{} plays {number} {san}   {}", self.opponent.name(), figures(&reply))?;
        self.show()?;
        if self.terms.bar
            && let Some(score) = reply.info.score
        {
            let white = if self.side == Color::Black { score } else { score.reversed() };
            writeln!(self.out, "{}", bar::draw(white, self.terms.look))?;
        }
        self.judge()?;
        Ok(ControlFlow::Continue(()))
    }

    fn obey(&mut self, command: Command, thought: Duration) -> anyhow::Result<()> {
        match command {
            Command::Move(text) => self.enter(&text, thought)?,
            Command::Undo(count) => self.take_back(count)?,
            Command::Hint => self.advise(true)?,
            Command::Eval => self.advise(false)?,
            Command::Board => self.show()?,
            Command::Flip => {
                self.bottom = !self.bottom;
                self.show()?;
            }
            Command::Moves(from) => {
                let moves = entry::list(&self.line, from);
                let text = if moves.is_empty() { "None.".to_owned() } else { moves.join(" ") };
                writeln!(self.out, "{text}")?;
            }
            Command::Fen => {
                writeln!(self.out, "{}", Fen::from_position(self.line.position(), EnPassantMode::Legal))?;
            }
            Command::Pgn => write!(self.out, "{}", self.pgn())?,
            Command::Save(path) => self.save(path)?,
            Command::Resign if self.verdict.is_some() => writeln!(self.out, "The game is over already.")?,
            Command::Resign => {
                self.verdict = Some(Verdict { winner: Some(!self.side), ending: Ending::Resignation(self.side) });
                self.unsaved = true;
                self.announce()?;
            }
            Command::New => {
                self.save_to_collection()?;
                self.side = !self.side;
                self.bottom = self.side;
                self.line = Line::new(self.terms.start.clone());
                self.notes.clear();
                self.verdict = None;
                self.begin()?;
            }
            Command::Help => write!(self.out, "{}", command::HELP)?,
            // `Quit` is the loop's.
            Command::Quit | Command::Empty => {}
        }
        Ok(())
    }

    fn enter(&mut self, text: &str, thought: Duration) -> anyhow::Result<()> {
        if self.verdict.is_some() {
            writeln!(self.out, "The game is over: `new` begins another, `undo` takes moves back, `quit` leaves.")?;
            return Ok(());
        }
        match entry::read(text, &self.line) {
            Ok(mv) => {
                self.take(mv, MoveNote { score: None, depth: None, elapsed: thought });
                self.show()?;
                self.judge()
            }
            Err(complaint) => Ok(writeln!(self.out, "{complaint}")?),
        }
    }

    fn take(&mut self, mv: Move, note: MoveNote) {
        self.line.play(mv);
        self.notes.push(note);
        self.unsaved = true;
    }

    /// Takes back so many of the person's moves, with what came after each.
    fn take_back(&mut self, count: usize) -> anyhow::Result<()> {
        let mut turn = self.line.turn();
        let mut plies = 0;
        let mut mine = 0;
        for _ in self.line.plies() {
            plies += 1;
            turn = !turn;
            mine += usize::from(turn == self.side);
            if mine == count {
                break;
            }
        }
        if mine < count {
            let some = if mine == 1 { "1 move".to_owned() } else { format!("{mine} moves") };
            writeln!(self.out, "You cannot take back {count}: you have made {some}.")?;
            return Ok(());
        }
        for _ in 0..plies {
            self.line.take_back();
            self.notes.pop();
        }
        self.verdict = None;
        self.unsaved = true;
        // Engines of the older protocol follow a game move by move.
        self.opponent.new_game(&self.terms.limits)?;
        writeln!(self.out, "Taken back: {} half-move{}.", plies, if plies == 1 { "" } else { "s" })?;
        self.show()
    }

    /// Asks Knightlight for a move, or for its opinion only.
    fn advise(&mut self, with_move: bool) -> anyhow::Result<()> {
        if self.verdict.is_some() {
            writeln!(self.out, "The game is over.")?;
            return Ok(());
        }
        let advisor = match &mut self.advisor {
            Some(advisor) => advisor,
            none => none.insert((self.call_advisor)()?),
        };
        let reply = think(advisor.as_mut(), &self.line, &self.terms, &self.terms.advice, self.out)?;
        if with_move && let Answer::Move(mv) = reply.answer {
            let mut after = self.line.clone();
            after.play(mv);
            let san = after.plies().last().map_or("", |ply| ply.san.as_str());
            writeln!(self.out, "Hint: {san}   {}", figures(&reply))?;
        } else if let Some(score) = reply.info.score {
            let white = if self.line.turn() == Color::White { score } else { score.reversed() };
            writeln!(self.out, "{}", bar::draw(white, self.terms.look))?;
        }
        Ok(())
    }

    /// Ends the game where the rules do.
    fn judge(&mut self) -> anyhow::Result<()> {
        if let Some(ruling) = self.line.ruling() {
            self.verdict = Some(Verdict::of_ruling(ruling, self.line.turn()));
            self.announce()?;
        } else if self.line.position().is_check() {
            writeln!(self.out, "Check.")?;
        }
        Ok(())
    }

    fn announce(&mut self) -> anyhow::Result<()> {
        let Some(verdict) = &self.verdict else { return Ok(()) };
        let outcome = match verdict.winner {
            None => "",
            Some(winner) if winner == self.side => " You win.",
            Some(_) => " You lose.",
        };
        writeln!(self.out, "{verdict}: {}.{outcome} `new` begins another game.", verdict.result())?;
        let (result, reason) = (verdict.result(), verdict.to_string());
        self.opponent.game_over(result, &reason);
        Ok(())
    }

    fn prompt(&mut self) -> io::Result<()> {
        match self.verdict {
            None => write!(self.out, "{} ", self.move_number())?,
            Some(_) => write!(self.out, "> ")?,
        }
        self.out.flush()
    }

    /// `12.` or `12...`, of the move to come.
    fn move_number(&self) -> String {
        let number = self.line.position().fullmoves();
        format!("{number}{}", self.line.turn().fold_wb(".", "..."))
    }

    fn show(&mut self) -> anyhow::Result<()> {
        let last = self.line.plies().last().and_then(|ply| Some([ply.mv.from()?, destination(ply.mv)]));
        let picture = board::draw(self.line.position().board(), last, self.bottom, self.terms.look);
        Ok(write!(self.out, "{picture}")?)
    }

    fn pgn(&self) -> String {
        Record {
            person: &self.terms.person,
            side: self.side,
            opponent: self.opponent.name(),
            limits: &self.terms.limits,
            line: &self.line,
            notes: &self.notes,
            verdict: self.verdict.as_ref(),
            date: OffsetDateTime::now_utc(),
        }
        .pgn()
    }

    /// Writes the game to a file of the person's choice. What cannot be written is said, and the game goes on.
    fn save(&mut self, path: PathBuf) -> anyhow::Result<()> {
        let shown = path.display();
        if path.exists() && !self.files.contains(&path) {
            writeln!(self.out, "{shown} is there already: choose another name.")?;
            return Ok(());
        }
        match whole::write(&path, self.pgn().as_bytes()) {
            Ok(()) => {
                writeln!(self.out, "Saved to {shown}.")?;
                self.files.push(path);
                self.unsaved = false;
            }
            Err(error) => writeln!(self.out, "{shown} cannot be written: {error}.")?,
        }
        Ok(())
    }

    /// Adds the game to the collection, unless it is empty or in a file already.
    fn save_to_collection(&mut self) -> anyhow::Result<()> {
        if !self.unsaved || self.line.plies().is_empty() {
            return Ok(());
        }
        let path = &self.terms.pgn;
        record::append(path, &self.pgn())
            .with_context(|| format!("the game cannot be saved to {}; this is it:\n{}", path.display(), self.pgn()))?;
        self.unsaved = false;
        Ok(writeln!(self.out, "The game is saved in {}.", path.display())?)
    }
}

/// Where a piece went to: of castling, the king.
fn destination(mv: Move) -> Square {
    mv.castling_side().map_or(mv.to(), |wing| Square::from_coords(wing.king_to_file(), mv.to().rank()))
}

/// Has an engine think about the position of a line.
fn think(
    engine: &mut dyn Engine,
    line: &Line,
    terms: &Terms,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<Reply, Failure> {
    let call = limits.movetime.map_or(terms.patience.unclocked, |time| time + MARGIN);
    let give_up = call + terms.patience.grace;
    let turn = Turn { line, limits, mine: None, theirs: None, call, give_up, draw_offered: false };
    let live = terms.live;
    let mut progress = |info: &Info| {
        if live && let (Some(depth), Some(score)) = (info.depth, info.score) {
            // What cannot be shown is not needed.
            let _ = write!(out, "\r\x1b[Kthinking: depth {depth}, {score}").and_then(|()| out.flush());
        }
        ControlFlow::Continue(())
    };
    let reply = engine.think(&turn, &mut progress);
    if live {
        let _ = write!(out, "\r\x1b[K");
    }
    reply
}

/// What bounds a move, in words: `1 s`, `2000 nodes`.
fn bounds(limits: &Limits) -> String {
    let parts = [
        limits.movetime.map(|time| format!("{} s", time.as_secs_f64())),
        limits.nodes.map(|nodes| format!("{nodes} nodes")),
        limits.depth.map(|depth| format!("depth {depth}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What an engine said of its move: `(+0.35, depth 12, 1.0 s)`, the score from its own side.
fn figures(reply: &Reply) -> String {
    let score = reply.info.score.map(|score: Score| score.to_string());
    let depth = reply.info.depth.map(|depth| format!("depth {depth}"));
    let time = format!("{:.1} s", reply.elapsed.as_secs_f64());
    let parts: Vec<String> = [score, depth, Some(time)].into_iter().flatten().collect();
    format!("({})", parts.join(", "))
}

fn is_interruption(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Failure>() == Some(&Failure::Interrupted)
}

fn side(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}
