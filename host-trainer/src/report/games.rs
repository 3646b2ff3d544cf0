//! Games of PGN files, replayed by the rules.

use std::{fs::File, ops::ControlFlow, path::Path};

use anyhow::Context;
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{CastlingMode, Chess, Color, KnownOutcome, Outcome};

use crate::{engine::info::Score, epd::parse_position, line::Line};

/// A game with what its tags and comments say.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The game's number in its match, if it has one.
    pub round: Option<u32>,
    /// What people call the opening.
    pub opening: Option<String>,
    /// The tag `Termination`.
    pub termination: Option<String>,
    /// `None`: the game was not finished.
    pub outcome: Option<KnownOutcome>,
    /// Start and moves.
    pub line: Line,
    /// By half-move: the mover's score, turned to White's, where a comment has one.
    pub scores: Vec<Option<Score>>,
    /// The last comment: why the game ended.
    pub reason: Option<String>,
}

impl Game {
    /// Half points of a side: 0, 1 or 2; `None` if the game was not finished.
    #[must_use]
    pub fn half_points(&self, side: Color) -> Option<usize> {
        Some(match self.outcome? {
            KnownOutcome::Draw => 1,
            KnownOutcome::Decisive { winner } => {
                if winner == side {
                    2
                } else {
                    0
                }
            }
        })
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[must_use]
    pub fn result(&self) -> &'static str {
        match self.half_points(Color::White) {
            Some(2) => "1-0",
            Some(1) => "½-½",
            Some(_) => "0-1",
            None => "*",
        }
    }
}

/// Reads all games of a file.
///
/// # Errors
/// If the file cannot be read, or has a game with a start or a move that is none: the message says which.
pub fn read(path: &Path) -> anyhow::Result<Vec<Game>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut reader = Reader::new(file);
    let mut games = Vec::new();
    loop {
        let place = || format!("{}, game {}", path.display(), games.len() + 1);
        let Some(game) = reader.read_game(&mut GameReader).with_context(place)? else { return Ok(games) };
        games.push(game.with_context(place)?);
    }
}

struct GameReader;

#[derive(Default)]
struct Tags {
    game: Game,
    fen: Option<String>,
    chess960: bool,
}

impl Visitor for GameReader {
    type Tags = Tags;
    type Movetext = Game;
    type Output = anyhow::Result<Game>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let text = value.decode_utf8_lossy().into_owned();
        match name {
            b"White" => tags.game.white = text,
            b"Black" => tags.game.black = text,
            b"Round" => tags.game.round = text.parse().ok(),
            b"Opening" => tags.game.opening = Some(text),
            b"Termination" => tags.game.termination = Some(text),
            b"Result" => tags.game.outcome = text.parse::<Outcome>().ok().and_then(|outcome| outcome.known()),
            b"FEN" => tags.fen = Some(text),
            b"Variant" => {
                tags.chess960 = ["chess960", "fischerandom", "fischer random"].contains(&&*text.to_lowercase());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Game> {
        let mode = if tags.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let start = match &tags.fen {
            Some(fen) => match parse_position(fen, mode) {
                Ok(start) => start,
                Err(error) => return ControlFlow::Break(Err(error.into())),
            },
            None => Chess::default(),
        };
        ControlFlow::Continue(Game { line: Line::new(start), ..tags.game })
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Self::Output> {
        match san.san.to_move(game.line.position()) {
            Ok(mv) => {
                game.line.play(mv);
                game.scores.push(None);
                game.reason = None;
                ControlFlow::Continue(())
            }
            Err(error) => {
                let number = game.line.plies().len() + 1;
                ControlFlow::Break(Err(anyhow::anyhow!("half-move {number}, `{san}`: {error}")))
            }
        }
    }

    fn comment(&mut self, game: &mut Game, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let text = String::from_utf8_lossy(comment.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ");
        match (score(&text), game.scores.last_mut()) {
            (Some(score), Some(last)) => {
                // The mover is the side that is not to move now.
                *last = Some(if game.line.turn() == Color::Black { score } else { score.reversed() });
            }
            _ => game.reason = Some(text),
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Game) -> Self::Output {
        Ok(game)
    }
}

/// The score of a comment such as `+0.35/12 0.105s` or `-M4/9`.
fn score(comment: &str) -> Option<Score> {
    let first = comment.split([' ', '/']).next()?;
    let (sign, size) = match first.as_bytes().first()? {
        b'+' => (1, &first[1..]),
        b'-' => (-1, &first[1..]),
        _ => (1, first),
    };
    if let Some(plies) = size.strip_prefix('M') {
        // Mates are counted in plies: an odd number is the mover's own.
        return Some(Score::Mate(sign * (plies.parse::<i32>().ok()? + 1) / 2));
    }
    let (pawns, hundredths) = size.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(pawns) || hundredths.len() != 2 || !digits(hundredths) {
        return None;
    }
    let cp: f64 = size.parse().ok()?;
    Some(Score::Centipawns(sign * (cp * 100.0).round() as i32))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn games(text: &str) -> anyhow::Result<Vec<Game>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("games.pgn");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn tags_moves_scores_and_the_reason_are_read() {
        let text = "[White \"A\"]\n[Black \"B\"]\n[Round \"3\"]\n[Result \"0-1\"]\n[Opening \"Fool's Mate\"]\n\n\
                    1. f3 e5 2. g4 {-0.35/12 0.105s} 2... Qh4# {+M1/3 0.004s} {Black\nmates} 0-1\n\n\
                    [Result \"*\"]\n\n1. e4 {a good move} *\n";
        let games = games(text).unwrap();
        let mate = &games[0];
        assert_eq!((mate.white.as_str(), mate.black.as_str(), mate.round), ("A", "B", Some(3)));
        assert_eq!((mate.half_points(Color::White), mate.half_points(Color::Black)), (Some(0), Some(2)));
        assert_eq!(mate.scores, [None, None, Some(Score::Centipawns(-35)), Some(Score::Mate(-1))]);
        assert_eq!(mate.reason.as_deref(), Some("Black mates"));
        assert_eq!(mate.opening.as_deref(), Some("Fool's Mate"));
        assert_eq!((games[1].result(), games[1].scores.as_slice()), ("*", [None].as_slice()));
    }

    #[test]
    fn what_is_wrong_is_placed() {
        let fault = |text: &str| format!("{:#}", games(text).unwrap_err());
        assert!(fault("1. e4 *\n\n[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n").contains("game 2: half-move 3, `Ke3`"));
        assert!(fault("[FEN \"8/8 w\"]\n\n*\n").contains("game 1: "));
    }

    #[test]
    fn other_comments_are_no_scores() {
        for text in ["0.105s", "12", "+0.3", "book", "", "M", "+Mx/2", "1-0", "é"] {
            assert_eq!(score(text), None, "{text}");
        }
        assert_eq!(score("0.00/1"), Some(Score::Centipawns(0)));
        assert_eq!(score("-12.34"), Some(Score::Centipawns(-1234)));
        assert_eq!(score("-M4/9"), Some(Score::Mate(-2)));
        assert_eq!(score("+M5"), Some(Score::Mate(3)));
    }
}
