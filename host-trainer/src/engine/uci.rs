//! Engines that speak the Universal Chess Interface (Huber and Meyer-Kahlen, 2000; revised 2006).

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use shakmaty::{CastlingMode, Move, uci::UciMove};

use super::{
    Answer, Engine, Patience, Reply, Turn, Watch,
    fault::{Failure, Fault},
    info::Info,
    limits::Limits,
    link::Link,
    process::Process,
    spec::EngineSpec,
};
use crate::{line::Line, stop::Stop};

/// A UCI engine that is ready to play.
#[derive(Debug)]
pub struct Uci {
    link: Box<dyn Link>,
    name: String,
    patience: Patience,
    reusable: bool,
}

impl Uci {
    /// Starts the engine, sets its options and waits until it is ready.
    pub fn start(spec: &EngineSpec, mode: CastlingMode, patience: Patience, stop: &Stop) -> anyhow::Result<Uci> {
        let process = Process::start(spec, stop)
            .with_context(|| format!("engine `{}`: cannot run `{}`", spec.label(), spec.command.join(" ")))?;
        Uci::on(Box::new(process), spec, mode, patience)
    }

    /// The engine at the other end of a link: sets its options and waits until it is ready.
    ///
    /// # Errors
    /// If it does not answer, or has no such option.
    pub fn on(
        mut link: Box<dyn Link>,
        spec: &EngineSpec,
        mode: CastlingMode,
        patience: Patience,
    ) -> anyhow::Result<Uci> {
        let label = spec.label();
        let hello = greet(link.as_mut(), patience.ready).with_context(|| format!("engine `{label}`"))?;

        let mut options = spec.options.clone();
        if mode == CastlingMode::Chess960 {
            options.push(("UCI_Chess960".to_owned(), "true".to_owned()));
        }
        for (option, value) in &options {
            let Some(known) = hello.options.iter().find(|known| known.name.eq_ignore_ascii_case(option)) else {
                let names: Vec<&str> = hello.options.iter().map(|known| known.name.as_str()).collect();
                bail!("engine `{label}` has no option `{option}`; it has {}", names.join(", "));
            };
            if let Some(problem) = known.objection(value) {
                bail!("engine `{label}`: option `{option}`: {problem}");
            }
            link.send(&set_option(option, value))?;
        }
        for line in &spec.init {
            link.send(line)?;
        }
        let mut engine = Uci { link, name: spec.name.clone().unwrap_or(hello.name), patience, reusable: !spec.fresh };
        engine.await_ready().with_context(|| format!("engine `{label}`"))?;
        Ok(engine)
    }

    fn await_ready(&mut self) -> Result<(), Failure> {
        self.link.send("isready")?;
        let deadline = Instant::now() + self.patience.ready;
        while let Some(heard) = self.link.receive(deadline)? {
            if heard.text.trim() == "readyok" {
                return Ok(());
            }
        }
        Err(Fault::Unready("isready").into())
    }
}

struct Hello {
    name: String,
    options: Vec<UciOption>,
}

/// What an engine says of one of its options.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UciOption {
    name: String,
    /// The least and the greatest number, where it takes one.
    range: Option<(i64, i64)>,
}

impl UciOption {
    /// Reads what follows `option name`.
    fn parse(text: &str) -> UciOption {
        let (name, rest) = text.split_once(" type ").unwrap_or((text, ""));
        let number = |key: &str| -> Option<i64> {
            let mut words = rest.split_whitespace();
            words.find(|&word| word == key)?;
            words.next()?.parse().ok()
        };
        let range = if rest.starts_with("spin") { number("min").zip(number("max")) } else { None };
        UciOption { name: name.trim().to_owned(), range }
    }

    /// Why it cannot have this value, if so: engines ignore such values in silence.
    fn objection(&self, value: &str) -> Option<String> {
        let (min, max) = self.range?;
        let fits = value.parse().is_ok_and(|number| (min..=max).contains(&number));
        (!fits).then(|| format!("a number from {min} to {max} wanted, not `{value}`"))
    }
}

