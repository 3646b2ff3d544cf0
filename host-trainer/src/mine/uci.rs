//! A UCI engine as a teacher, spoken to in as few system calls as can be: a question is one write, an answer plain
//! blocking reads into a large buffer. A hang is for the [`Leash`] to end.

use std::{
    fmt::Write as _,
    io::{self, Read, Write},
    path::Path,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use shakmaty::{EnPassantMode, Position, fen::Fen};

use super::{
    leash::Leash,
    teacher::{Choice, Lesson, View},
};
use crate::{
    engine::{
        fault::{Failure, Fault},
        info::Info,
        limits::Limits,
        uci::{parse_move, set_option},
    },
    line::Line,
    stop::Stop,
};

/// Room for what is read and not yet used; no line may be longer.
const BUFFER_BYTES: usize = 64 * 1024;
/// Text beyond this is no answer to any question of ours.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// How long a process may take to be seen dead after its pipe closed.
const FAREWELL: Duration = Duration::from_millis(500);
/// Where games are installed, often off the path.
const GAMES_FOLDER: &str = "/usr/games";

/// An engine that is ready to teach.
#[derive(Debug)]
pub struct UciTeacher {
    name: String,
    input: ChildStdin,
    output: Lines,
    leash: Arc<Leash>,
    stop: Stop,
    /// The line that asks, behind that which sets the position.
    go: String,
    choices: usize,
    forget: bool,
    question: String,
    /// The position behind the last move of the game that cannot be taken back, and the half-moves before it: what came
    /// earlier cannot be repeated, and need not be told.
    anchor: String,
    anchor_ply: usize,
}

impl UciTeacher {
    /// Starts the engine, sets its options and waits until it is ready.
    pub fn start(
        command: &[String],
        options: &[(String, String)],
        lesson: &Lesson,
        leash: &Arc<Leash>,
        stop: &Stop,
    ) -> anyhow::Result<UciTeacher> {
        let label = command.join(" ");
        let (input, output) = spawn(command, leash)?;
        let mut teacher = UciTeacher {
            name: "unnamed".to_owned(),
            input,
            output: Lines::new(output),
            leash: Arc::clone(leash),
            stop: stop.clone(),
            go: go_command(&lesson.limits),
            choices: lesson.choices,
            forget: lesson.forget,
            question: String::new(),
            anchor: String::new(),
            anchor_ply: 0,
        };
        let known = teacher.greet().with_context(|| format!("teacher `{label}`: is it a UCI engine?"))?;
        let knows = |name: &str| known.iter().any(|option| option.eq_ignore_ascii_case(name));
        let mut settings = String::new();
        if knows("Hash") {
            settings += &format!("{}\n", set_option("Hash", &lesson.hash.to_string()));
        }
        if lesson.choices > 1 {
            ensure!(
                knows("MultiPV"),
                "teacher `{label}` has no option `MultiPV`: only --choose 100 is possible with it"
            );
            settings += &format!("{}\n", set_option("MultiPV", &lesson.choices.to_string()));
        }
        for (name, value) in options {
            if !knows(name) {
                bail!("teacher `{label}` has no option `{name}`; it has {}", known.join(", "));
            }
            settings += &format!("{}\n", set_option(name, value));
        }
        teacher.settle(&settings).with_context(|| format!("teacher `{label}`"))?;
        Ok(teacher)
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Another game begins.
    pub fn new_game(&mut self) -> Result<(), Failure> {
        self.anchor.clear();
        if self.forget { self.settle("ucinewgame\n") } else { Ok(()) }
    }

    /// Looks at the present position.
    pub fn look(&mut self, line: &Line) -> Result<View, Failure> {
        self.set_question(line);
        self.ask()?;
        let mut best: Vec<Info> = Vec::with_capacity(self.choices);
        let text = loop {
            let heard = self.hear()?;
            let mut words = heard.split_ascii_whitespace();
            match words.next() {
                Some("info") => {
                    if let Some(info) = Info::parse(words).filter(|info| info.score.is_some() && info.best.is_some()) {
                        note(&mut best, info);
                    }
                }
                Some("bestmove") => break words.next().unwrap_or("").to_owned(),
                _ => {}
            }
        };
        self.leash.answered();
        view(&best, &text, line)
    }

    /// Says `uci` and reads up to `uciok`; gives the names of the options.
    fn greet(&mut self) -> Result<Vec<String>, Failure> {
        self.question = "uci\n".to_owned();
        self.ask()?;
        let mut options = Vec::new();
        loop {
            let heard = self.hear()?.trim().to_owned();
            if heard == "uciok" {
                break;
            } else if let Some(name) = heard.strip_prefix("id name ") {
                self.name = name.trim().to_owned();
            } else if let Some(option) = heard.strip_prefix("option name ") {
                options.push(option.split(" type ").next().unwrap_or(option).trim().to_owned());
            }
        }
        self.leash.answered();
        Ok(options)
    }

    /// Sends lines that have no answer and waits until they are done.
    fn settle(&mut self, lines: &str) -> Result<(), Failure> {
        self.question.clear();
        self.question.push_str(lines);
        self.question.push_str("isready\n");
        self.ask()?;
        while self.hear()?.trim() != "readyok" {}
        self.leash.answered();
        Ok(())
    }

    fn set_question(&mut self, line: &Line) {
        let position = line.position();
        if self.anchor.is_empty() || position.halfmoves() == 0 {
            self.anchor = Fen::from_position(position, EnPassantMode::Legal).to_string();
            self.anchor_ply = line.plies().len();
        }
        self.question.clear();
        self.question.push_str("position fen ");
        self.question.push_str(&self.anchor);
        for (number, ply) in line.plies()[self.anchor_ply..].iter().enumerate() {
            self.question.push_str(if number == 0 { " moves " } else { " " });
            self.question.push_str(&ply.uci);
        }
        self.question.push('\n');
        self.question.push_str(&self.go);
    }

    /// Sends the question.
    fn ask(&mut self) -> Result<(), Failure> {
        self.leash.ask();
        self.output.budget = ANSWER_BYTES;
        match self.input.write_all(self.question.as_bytes()) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.fault()),
        }
    }

    /// The next line of the answer.
    fn hear(&mut self) -> Result<&str, Failure> {
        match self.output.advance() {
            Ok(true) => Ok(self.output.line()),
            Ok(false) => Err(Fault::Flood(ANSWER_BYTES - self.output.budget).into()),
            Err(_) => Err(self.fault()),
        }
    }

    /// Why the pipe closed.
    fn fault(&self) -> Failure {
        if self.stop.is_raised() {
            return Failure::Interrupted;
        }
        if self.leash.was_cut_off() {
            return Fault::Stall(self.leash.patience()).into();
        }
        let ended = self.leash.release(FAREWELL);
        Fault::Crash(ended.map_or("it is not known how".to_owned(), |status| status.to_string())).into()
    }
}

