//! Engines that speak the Chess Engine Communication Protocol of xboard, version 2 and the habits of version 1
//! (Mann and Muller, "Chess Engine Communication Protocol", GNU xboard's engine-intf.html).

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use shakmaty::{CastlingMode, KnownOutcome, Move, Position, san::SanPlus, uci::UciMove};

use super::{
    Answer, Engine, Patience, Reply, Turn, Watch,
    fault::{Failure, Fault},
    info::{Info, Score},
    limits::{Limits, TimeControl},
    link::Link,
    process::Process,
    spec::EngineSpec,
};
use crate::{line::Line, stop::Stop};

/// An engine that has said nothing of its features for so long has none to tell, says the protocol.
const FEATURES_WAIT: Duration = Duration::from_secs(2);
/// Some adapters (GNU Chess 6) hold back a line until the next one comes in; a ping shakes it loose.
const NUDGE_AFTER: Duration = Duration::from_millis(200);
/// How long a move may follow on a claim: the two may come in either order, and then the move is what counts.
const CLAIM_WAIT: Duration = Duration::from_secs(1);
/// A score beyond this is a mate, the rest being its distance.
const MATE_SCORE: i32 = 100_000;

/// What an engine can do, as its `feature` lines say. Defaults are the protocol's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Features {
    name: Option<String>,
    ping: bool,
    setboard: bool,
    usermove: bool,
    san: bool,
    time: bool,
    draw: bool,
    reuse: bool,
    colors: bool,
    wants_name: bool,
    memory: bool,
    smp: bool,
    variants: String,
    options: Vec<String>,
    done: Option<bool>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            name: None,
            ping: false,
            setboard: false,
            usermove: false,
            san: false,
            time: true,
            draw: true,
            reuse: true,
            colors: true,
            wants_name: false,
            memory: false,
            smp: false,
            variants: "normal".to_owned(),
            options: Vec::new(),
            done: None,
        }
    }
}

impl Features {
    /// Takes over one feature; whether we know it.
    fn set(&mut self, key: &str, value: &str) -> bool {
        let on = value == "1";
        match key {
            "myname" => self.name = Some(value.to_owned()),
            "ping" => self.ping = on,
            "setboard" => self.setboard = on,
            "usermove" => self.usermove = on,
            "san" => self.san = on,
            "time" => self.time = on,
            "draw" => self.draw = on,
            "reuse" => self.reuse = on,
            "colors" => self.colors = on,
            "name" => self.wants_name = on,
            "memory" => self.memory = on,
            "smp" => self.smp = on,
            "variants" => self.variants = value.to_owned(),
            "option" => self.options.push(option_name(value).to_owned()),
            "done" => self.done = Some(on),
            _ => return false,
        }
        true
    }
}

/// `Resign Threshold -spin 800 200 1200` is called `Resign Threshold`.
fn option_name(feature: &str) -> &str {
    const KINDS: [&str; 10] = ["button", "save", "reset", "check", "string", "spin", "combo", "slider", "file", "path"];
    let end = KINDS.iter().filter_map(|kind| feature.find(&format!(" -{kind}"))).min();
    &feature[..end.unwrap_or(feature.len())]
}

/// One thing an engine says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said<'a> {
    Features(Vec<(&'a str, &'a str)>),
    Pong(u32),
    Move(&'a str),
    Resign,
    OfferDraw,
    Claim(KnownOutcome),
    Illegal,
    Report(Info),
    Other,
}

impl Said<'_> {
    fn parse(line: &str) -> Said<'_> {
        let line = line.trim();
        let mut words = line.split_whitespace();
        let (first, second, third) = (words.next().unwrap_or(""), words.next().unwrap_or(""), words.next());
        if let Some(outcome) = parse_outcome(first) {
            return Said::Claim(outcome);
        }
        match (first, second) {
            ("feature", _) => Said::Features(parse_features(line.strip_prefix("feature").unwrap_or(line))),
            ("pong", number) => number.parse().map_or(Said::Other, Said::Pong),
            ("move", mv) if !mv.is_empty() => Said::Move(mv),
            ("resign", _) => Said::Resign,
            ("offer", "draw") => Said::OfferDraw,
            ("Illegal" | "Invalid", _) | ("tellusererror", "Illegal") => Said::Illegal,
            // Version 1: `My move is: e2e4` and `12. ... Nf6`.
            ("My", "move") => match line.split_once(':').and_then(|(_, mv)| mv.split_whitespace().next()) {
                Some(mv) => Said::Move(mv),
                None => Said::Other,
            },
            (number, "...") if is_move_number(number) => third.map_or(Said::Other, Said::Move),
            _ => parse_report(line).map_or(Said::Other, Said::Report),
        }
    }
}