/// Says `uci` and reads up to `uciok`.
fn greet(link: &mut dyn Link, patience: Duration) -> anyhow::Result<Hello> {
    link.send("uci")?;
    let mut hello = Hello { name: "unnamed".to_owned(), options: Vec::new() };
    let deadline = Instant::now() + patience;
    while let Some(heard) = link.receive(deadline)? {
        let line = heard.text.trim();
        if line == "uciok" {
            return Ok(hello);
        } else if let Some(name) = line.strip_prefix("id name ") {
            hello.name = name.trim().to_owned();
        } else if let Some(option) = line.strip_prefix("option name ") {
            hello.options.push(UciOption::parse(option));
        }
    }
    bail!("no `uciok` within {} s: is it a UCI engine?", patience.as_secs_f64())
}

/// The line that sets an option. A button has no value.
pub(crate) fn set_option(name: &str, value: &str) -> String {
    if value.is_empty() { format!("setoption name {name}") } else { format!("setoption name {name} value {value}") }
}

impl Engine for Uci {
    fn name(&self) -> &str {
        &self.name
    }

    fn objection(&self, _: &Line, _: &Limits) -> Option<String> {
        None
    }

    fn reusable(&self) -> bool {
        self.reusable
    }

    fn new_game(&mut self, _: &Limits) -> Result<(), Failure> {
        self.link.send("ucinewgame")?;
        self.await_ready()
    }

    fn think(&mut self, turn: &Turn<'_>, watch: &mut Watch<'_>) -> Result<Reply, Failure> {
        while self.link.pending()?.is_some() {}
        self.link.send(&position_command(turn.line))?;
        let go = go_command(turn);
        let start = Instant::now();
        self.link.send(&go)?;

        let (call, give_up) = (start + turn.call, start + turn.give_up);
        let mut called = false;
        let mut info = Info::default();
        loop {
            let deadline = if called { give_up } else { call };
            let heard = self.link.receive(deadline)?.filter(|heard| heard.at < give_up);
            let Some(heard) = heard else {
                if called {
                    return Err(Fault::Stall(turn.give_up).into());
                }
                self.link.send("stop")?;
                called = true;
                continue;
            };
            let mut words = heard.text.split_whitespace();
            match words.next() {
                Some("info") => {
                    let Some(newer) = Info::parse(words).filter(Info::is_best) else { continue };
                    info.update(newer);
                    if watch(&info).is_break() && !called {
                        self.link.send("stop")?;
                        called = true;
                    }
                }
                Some("bestmove") => {
                    let text = words.next().unwrap_or("");
                    return Ok(Reply {
                        answer: Answer::Move(parse_move(text, turn.line)?),
                        draw: false,
                        info,
                        elapsed: heard.at - start,
                    });
                }
                _ => {}
            }
        }
    }

    fn game_over(&mut self, _: &str, _: &str) {}

    fn transcript(&self) -> Vec<String> {
        self.link.transcript()
    }
}

fn position_command(line: &Line) -> String {
    let mut command = match line.start_fen() {
        Some(fen) => format!("position fen {fen}"),
        None => "position startpos".to_owned(),
    };
    for (number, ply) in line.plies().iter().enumerate() {
        command.push_str(if number == 0 { " moves " } else { " " });
        command.push_str(&ply.uci);
    }
    command
}

fn go_command(turn: &Turn<'_>) -> String {
    let mut command = "go".to_owned();
    if let Some(mine) = turn.mine {
        // An opponent without a clock: show the engine its own twice.
        let theirs = turn.theirs.unwrap_or(mine);
        let clocks = turn.line.turn().fold_wb((mine, theirs), (theirs, mine));
        // Writing to a string cannot fail.
        let _ = write!(command, " wtime {} btime {}", millis(clocks.0.time).max(1), millis(clocks.1.time).max(1));
        let _ = write!(command, " winc {} binc {}", millis(clocks.0.increment), millis(clocks.1.increment));
        if let Some(moves) = mine.moves_to_go {
            let _ = write!(command, " movestogo {moves}");
        }
    }
    if let Some(time) = turn.limits.movetime {
        let _ = write!(command, " movetime {}", millis(time).max(1));
    }
    if let Some(nodes) = turn.limits.nodes {
        let _ = write!(command, " nodes {nodes}");
    }
    if let Some(depth) = turn.limits.depth {
        let _ = write!(command, " depth {depth}");
    }
    command
}