impl Drop for UciTeacher {
    fn drop(&mut self) {
        self.leash.release(Duration::ZERO);
    }
}

/// Starts a program with a pipe to and from it, and puts it on the leash.
fn spawn(words: &[String], leash: &Leash) -> anyhow::Result<(ChildStdin, ChildStdout)> {
    let (program, arguments) = words.split_first().context("--teacher: no command")?;
    let start = |program: &Path| {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A group of its own: Ctrl-C at the terminal is for us, and a wrapper script dies with what it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    };
    let bare = !program.contains('/');
    let child = match start(Path::new(program)) {
        Err(error) if bare && error.kind() == io::ErrorKind::NotFound => start(&Path::new(GAMES_FOLDER).join(program)),
        started => started,
    };
    let mut child = match child {
        Ok(child) => child,
        Err(error) if bare && error.kind() == io::ErrorKind::NotFound => bail!(
            "the teacher `{program}` is neither on the path nor in {GAMES_FOLDER}: install it (Stockfish: \
             `apt-get install stockfish`, or https://stockfishchess.org), or name another UCI engine with --teacher, or \
             use --self-play"
        ),
        Err(error) => return Err(error).with_context(|| format!("the teacher `{program}` does not start")),
    };
    let pipes = child.stdin.take().zip(child.stdout.take());
    leash.hold(child);
    pipes.context("the teacher has no pipes")
}