fn parse_outcome(word: &str) -> Option<KnownOutcome> {
    word.parse().ok()
}

fn is_move_number(word: &str) -> bool {
    word.strip_suffix('.').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Reads ` name=1 other="some text"`.
fn parse_features(mut text: &str) -> Vec<(&str, &str)> {
    let mut features = Vec::new();
    while let Some((key, rest)) = text.split_once('=') {
        let (value, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        features.push((key.trim(), value));
        text = after;
    }
    features
}

/// Reads a line of thinking: depth, centipawns, centiseconds, nodes, moves.
fn parse_report(line: &str) -> Option<Info> {
    let mut words = line.split_whitespace();
    let depth = words.next()?;
    let digits = depth.bytes().take_while(u8::is_ascii_digit).count();
    // Some engines mark the kind of report behind the depth, as in `9.` or `9&`.
    if depth.len() > digits + 1 {
        return None;
    }
    let score: i32 = words.next()?.parse().ok()?;
    let _centiseconds: u64 = words.next()?.parse().ok()?;
    let nodes = words.next()?.parse().ok()?;
    Some(Info {
        line: None,
        depth: Some(depth[..digits].parse().ok()?),
        score: Some(match score.checked_abs() {
            Some(size) if size > MATE_SCORE => Score::Mate((size - MATE_SCORE) * score.signum()),
            _ => Score::Centipawns(score),
        }),
        nodes: Some(nodes),
        best: words.next().map(str::to_owned),
    })
}

/// An xboard engine that is ready to play.
#[derive(Debug)]
pub struct Cecp {
    process: Process,
    name: String,
    mode: CastlingMode,
    features: Features,
    patience: Patience,
    reusable: bool,
    pings: u32,
    /// Moves of the game that the engine knows of; `None` until it was given the game's start.
    known: Option<usize>,
    /// Its last move as it wrote it.
    last_move: String,
}

impl Cecp {
    /// Starts the engine, negotiates its features, sets its options and waits until it is ready.
    pub fn start(spec: &EngineSpec, mode: CastlingMode, patience: Patience, stop: &Stop) -> anyhow::Result<Cecp> {
        let label = spec.label();
        let process = Process::start(spec, stop)
            .with_context(|| format!("engine `{label}`: cannot run `{}`", spec.command.join(" ")))?;
        let mut engine = Cecp {
            process,
            name: String::new(),
            mode,
            features: Features::default(),
            patience,
            reusable: !spec.fresh,
            pings: 0,
            known: None,
            last_move: String::new(),
        };
        engine.greet().with_context(|| format!("engine `{label}`"))?;
        engine.reusable &= engine.features.reuse;
        engine.name = match (&spec.name, &engine.features.name) {
            (Some(name), _) | (None, Some(name)) => name.clone(),
            (None, None) => label.to_owned(),
        };
        if mode == CastlingMode::Chess960 && !engine.features.variants.split(',').any(|v| v.trim() == "fischerandom") {
            bail!("engine `{label}` does not play Chess960");
        }
        for (option, value) in &spec.options {
            engine.set_option(option, value).with_context(|| format!("engine `{label}`"))?;
        }
        for line in &spec.init {
            engine.process.send(line)?;
        }
        engine.await_pong(None).with_context(|| format!("engine `{label}`"))?;
        Ok(engine)
    }

    /// Says hello and reads the features. An engine that says `done=0` asks for more time.
    fn greet(&mut self) -> anyhow::Result<()> {
        self.process.send("xboard")?;
        self.process.send("protover 2")?;
        let start = Instant::now();
        let mut nudge = start + NUDGE_AFTER;
        while self.features.done != Some(true) {
            let patience = match self.features.done {
                Some(false) => self.patience.ready,
                _ => FEATURES_WAIT,
            };
            let deadline = start + patience;
            match self.process.receive(deadline.min(nudge))? {
                Some(heard) => self.hear_feature(&heard.text)?,
                None if Instant::now() < deadline => {
                    self.pings += 1;
                    self.process.send(&format!("ping {}", self.pings))?;
                    nudge = Instant::now() + NUDGE_AFTER / 10;
                }
                None if self.features.done == Some(false) => {
                    bail!("no `feature done=1` within {} s", patience.as_secs())
                }
                // Version 1 of the protocol has no features.
                None => break,
            }
        }
        Ok(())
    }

    fn hear_feature(&mut self, line: &str) -> Result<(), Failure> {
        if let Said::Features(features) = Said::parse(line) {
            for (key, value) in features {
                let verdict = if self.features.set(key, value) { "accepted" } else { "rejected" };
                self.process.send(&format!("{verdict} {key}"))?;
            }
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        let command = match name {
            "memory" if self.features.memory => format!("memory {value}"),
            "cores" if self.features.smp => format!("cores {value}"),
            _ if !self.features.options.iter().any(|known| known == name) => {
                bail!("no option `{name}`; it has {}", self.features.options.join(", "))
            }
            _ if value.is_empty() => format!("option {name}"),
            _ => format!("option {name}={value}"),
        };
        Ok(self.process.send(&command)?)
    }

    /// Waits until the engine has digested everything that it was sent, the moves of a line perhaps. Engines without
    /// `ping` are trusted.
    fn await_pong(&mut self, given: Option<&Line>) -> Result<(), Failure> {
        if !self.features.ping {
            return Ok(());
        }
        self.pings += 1;
        self.process.send(&format!("ping {}", self.pings))?;
        let deadline = Instant::now() + self.patience.ready;
        while let Some(heard) = self.process.receive(deadline)? {
            match Said::parse(&heard.text) {
                Said::Pong(number) if number == self.pings => return Ok(()),
                Said::Illegal if given.is_some_and(|line| is_refusal(&heard.text, line)) => {
                    return Err(Fault::Refusal(heard.text).into());
                }
                _ => {}
            }
        }
        Err(Fault::Unready("ping").into())
    }

    /// A move as this engine wants to read it.
    fn move_command(&self, line: &Line, ply: usize) -> String {
        let played = &line.plies()[ply];
        let text = if self.features.san {
            played.san.trim_end_matches(['+', '#']).to_owned()
        } else if self.mode == CastlingMode::Chess960 && played.mv.is_castle() {
            SanPlus::from_ascii(played.san.as_bytes()).map_or(played.uci.clone(), |san| san.san.to_string())
        } else {
            played.uci.clone()
        };
        if self.features.usermove { format!("usermove {text}") } else { text }
    }

    /// Gives the engine the start of the game and the moves so far, without letting it answer.
    fn set_up(&mut self, line: &Line) -> Result<(), Failure> {
        self.process.send("force")?;
        if let Some(fen) = line.start_fen() {
            self.process.send(&format!("setboard {fen}"))?;
        }
        for ply in 0..line.plies().len() {
            let command = self.move_command(line, ply);
            self.process.send(&command)?;
        }
        self.await_pong(Some(line))
    }

    fn send_clocks(&mut self, turn: &Turn<'_>) -> Result<(), Failure> {
        let Some(mine) = turn.mine.filter(|_| self.features.time) else {
            return Ok(());
        };
        let theirs = turn.theirs.unwrap_or(mine);
        self.process.send(&format!("time {}", centiseconds(mine.time)))?;
        self.process.send(&format!("otim {}", centiseconds(theirs.time)))
    }

    /// Lets the engine think; returns when its clock started.
    fn go(&mut self, turn: &Turn<'_>) -> Result<Instant, Failure> {
        let played = turn.line.plies().len();
        match self.known {
            // It waits for the opponent's move and thinks as soon as it comes.
            Some(known) if known + 1 == played => {
                self.send_clocks(turn)?;
                if turn.draw_offered && self.features.draw {
                    self.process.send("draw")?;
                }
                let command = self.move_command(turn.line, known);
                let start = Instant::now();
                self.process.send(&command)?;
                Ok(start)
            }
            _ => {
                self.set_up(turn.line)?;
                self.send_clocks(turn)?;
                if self.features.colors {
                    self.process.send(turn.line.turn().fold_wb("white", "black"))?;
                }
                let start = Instant::now();
                self.process.send("go")?;
                Ok(start)
            }
        }
    }

    /// Waits for the answer to `go`.
    fn listen(
        &mut self,
        turn: &Turn<'_>,
        watch: &mut Watch<'_>,
        start: Instant,
        mut claim: Option<Claim>,
    ) -> Result<Reply, Failure> {
        let (call, give_up) = (start + turn.call, start + turn.give_up);
        let mut called = false;
        let mut info = Info::default();
        let mut draw = false;
        loop {
            let mut deadline = if called { give_up } else { call };
            if let Some(claim) = &claim {
                deadline = deadline.min(claim.at.max(start) + CLAIM_WAIT);
            }
            let heard = self.process.receive(deadline)?.filter(|heard| heard.at < give_up);
            let Some(heard) = heard else {
                if let Some(claim) = claim {
                    return Err(Fault::FalseClaim(claim.text).into());
                }
                if called {
                    return Err(Fault::Stall(turn.give_up).into());
                }
                self.process.send("?")?;
                called = true;
                continue;
            };
            let elapsed = heard.at - start;
            match Said::parse(&heard.text) {
                Said::Report(newer) => {
                    info.update(newer);
                    if watch(&info).is_break() && !called {
                        self.process.send("?")?;
                        called = true;
                    }
                }
                Said::Move(text) => match parse_move(text, turn.line) {
                    Ok(mv) => {
                        text.clone_into(&mut self.last_move);
                        return Ok(Reply { answer: Answer::Move(mv), draw, info, elapsed });
                    }
                    // GNU Chess says each move in two forms, and the second may come late.
                    Err(_) if text == self.last_move => {}
                    Err(illegal) => return Err(illegal),
                },
                Said::Resign => return Ok(Reply { answer: Answer::Resign, draw, info, elapsed }),
                Said::Claim(outcome) if is_defeat(outcome, turn.line) => {
                    return Ok(Reply { answer: Answer::Resign, draw, info, elapsed });
                }
                Said::Claim(_) => claim = claim.or(Some(Claim { text: heard.text, at: heard.at })),
                Said::OfferDraw => draw = true,
                Said::Illegal if is_refusal(&heard.text, turn.line) => return Err(Fault::Refusal(heard.text).into()),
                Said::Features(_) => self.hear_feature(&heard.text)?,
                Said::Pong(_) | Said::Illegal | Said::Other => {}
            }
        }
    }

    /// Hears what the engine said since its last move: a resignation or a claim may come behind it.
    fn catch_up(&mut self, line: &Line) -> Result<Aftermath, Failure> {
        let mut aftermath = Aftermath::Nothing;
        while let Some(heard) = self.process.pending()? {
            match Said::parse(&heard.text) {
                Said::Resign => return Ok(Aftermath::Resignation),
                Said::Claim(outcome) if is_defeat(outcome, line) => return Ok(Aftermath::Resignation),
                Said::Claim(_) => aftermath = Aftermath::Claim(Claim { text: heard.text, at: heard.at }),
                _ => {}
            }
        }
        Ok(aftermath)
    }
}

/// A win or a draw that an engine says it has. The arbiter ends a game as soon as the rules do, so such a claim is
/// false, unless the move that it belongs to is still to come.
#[derive(Clone, Debug)]
struct Claim {
    text: String,
    at: Instant,
}

/// What an engine said after its move.
#[derive(Clone, Debug)]
enum Aftermath {
    Nothing,
    Resignation,
    Claim(Claim),
}

impl Engine for Cecp {
    fn name(&self) -> &str {
        &self.name
    }

    fn objection(&self, line: &Line, limits: &Limits) -> Option<String> {
        if line.start_fen().is_some() && !self.features.setboard {
            return Some("cannot be given a position (no `setboard`), only moves from the usual start".to_owned());
        }
        if limits.nodes.is_some() {
            return Some("the xboard protocol has no limit by nodes".to_owned());
        }
        if limits.movetime.is_some_and(|time| time.subsec_nanos() != 0) {
            return Some("the xboard protocol counts the time for a move in whole seconds".to_owned());
        }
        None
    }

    fn reusable(&self) -> bool {
        self.reusable
    }

    fn new_game(&mut self, limits: &Limits) -> Result<(), Failure> {
        self.known = None;
        self.last_move.clear();
        self.process.send("new")?;
        if self.mode == CastlingMode::Chess960 {
            self.process.send("variant fischerandom")?;
        }
        if self.features.wants_name {
            self.process.send("computer")?;
        }
        self.process.send("force")?;
        if let Some(clock) = &limits.clock {
            self.process.send(&level_command(clock))?;
        }
        if let Some(time) = limits.movetime {
            self.process.send(&format!("st {}", time.as_secs()))?;
        }
        if let Some(depth) = limits.depth {
            self.process.send(&format!("sd {depth}"))?;
        }
        self.process.send("post")?;
        // No thinking on the opponent's time.
        self.process.send("easy")?;
        self.await_pong(None)
    }

    fn think(&mut self, turn: &Turn<'_>, watch: &mut Watch<'_>) -> Result<Reply, Failure> {
        let claim = match self.catch_up(turn.line)? {
            Aftermath::Resignation => {
                let info = Info::default();
                return Ok(Reply { answer: Answer::Resign, draw: false, info, elapsed: Duration::ZERO });
            }
            Aftermath::Claim(claim) => Some(claim),
            Aftermath::Nothing => None,
        };
        let start = self.go(turn)?;
        let reply = self.listen(turn, watch, start, claim)?;
        self.known = Some(turn.line.plies().len() + 1);
        Ok(reply)
    }

    fn game_over(&mut self, result: &str, reason: &str) {
        // A dead engine is noticed when the next game begins.
        let _ = self.process.send(&format!("result {result} {{{reason}}}"));
        let _ = self.process.send("force");
    }

    fn transcript(&self) -> Vec<String> {
        self.process.transcript()
    }
}

/// `level MOVES MINUTES:SECONDS INCREMENT`. Many engines read whole seconds and divide by them: a short base is
/// told as one second, and the `time` before each move has the truth.
fn level_command(clock: &TimeControl) -> String {
    let seconds = clock.base.as_secs_f64().ceil().max(1.0) as u64;
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let moves = clock.moves.unwrap_or(0);
    format!("level {moves} {minutes}:{seconds:02} {}", clock.increment.as_secs_f64())
}

fn centiseconds(time: Duration) -> u128 {
    (time.as_millis() / 10).max(1)
}

/// Whether an engine complains of the game itself, and not of a command that it does not know.
fn is_refusal(text: &str, line: &Line) -> bool {
    text.contains("position")
        || text.split_whitespace().any(|word| line.plies().iter().any(|ply| word == ply.uci || word == ply.san))
}

/// Whether a claim says that the side to move has lost, which it may say whenever it likes.
fn is_defeat(outcome: KnownOutcome, line: &Line) -> bool {
    outcome.winner() == Some(!line.turn())
}

/// Reads a legal move in coordinates or in algebraic notation.
fn parse_move(text: &str, line: &Line) -> Result<Move, Failure> {
    let position = line.position();
    let coordinates = || text.to_ascii_lowercase().parse::<UciMove>().ok()?.to_move(position).ok();
    let algebraic = || text.replace('0', "O").parse::<SanPlus>().ok()?.san.to_move(position).ok();
    coordinates()
        .or_else(algebraic)
        .filter(|&mv| position.is_legal(mv))
        .ok_or_else(|| Fault::IllegalMove(text.to_owned()).into())
}

#[cfg(test)]
mod tests {
    use shakmaty::Color;

    use super::*;

    #[test]
    fn moves_are_heard_in_new_and_old_forms() {
        for (line, mv) in [
            ("move e2e4", "e2e4"),
            ("move Nf3", "Nf3"),
            ("My move is: e7e8q", "e7e8q"),
            ("My move is : b8c6", "b8c6"),
            ("1. ... b8c6", "b8c6"),
            ("112. ... O-O", "O-O"),
        ] {
            assert_eq!(Said::parse(line), Said::Move(mv), "{line}");
        }
    }

    #[test]
    fn echoes_and_chatter_are_no_moves() {
        for line in ["1. e2e4", "move", "My move is:", "tellics say hello", "moves e2e4", "# e2e4", "", "Sjeng: "] {
            assert_eq!(Said::parse(line), Said::Other, "{line}");
        }
    }

    #[test]
    fn results_offers_and_complaints_are_heard() {
        let white = KnownOutcome::Decisive { winner: Color::White };
        assert_eq!(Said::parse("1-0 {White mates}"), Said::Claim(white));
        assert_eq!(Said::parse("1/2-1/2 {Draw by repetition}"), Said::Claim(KnownOutcome::Draw));
        assert_eq!(Said::parse("resign"), Said::Resign);
        assert_eq!(Said::parse("offer draw"), Said::OfferDraw);
        assert_eq!(Said::parse("Illegal move: e2e5"), Said::Illegal);
        assert_eq!(Said::parse("pong 7"), Said::Pong(7));
    }

    #[test]
    fn complaints_of_unknown_commands_are_no_refusals() {
        let mut line = Line::default();
        line.play(parse_move("e4", &line).unwrap());
        assert!(is_refusal("Illegal move: e2e4", &line));
        assert!(is_refusal("tellusererror Illegal position", &line));
        assert!(!is_refusal("Illegal move: computer", &line));
    }

    #[test]
    fn thinking_is_read() {
        let Said::Report(info) = Said::parse(" 7.  -48  13  60702  Nc6 Nc3") else {
            panic!("not a report");
        };
        assert_eq!(info.depth, Some(7));
        assert_eq!(info.score, Some(Score::Centipawns(-48)));
        assert_eq!(info.nodes, Some(60_702));
        assert_eq!(info.best.as_deref(), Some("Nc6"));
        let Said::Report(info) = Said::parse("9 -100003 5 12 Kh1") else {
            panic!("not a report");
        };
        assert_eq!(info.score, Some(Score::Mate(-3)));
        assert_eq!(Said::parse("16+16 pieces, centr = (1,1)"), Said::Other);
    }

    #[test]
    fn features_are_read_with_their_quotes() {
        let Said::Features(list) = Said::parse(r#"feature myname="A = B" ping=1  option="Resign -check 0" done=1"#)
        else {
            panic!("no features");
        };
        assert_eq!(list, [("myname", "A = B"), ("ping", "1"), ("option", "Resign -check 0"), ("done", "1")]);
        let mut features = Features::default();
        assert!(list.iter().all(|(key, value)| features.set(key, value)));
        assert!(features.ping && features.done == Some(true));
        assert_eq!(features.options, ["Resign"]);
        assert!(!features.set("xedit", "1"));
    }

    #[test]
    fn short_clocks_are_told_as_a_second() {
        let level = |tc: &str| level_command(&tc.parse().unwrap());
        assert_eq!(level("0.2+0.01"), "level 0 0:01 0.01");
        assert_eq!(level("40/90+5"), "level 40 1:30 5");
    }

    #[test]
    fn moves_are_parsed_leniently_but_legally() {
        let line = Line::default();
        for text in ["e2e4", "E2E4", "e4", "Nf3", "Nf3+"] {
            assert!(parse_move(text, &line).is_ok(), "{text}");
        }
        for text in ["e2e5", "Nf6", "O-O", "", "xyzzy", "e2e4q"] {
            assert!(parse_move(text, &line).is_err(), "{text}");
        }
    }
}
