//! Games as PGN text (Edwards 1994), with each move's score, depth and time in a comment as cutechess writes them.

use std::{
    fmt::Write as _,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use shakmaty::{CastlingMode, Color, Position};
use time::OffsetDateTime;

use super::game::{Ending, Game, MoveNote, Verdict};
use crate::{
    engine::{fault::Fault, limits::Limits},
    line::Line,
};

/// Width of movetext that the export format asks for.
const LINE_WIDTH: usize = 79;

/// What a game's tags say beside the game itself.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The match.
    pub event: &'a str,
    /// The game's number in the match, from 1.
    pub round: usize,
    /// White's name.
    pub white: &'a str,
    /// Black's name.
    pub black: &'a str,
    /// White's limits.
    pub white_limits: &'a Limits,
    /// Black's limits.
    pub black_limits: &'a Limits,
    /// What people call the opening.
    pub opening: Option<&'a str>,
    /// When the game ended.
    pub date: OffsetDateTime,
}

/// A file that games are added to, each in one write, so that it is whole whenever we are stopped.
#[derive(Debug)]
pub struct PgnFile(File);

impl PgnFile {
    /// Opens a file to append to, or makes it.
    pub fn open(path: &Path) -> io::Result<PgnFile> {
        OpenOptions::new().create(true).append(true).open(path).map(PgnFile)
    }

    /// Adds a game.
    pub fn add(&mut self, heading: &Heading<'_>, game: &Game) -> io::Result<()> {
        self.0.write_all(format(heading, game).as_bytes())?;
        self.0.flush()
    }
}

/// A game as text, with the blank line behind it.
pub fn format(heading: &Heading<'_>, game: &Game) -> String {
    let opening_plies = game.opening_plies();
    let comments = |ply: usize| Some(comment(game.notes.get(ply.checked_sub(opening_plies)?)?));
    assemble(&tags(heading, game), &movetext(&game.line, opening_plies, Some(&game.verdict), comments))
}