fn go_command(limits: &Limits) -> String {
    let mut command = "go".to_owned();
    // Writing to a string cannot fail.
    if let Some(time) = limits.movetime {
        let _ = write!(command, " movetime {}", time.as_millis());
    }
    if let Some(nodes) = limits.nodes {
        let _ = write!(command, " nodes {nodes}");
    }
    if let Some(depth) = limits.depth {
        let _ = write!(command, " depth {depth}");
    }
    command.push('\n');
    command
}

/// Puts a report in the place of the one before it about the same line.
fn note(best: &mut Vec<Info>, info: Info) {
    let number = info.line.unwrap_or(1);
    match best.iter_mut().find(|known| known.line.unwrap_or(1) == number) {
        Some(known) => *known = info,
        None => best.push(info),
    }
}

/// What the last reports say, best line first.
fn view(best: &[Info], answer: &str, line: &Line) -> Result<View, Failure> {
    let answer = parse_move(answer, line)?;
    let mut reports: Vec<&Info> = best.iter().collect();
    reports.sort_by_key(|info| info.line);
    let mut choices: Vec<Choice> = Vec::with_capacity(reports.len());
    for info in &reports {
        let (Some(score), Some(text)) = (info.score, &info.best) else { continue };
        // Of one line alone, the answer has the last word.
        let mv = if reports.len() == 1 { answer } else { parse_move(text, line)? };
        // When a search ends within an iteration, a move may be among the lines of this one and of the last.
        if choices.iter().all(|choice| choice.mv != mv) {
            choices.push(Choice { mv, score });
        }
    }
    if choices.is_empty() {
        return Err(Fault::Unscored.into());
    }
    let depth = reports.first().and_then(|info| info.depth).unwrap_or(0);
    Ok(View { choices, depth })
}

/// The lines that come out of a pipe.
#[derive(Debug)]
struct Lines {
    pipe: ChildStdout,
    buffer: Box<[u8]>,
    /// The line of the last advance, without its end.
    line: std::ops::Range<usize>,
    /// The bytes behind it.
    rest: std::ops::Range<usize>,
    /// Bytes that may still come.
    budget: usize,
}

impl Lines {
    fn new(pipe: ChildStdout) -> Lines {
        Lines { pipe, buffer: vec![0; BUFFER_BYTES].into(), line: 0..0, rest: 0..0, budget: ANSWER_BYTES }
    }