fn millis(time: Duration) -> u128 {
    time.as_millis()
}

/// Reads a legal move in exactly the notation that the protocol prescribes.
pub fn parse_move(text: &str, line: &Line) -> Result<Move, Failure> {
    text.parse::<UciMove>()
        .ok()
        .and_then(|uci| uci.to_move(line.position()).ok())
        .filter(|&mv| UciMove::from_move(mv, line.mode()).to_string() == text)
        .ok_or_else(|| Fault::IllegalMove(text.to_owned()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{info::Score, limits::Remaining};

    fn info(line: &str) -> Option<Info> {
        Info::parse(line.split_whitespace()).filter(Info::is_best)
    }

    #[test]
    fn info_lines_are_read() {
        let read = info("depth 12 seldepth 20 multipv 1 score cp -35 nodes 1234 nps 1 time 5 pv e2e4 e7e5").unwrap();
        assert_eq!(
            read,
            Info {
                line: Some(1),
                depth: Some(12),
                score: Some(Score::Centipawns(-35)),
                nodes: Some(1234),
                best: Some("e2e4".to_owned()),
            }
        );
        assert_eq!(info("depth 3 score mate -2").unwrap().score, Some(Score::Mate(-2)));
    }

    #[test]
    fn numbers_out_of_range_are_refused_before_the_engine_ignores_them() {
        let elo = UciOption::parse("UCI_Elo type spin default 1500 min 1180 max 2200");
        assert_eq!(elo, UciOption { name: "UCI_Elo".to_owned(), range: Some((1180, 2200)) });
        assert_eq!(elo.objection("1180"), None);
        assert_eq!(elo.objection("500").as_deref(), Some("a number from 1180 to 2200 wanted, not `500`"));
        assert!(elo.objection("many").is_some());
        assert_eq!(UciOption::parse("Log File type string default min max").objection("min"), None);
    }

    #[test]
    fn other_lines_and_bounds_do_not_change_the_score() {
        assert_eq!(info("depth 9 multipv 2 score cp 3 pv a2a3"), None);
        assert_eq!(info("string depth 9 score cp 3"), None);
        assert_eq!(info("depth 1 currmove e2e4 currmovenumber 1"), None);
        assert_eq!(info("depth 9 score cp 80 lowerbound pv a2a3").unwrap().score, None);
        assert_eq!(info("depth"), None);
        assert_eq!(info("depth x score cp y"), None);
    }

    fn turn<'a>(line: &'a Line, limits: &'a Limits, mine: Option<Remaining>) -> Turn<'a> {
        Turn { line, limits, mine, theirs: None, call: Duration::ZERO, give_up: Duration::ZERO, draw_offered: false }
    }

    #[test]
    fn go_tells_every_limit() {
        let line = Line::default();
        let limits =
            Limits { nodes: Some(500), depth: Some(6), movetime: Some(Duration::from_millis(70)), clock: None };
        let mine = Remaining {
            time: Duration::from_micros(1_500_900),
            increment: Duration::from_millis(10),
            moves_to_go: Some(7),
        };
        assert_eq!(
            go_command(&turn(&line, &limits, Some(mine))),
            "go wtime 1500 btime 1500 winc 10 binc 10 movestogo 7 movetime 70 nodes 500 depth 6"
        );
        assert_eq!(go_command(&turn(&line, &Limits { depth: Some(1), ..Limits::default() }, None)), "go depth 1");
    }

    #[test]
    fn only_the_protocol_s_own_notation_is_a_move() {
        let line = Line::default();
        assert!(parse_move("e2e4", &line).is_ok());
        for text in ["", "e2e5", "0000", "(none)", "e4", "E2E4", "e2e4q", "Nf3"] {
            assert!(parse_move(text, &line).is_err(), "{text}");
        }
    }
}