/// Puts a game together: the tags with their values, and words between which a line may be broken.
pub(crate) fn assemble(tags: &[(&str, String)], words: &[String]) -> String {
    let mut text = String::new();
    for (name, value) in tags {
        let value = value.replace('\\', r"\\").replace('"', "\\\"");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    let mut width = 0;
    for token in words {
        let length = token.chars().count();
        if width > 0 {
            let breaks = width + 1 + length > LINE_WIDTH;
            text.push(if breaks { '\n' } else { ' ' });
            width = if breaks { 0 } else { width + 1 };
        }
        text.push_str(token);
        width += length;
    }
    text.push_str("\n\n");
    text
}

fn tags(heading: &Heading<'_>, game: &Game) -> Vec<(&'static str, String)> {
    let date = heading.date;
    let mut tags = vec![
        ("Event", heading.event.to_owned()),
        ("Site", "?".to_owned()),
        ("Date", format!("{:04}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day())),
        ("Round", heading.round.to_string()),
        ("White", heading.white.to_owned()),
        ("Black", heading.black.to_owned()),
        ("Result", game.verdict.result().to_owned()),
    ];
    if game.line.mode() == CastlingMode::Chess960 {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    if let Some(opening) = heading.opening {
        tags.push(("Opening", opening.to_owned()));
    }
    if let Some(fen) = game.line.start_fen() {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", fen));
    }
    tags.push(("PlyCount", game.line.plies().len().to_string()));
    tags.push(("Termination", termination(&game.verdict).to_owned()));
    let (white, black) = (heading.white_limits, heading.black_limits);
    if white == black && white.clock.is_some() {
        tags.push(("TimeControl", white.to_string()));
    } else {
        // The standard has one tag, for one clock.
        tags.push(("TimeControl", "-".to_owned()));
        tags.push(("WhiteTimeControl", white.to_string()));
        tags.push(("BlackTimeControl", black.to_string()));
    }
    tags
}

/// The standard's words for how a game ended.
pub(crate) fn termination(verdict: &Verdict) -> &'static str {
    match &verdict.ending {
        Ending::Ruling(_) | Ending::Resignation(_) | Ending::Agreement => "normal",
        Ending::Adjudicated(_) => "adjudication",
        Ending::Fault(_, Fault::TimeLoss(_) | Fault::Stall(_)) => "time forfeit",
        Ending::Fault(_, Fault::Crash(_) | Fault::Unready(_)) => "abandoned",
        Ending::Fault(
            _,
            Fault::Flood(_) | Fault::Unscored | Fault::IllegalMove(_) | Fault::Refusal(_) | Fault::FalseClaim(_),
        ) => "rules infraction",
    }
}

/// The words of a game's moves and result: between any two a line may be broken. A game without a verdict goes on.
/// `comment` gives what is to be said of a half-move, counted from 0; moves behind the opening are numbered even for
/// Black, as a comment stands before them.
pub(crate) fn movetext(
    line: &Line,
    opening_plies: usize,
    verdict: Option<&Verdict>,
    comment: impl Fn(usize) -> Option<String>,
) -> Vec<String> {
    let start = line.start();
    let mut tokens = Vec::new();
    let mut number = start.fullmoves().get();
    let mut mover = start.turn();
    for (ply, played) in line.plies().iter().enumerate() {
        if mover == Color::White {
            tokens.push(format!("{number}."));
        } else if ply == 0 || ply > opening_plies {
            tokens.push(format!("{number}..."));
        }
        tokens.push(played.san.clone());
        if let Some(comment) = comment(ply) {
            tokens.extend(comment.split(' ').map(str::to_owned));
        }
        number += u32::from(mover == Color::Black);
        mover = !mover;
    }
    if let Some(verdict) = verdict {
        let reason = format!("{{{}}}", verdict.to_string().replace(['{', '}'], ""));
        tokens.extend(reason.split_whitespace().map(str::to_owned));
    }
    tokens.push(verdict.map_or("*", Verdict::result).to_owned());
    tokens
}

/// `{+0.35/12 0.105s}`: score from the mover's side, depth, time.
pub(crate) fn comment(note: &MoveNote) -> String {
    let time = note.elapsed.as_secs_f64();
    match note.score {
        Some(score) => format!("{{{score}/{} {time:.3}s}}", note.depth.unwrap_or(0)),
        None => format!("{{{time:.3}s}}"),
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Cursor, ops::ControlFlow, time::Duration};

    use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
    use shakmaty::Chess;

    use super::*;
    use crate::{engine::info::Score, epd, line::Ruling};

    fn played(start: Chess, moves: &[&str], notes: Vec<MoveNote>, verdict: Verdict) -> Game {
        let mut line = Line::new(start);
        for text in moves {
            line.play(epd::parse_move(text, line.position()).unwrap());
        }
        Game { line, notes, verdict }
    }

    fn note(cp: i32, depth: u32, ms: u64) -> MoveNote {
        MoveNote { score: Some(Score::Centipawns(cp)), depth: Some(depth), elapsed: Duration::from_millis(ms) }
    }

    fn mate() -> Game {
        let verdict = Verdict { winner: Some(Color::Black), ending: Ending::Ruling(Ruling::Checkmate) };
        let notes = vec![note(-35, 12, 105), MoveNote { score: Some(Score::Mate(1)), ..note(0, 3, 4) }];
        played(Chess::default(), &["f3", "e5", "g4", "Qh4#"], notes, verdict)
    }

    fn heading(limits: &Limits) -> Heading<'_> {
        Heading {
            event: "a \"test\"",
            round: 3,
            white: "A",
            black: "B",
            white_limits: limits,
            black_limits: limits,
            opening: Some("Fool's Mate"),
            date: OffsetDateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_game_with_all_its_tags() {
        let limits = Limits { clock: "40/60+0.5".parse().ok(), ..Limits::default() };
        let expected = "\
[Event \"a \\\"test\\\"\"]
[Site \"?\"]
[Date \"1970.01.01\"]
[Round \"3\"]
[White \"A\"]
[Black \"B\"]
[Result \"0-1\"]
[Opening \"Fool's Mate\"]
[PlyCount \"4\"]
[Termination \"normal\"]
[TimeControl \"40/60+0.5\"]

1. f3 e5 2. g4 {-0.35/12 0.105s} 2... Qh4# {+M1/3 0.004s} {Black mates} 0-1

";
        assert_eq!(format(&heading(&limits), &mate()), expected);
    }

    #[test]
    fn other_starts_and_unequal_limits() {
        let start = epd::parse_position("4k3/8/8/8/8/8/4P3/4K3 b - - 3 40", CastlingMode::Standard).unwrap();
        let verdict = Verdict {
            winner: Some(Color::White),
            ending: Ending::Fault(Color::Black, Fault::IllegalMove("e9".to_owned())),
        };
        let game = played(start, &["Kd7", "e4"], vec![note(0, 1, 1), note(0, 1, 1)], verdict);
        let (nodes, depth) =
            (Limits { nodes: Some(500), ..Limits::default() }, Limits { depth: Some(2), ..Limits::default() });
        let text = format(&Heading { black_limits: &depth, ..heading(&nodes) }, &game);
        for part in [
            "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]",
            "[Termination \"rules infraction\"]",
            "[TimeControl \"-\"]\n[WhiteTimeControl \"nodes=500\"]\n[BlackTimeControl \"depth=2\"]",
            "40... Kd7 {0.00/1 0.001s} 41. e4 {0.00/1 0.001s}",
            "{Black played the illegal move\n`e9`} 1-0",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(text.lines().all(|line| line.len() <= LINE_WIDTH));
    }

    struct Moves;

    impl Visitor for Moves {
        type Tags = Vec<String>;
        type Movetext = (Vec<String>, usize);
        type Output = (Vec<String>, usize);

        fn begin_tags(&mut self) -> ControlFlow<Self::Output, Vec<String>> {
            ControlFlow::Continue(Vec::new())
        }

        fn tag(&mut self, tags: &mut Vec<String>, _: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
            tags.push(value.decode_utf8_lossy().into_owned());
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, tags: Vec<String>) -> ControlFlow<Self::Output, Self::Movetext> {
            ControlFlow::Continue((tags, 0))
        }

        fn san(&mut self, game: &mut Self::Movetext, _: SanPlus) -> ControlFlow<Self::Output> {
            game.1 += 1;
            ControlFlow::Continue(())
        }

        fn end_game(&mut self, game: Self::Movetext) -> Self::Output {
            game
        }
    }

    #[test]
    fn appended_games_can_be_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("games.pgn");
        let limits = Limits::default();
        for _ in 0..2 {
            PgnFile::open(&path).unwrap().add(&heading(&limits), &mate()).unwrap();
        }
        let mut reader = Reader::new(Cursor::new(std::fs::read(&path).unwrap()));
        for _ in 0..2 {
            let (tags, moves) = reader.read_game(&mut Moves).unwrap().unwrap();
            assert_eq!(tags[0], "a \"test\"");
            assert_eq!(moves, 4);
        }
        assert!(reader.read_game(&mut Moves).unwrap().is_none());
    }
}