    /// Goes to the next line, waiting for it; false if too much has come, an error if no more will.
    fn advance(&mut self) -> io::Result<bool> {
        let mut searched = 0;
        loop {
            let fresh = &self.buffer[self.rest.start + searched..self.rest.end];
            if let Some(length) = fresh.iter().position(|&byte| byte == b'\n') {
                let end = self.rest.start + searched + length;
                self.line = self.rest.start..end;
                self.rest.start = end + 1;
                return Ok(true);
            }
            searched = self.rest.len();
            if self.rest.start > 0 {
                self.buffer.copy_within(self.rest.clone(), 0);
                self.rest = 0..searched;
            }
            if self.budget == 0 || searched == self.buffer.len() {
                return Ok(false);
            }
            match self.pipe.read(&mut self.buffer[searched..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.rest.end += count;
                    self.budget = self.budget.saturating_sub(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The line; empty if it is not text.
    fn line(&self) -> &str {
        std::str::from_utf8(&self.buffer[self.line.clone()]).unwrap_or("")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::engine::info::Score;

    fn seen(reports: &[&str], answer: &str) -> Result<Vec<(String, Score)>, Failure> {
        let mut best = Vec::new();
        for report in reports {
            note(&mut best, Info::parse(report.split_whitespace()).unwrap());
        }
        let line = Line::default();
        let view = view(&best, answer, &line)?;
        let name = |choice: &Choice| {
            let mut after = line.clone();
            after.play(choice.mv);
            (after.plies()[0].uci.clone(), choice.score)
        };
        Ok(view.choices.iter().map(name).collect())
    }

    #[test]
    fn choices_come_best_first_from_the_last_reports() {
        let reports = [
            "depth 1 multipv 2 score cp 7 pv d2d4",
            "depth 1 multipv 1 score cp 9 pv e2e4",
            "depth 2 multipv 1 score cp 8 pv d2d4",
            "depth 2 multipv 2 score cp -5 pv a2a3",
        ];
        let expected = [("d2d4".to_owned(), Score::Centipawns(8)), ("a2a3".to_owned(), Score::Centipawns(-5))];
        assert_eq!(seen(&reports, "d2d4").unwrap(), expected);
    }

    #[test]
    fn a_move_is_not_chosen_twice_when_a_search_ends_half_way() {
        let reports = [
            "depth 1 multipv 1 score cp 9 pv e2e4",
            "depth 1 multipv 2 score cp 7 pv d2d4",
            "depth 2 multipv 1 score cp 8 pv d2d4",
        ];
        assert_eq!(seen(&reports, "d2d4").unwrap(), [("d2d4".to_owned(), Score::Centipawns(8))]);
    }

    #[test]
    fn what_cannot_be_kept_is_a_fault() {
        assert_eq!(seen(&[], "e2e4").unwrap_err(), Fault::Unscored.into());
        let illegal = |text: &str| Failure::from(Fault::IllegalMove(text.to_owned()));
        assert_eq!(seen(&["score cp 1 pv e2e4"], "e2e5").unwrap_err(), illegal("e2e5"));
        let two = ["multipv 1 score cp 1 pv e2e4", "multipv 2 score cp 1 pv e2e5"];
        assert_eq!(seen(&two, "e2e4").unwrap_err(), illegal("e2e5"));
    }

    #[test]
    fn a_question_tells_what_can_still_be_repeated() {
        let leash = Arc::new(Leash::new(Duration::from_secs(9)));
        let (input, output) = spawn(&["cat".to_owned()], &leash).unwrap();
        let mut teacher = UciTeacher {
            name: String::new(),
            input,
            output: Lines::new(output),
            leash,
            stop: Stop::new(),
            go: "go depth 5\n".to_owned(),
            choices: 1,
            forget: true,
            question: String::new(),
            anchor: String::new(),
            anchor_ply: 0,
        };
        let mut line = Line::default();
        let mut ask = |line: &Line| {
            teacher.set_question(line);
            teacher.question.clone()
        };
        let play = |line: &mut Line, text: &str| line.play(parse_move(text, line).unwrap());
        let start = "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(ask(&line), format!("{start}\ngo depth 5\n"));
        play(&mut line, "g1f3");
        assert_eq!(ask(&line), format!("{start} moves g1f3\ngo depth 5\n"));
        play(&mut line, "e7e5");
        let pawn = "position fen rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
        assert_eq!(ask(&line), format!("{pawn}\ngo depth 5\n"));
        play(&mut line, "f3g1");
        play(&mut line, "b8c6");
        assert_eq!(ask(&line), format!("{pawn} moves f3g1 b8c6\ngo depth 5\n"));
    }

    #[test]
    fn lines_of_any_cut_are_put_together_and_endless_ones_given_up() {
        let leash = Leash::new(Duration::from_secs(9));
        let shell = |script: &str| {
            let words = ["sh", "-c", script].map(str::to_owned);
            Lines::new(spawn(&words, &leash).unwrap().1)
        };
        let mut lines = shell("printf 'one\\ntw'; sleep 0.05; printf 'o\\nthree'; head -c 70000 /dev/zero");
        for expected in ["one", "two"] {
            assert!(lines.advance().unwrap());
            assert_eq!(lines.line(), expected);
        }
        assert!(!lines.advance().unwrap(), "a line of 70000 bytes");
        let mut lines = shell("echo end; printf torn");
        assert!(lines.advance().unwrap());
        assert_eq!(lines.advance().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
