//! Games as PGN text, with scores in the comments: those of cutechess and of `trainer arena` (`{+0.35/12 0.1s}`, for
//! the position before the move, from the mover's side) and those of Lichess (`{[%eval 0.35]}`, for the position after
//! the move, from White's side).

use std::{
    cell::Cell,
    io::{self, Read, Write},
    ops::ControlFlow,
    rc::Rc,
};

use engine_core::chess::{Board, Colour, FenError, File, Move, START_FEN, Square, Wing};
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{CastlingMode, Chess, Color, KnownOutcome, Position};

use super::{
    format::{Damage, Source},
    game::{Game, MATE, MATE_FROM, Outcome, Sample, ply_of, score_seen_by},
};
use crate::epd;

/// Comments up to this length are read whole.
const COMMENT_BYTES: usize = 4096;
/// Width of movetext that the export format asks for.
const LINE_WIDTH: usize = 79;

/// Reads games one after another.
#[derive(Debug)]
pub struct PgnReader<R> {
    reader: Reader<Lines<R>>,
    /// Lines that ended in what was read; the reader has not yet looked at all of it.
    lines: Rc<Cell<u64>>,
    /// For warnings.
    name: String,
    games: u64,
    /// Games without a result, which teach nothing of it.
    unfinished: u64,
    ratings: Ratings,
}

/// What the players of a game are rated, if the file says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratings {
    /// White's rating.
    pub white: Option<u16>,
    /// Black's rating.
    pub black: Option<u16>,
}

impl Ratings {
    /// The rating of a colour.
    pub fn of(self, colour: Colour) -> Option<u16> {
        if colour == Colour::White { self.white } else { self.black }
    }
}

impl<R: Read> PgnReader<R> {
    /// A reader that calls its file `name`.
    pub fn new(input: R, name: String) -> PgnReader<R> {
        let lines = Rc::new(Cell::new(0));
        let reader = Reader::build(Lines { input, ended: Rc::clone(&lines) })
            .set_supported_comment_length(COMMENT_BYTES)
            .set_supported_tag_line_length(COMMENT_BYTES)
            .finish();
        PgnReader { reader, lines, name, games: 0, unfinished: 0, ratings: Ratings::default() }
    }

    /// The ratings of the game that was read last.
    pub fn ratings(&self) -> Ratings {
        self.ratings
    }

    /// Something wrong where the reader is.
    fn damage(&self, number: u64, problem: String) -> Damage {
        let line = 1 + self.lines.get() - line_ends(self.reader.buffer());
        Damage { number, offset: None, line: Some(line), problem }
    }
}

/// Counts the lines of what passes through.
#[derive(Debug)]
struct Lines<R> {
    input: R,
    ended: Rc<Cell<u64>>,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(bytes)?;
        self.ended.set(self.ended.get() + line_ends(&bytes[..read]));
        Ok(read)
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

impl<R: Read> Source for PgnReader<R> {
    /// Reads a game. Games without a result are left out, with one warning at the end of the file.
    fn next(&mut self, game: &mut Game) -> anyhow::Result<bool> {
        loop {
            game.samples.clear();
            self.ratings = Ratings::default();
            let mut listener = Listener { samples: &mut game.samples, ratings: &mut self.ratings };
            let read = self.reader.read_game(&mut listener).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => self.damage(self.games + 1, error.to_string()).into(),
                _ => anyhow::Error::from(error),
            })?;
            let Some(read) = read else { break };
            self.games += 1;
            let outcome = read.map_err(|problem| self.damage(self.games, problem))?;
            let Some(outcome) = outcome else {
                self.unfinished += 1;
                continue;
            };
            for sample in &mut game.samples {
                sample.outcome = outcome.seen_by(sample.board.side_to_move());
            }
            return Ok(true);
        }
        if self.unfinished > 0 {
            tracing::warn!("{}: {} games have no result and are left out", self.name, self.unfinished);
        }
        game.samples.clear();
        Ok(false)
    }
}

/// Takes down the positions of a game as it is read.
struct Listener<'a> {
    samples: &'a mut Vec<Sample>,
    ratings: &'a mut Ratings,
}

#[derive(Default)]
struct Tags {
    fen: Option<String>,
    outcome: Option<Outcome>,
}

/// The game as far as it is read.
struct Progress {
    /// Reads the moves' notation.
    position: Chess,
    /// The same position.
    board: Board,
    ply: u32,
    /// A score for the position now, from White's side.
    score: Option<i16>,
    /// White's result.
    outcome: Option<Outcome>,
}

impl Visitor for Listener<'_> {
    type Tags = Tags;
    type Movetext = Progress;
    /// White's result if there is one; what is wrong with the game.
    type Output = Result<Option<Outcome>, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        if name.eq_ignore_ascii_case(b"FEN") {
            tags.fen = Some(value.decode_utf8_lossy().into_owned());
        } else if name.eq_ignore_ascii_case(b"Result") {
            tags.outcome = match value.as_bytes() {
                b"1-0" => Some(Outcome::Win),
                b"1/2-1/2" => Some(Outcome::Draw),
                b"0-1" => Some(Outcome::Loss),
                _ => None,
            };
        } else if name.eq_ignore_ascii_case(b"WhiteElo") {
            self.ratings.white = value.decode_utf8_lossy().parse().ok();
        } else if name.eq_ignore_ascii_case(b"BlackElo") {
            self.ratings.black = value.decode_utf8_lossy().parse().ok();
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Progress> {
        let fen = tags.fen.as_deref().unwrap_or(START_FEN);
        let read = epd::parse_position(fen, CastlingMode::Chess960).map_err(|error| error.to_string());
        let board = Board::from_fen(fen).map_err(|error: FenError| format!("FEN {fen}: {error}"));
        match read.and_then(|position| Ok((position, board?))) {
            Ok((position, board)) => ControlFlow::Continue(Progress {
                position,
                board,
                ply: ply_of(&board),
                score: None,
                outcome: tags.outcome,
            }),
            Err(problem) => ControlFlow::Break(Err(problem)),
        }
    }

    fn san(&mut self, game: &mut Progress, san: SanPlus) -> ControlFlow<Self::Output> {
        let played = san.san.to_move(&game.position).ok().and_then(|mv| Some((mv, own_move(mv)?)));
        let Some((mv, own)) = played.filter(|&(_, own)| game.board.is_legal(own)) else {
            return ControlFlow::Break(Err(format!("{san} is not legal in {}", game.board.fen())));
        };
        let us = game.board.side_to_move();
        self.samples.push(Sample {
            board: game.board,
            played: Some(own),
            score: game.score.take().map(|score| score_seen_by(score, us)),
            // Set when the result is known.
            outcome: Outcome::Draw,
            ply: Some(game.ply),
        });
        game.position.play_unchecked(mv);
        game.board.play(own);
        game.ply += 1;
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Progress, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let text = String::from_utf8_lossy(comment.as_bytes());
        match Note::read(&text) {
            Some(Note::Mover(score)) => {
                if let Some(last) = self.samples.last_mut() {
                    last.score = Some(score);
                }
            }
            Some(Note::White(score)) => game.score = Some(score),
            Some(Note::Mate(moves)) => game.score = Some(mate_score(moves, game.board.side_to_move())),
            None => {}
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Progress, outcome: shakmaty::Outcome) -> ControlFlow<Self::Output> {
        game.outcome = match outcome {
            shakmaty::Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => Some(Outcome::Win),
            shakmaty::Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => Some(Outcome::Loss),
            shakmaty::Outcome::Known(KnownOutcome::Draw) => Some(Outcome::Draw),
            shakmaty::Outcome::Unknown => None,
        };
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Progress) -> Self::Output {
        Ok(game.outcome)
    }
}

/// A move of shakmaty's as our own.
fn own_move(mv: shakmaty::Move) -> Option<Move> {
    use engine_core::chess::Role;
    let square = |square: shakmaty::Square| Square::new(u8::from(square));
    Some(match mv {
        shakmaty::Move::Normal { from, to, promotion: None, .. } => Move::normal(square(from), square(to)),
        shakmaty::Move::Normal { from, to, promotion: Some(role), .. } => {
            Move::promotion(square(from), square(to), Role::from_letter(role.char() as u8)?)
        }
        shakmaty::Move::EnPassant { from, to } => Move::en_passant(square(from), square(to)),
        shakmaty::Move::Castle { king, rook } => Move::castling(square(king), square(rook)),
        shakmaty::Move::Put { .. } => return None,
    })
}

/// A score in a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Note {
    /// Of the position before the last move, from the mover's side.
    Mover(i16),
    /// Of the position after the last move, from White's side.
    White(i16),
    /// After the last move White mates in so many moves, or Black if it is negative.
    Mate(i16),
}

impl Note {
    fn read(comment: &str) -> Option<Note> {
        if let Some((_, rest)) = comment.split_once("[%eval ") {
            let end = rest.find([']', ',']).unwrap_or(rest.len());
            let text = rest[..end].trim();
            return match text.strip_prefix('#') {
                Some(moves) => moves.parse().ok().map(Note::Mate),
                None => centipawns(text).map(Note::White),
            };
        }
        let (score, depth) = comment.split_whitespace().next()?.split_once('/')?;
        if !depth.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        Some(Note::Mover(match score.split_once('M') {
            Some(("" | "+", plies)) => MATE - mate_distance(plies.parse().ok()?),
            Some(("-", plies)) => mate_distance(plies.parse().ok()?) - MATE,
            Some(_) => return None,
            None => centipawns(score)?,
        }))
    }
}

/// Pawns as text; a score beyond the mates' bound stays below it.
fn centipawns(text: &str) -> Option<i16> {
    let pawns: f64 = text.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
    let bound = f64::from(MATE_FROM - 1);
    Some((pawns * 100.0).round().clamp(-bound, bound) as i16)
}

/// Plies to a mate, of those that a mate's score can hold.
fn mate_distance(plies: u16) -> i16 {
    plies.min((MATE - MATE_FROM) as u16) as i16
}

/// White's score of a mate in moves, with this side to move: a side that mates in one does it now or a ply later.
fn mate_score(moves: i16, to_move: Colour) -> i16 {
    let mating = if moves > 0 { Colour::White } else { Colour::Black };
    let plies = (2 * moves.unsigned_abs().min(2000)).saturating_sub(u16::from(mating == to_move));
    score_seen_by(MATE - mate_distance(plies), mating)
}

/// Writes a game, with the scores as cutechess does. Says how many positions are left out: none.
///
/// # Errors
/// On failing to write.
pub fn write(out: &mut dyn Write, game: &Game) -> anyhow::Result<usize> {
    let (Some(first), Some(outcome)) = (game.samples.first(), game.white_outcome()) else { return Ok(0) };
    let result = match outcome {
        Outcome::Win => "1-0",
        Outcome::Draw => "1/2-1/2",
        Outcome::Loss => "0-1",
    };
    for name in ["Event", "Site", "Date", "Round", "White", "Black"] {
        writeln!(out, "[{name} \"{}\"]", if name == "Date" { "????.??.??" } else { "?" })?;
    }
    writeln!(out, "[Result \"{result}\"]")?;
    if is_chess960(&first.board) {
        writeln!(out, "[Variant \"Chess960\"]")?;
    }
    if first.board != Board::start() {
        writeln!(out, "[SetUp \"1\"]\n[FEN \"{}\"]", first.board.fen())?;
    }
    let mut width = 0;
    for word in words(game).chain([result.to_owned()]) {
        let breaks = width == 0 || width + 1 + word.len() > LINE_WIDTH;
        write!(out, "{}{word}", if breaks { '\n' } else { ' ' })?;
        width = if breaks { word.len() } else { width + 1 + word.len() };
    }
    out.write_all(b"\n\n")?;
    Ok(0)
}

/// Words between which a line may be broken.
fn words(game: &Game) -> impl Iterator<Item = String> {
    let mut commented = true;
    game.samples.iter().flat_map(move |sample| {
        let number = sample.board.fullmove_number();
        let number = match sample.board.side_to_move() {
            Colour::White => Some(format!("{number}.")),
            Colour::Black => commented.then(|| format!("{number}...")),
        };
        let san = sample.played.map(|mv| sample.board.san(mv).to_string());
        let comment = sample.score.map(|score| format!("{{{}/0}}", pawns(score)));
        commented = comment.is_some();
        number.into_iter().chain(san).chain(comment)
    })
}

/// `+0.35`, `-M4`: pawns, or plies to the mate.
fn pawns(score: i16) -> String {
    let sign = if score > 0 { '+' } else { '-' };
    let size = score.unsigned_abs();
    if size >= MATE_FROM as u16 {
        format!("{sign}M{}", (MATE as u16).saturating_sub(size))
    } else if score == 0 {
        "0.00".to_owned()
    } else {
        format!("{sign}{}.{:02}", size / 100, size % 100)
    }
}

/// Whether its castling rights are of Chess960 alone.
fn is_chess960(board: &Board) -> bool {
    Colour::ALL.into_iter().any(|colour| {
        Wing::ALL.into_iter().any(|wing| {
            let usual = if wing == Wing::King { File::H } else { File::A };
            let rook = board.castling().rook_file(colour, wing);
            rook.is_some_and(|file| file != usual || board.king(colour).file() != File::E)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pgn: &str) -> anyhow::Result<Vec<Game>> {
        let mut reader = PgnReader::new(pgn.as_bytes(), "test.pgn".to_owned());
        let mut games = Vec::new();
        let mut game = Game::default();
        while reader.next(&mut game)? {
            games.push(game.clone());
        }
        Ok(games)
    }

    fn scores(game: &Game) -> Vec<Option<i16>> {
        game.samples.iter().map(|sample| sample.score).collect()
    }

    #[test]
    fn scores_of_cutechess_are_the_movers_before_the_move() {
        let pgn = "[Result \"0-1\"]\n\n1. f3 {book} e5 {+0.35/12 0.105s} 2. g4 {-M2/7 0.1s} \
                   2... Qh4# {+M1/3 0.004s, Black mates} {Black mates} 0-1\n";
        let games = read(pgn).unwrap();
        assert_eq!(scores(&games[0]), [None, Some(35), Some(2 - MATE), Some(MATE - 1)]);
        let outcomes: Vec<_> = games[0].samples.iter().map(|sample| sample.outcome).collect();
        assert_eq!(outcomes, [Outcome::Loss, Outcome::Win, Outcome::Loss, Outcome::Win]);
        assert_eq!(games[0].samples[3].ply, Some(3));
    }

    #[test]
    fn ratings_are_of_the_game_that_was_read() {
        let pgn = "[WhiteElo \"2500\"]\n[BlackElo \"?\"]\n\n1. e4 1-0\n\n[BlackElo \"1450\"]\n\n1. d4 0-1\n";
        let mut reader = PgnReader::new(pgn.as_bytes(), "test.pgn".to_owned());
        let mut game = Game::default();
        let mut ratings = Vec::new();
        while reader.next(&mut game).unwrap() {
            ratings.push((reader.ratings().of(Colour::White), reader.ratings().of(Colour::Black)));
        }
        assert_eq!(ratings, [(Some(2500), None), (None, Some(1450))]);
    }

    #[test]
    fn scores_of_lichess_are_whites_after_the_move() {
        let pgn = "1. f3 { [%eval -0.6] [%clk 0:10:00] } e5 { [%eval -0.83,20] } 2. g4 { [%eval #-1] } Qh4# 0-1\n";
        let games = read(pgn).unwrap();
        assert_eq!(scores(&games[0]), [None, Some(60), Some(-83), Some(MATE - 1)]);
    }

    #[test]
    fn comments_that_hold_no_score() {
        for comment in ["", "book", "0.105s", "a/b", "+0.35/x", "[%clk 0:10:00]", "[%eval ]", "xM4/2", "nan/1"] {
            assert_eq!(Note::read(comment), None, "{comment}");
        }
        assert_eq!(Note::read("-1234.5/1"), Some(Note::Mover(1 - MATE_FROM)), "no mate");
        assert_eq!(Note::read("+M65535/1"), Some(Note::Mover(MATE_FROM)), "a mate still");
        assert_eq!(Note::read("[%eval #-32768]"), Some(Note::Mate(i16::MIN)));
        assert_eq!(Note::read("[%eval #32768]"), None);
    }

    #[test]
    fn mates_in_moves_are_plies_by_who_moves() {
        for (moves, to_move, score) in [
            (1, Colour::White, MATE - 1),
            (1, Colour::Black, MATE - 2),
            (-1, Colour::Black, 1 - MATE),
            (-3, Colour::White, 6 - MATE),
            (i16::MAX, Colour::White, MATE_FROM),
            (i16::MIN, Colour::White, -MATE_FROM),
        ] {
            assert_eq!(mate_score(moves, to_move), score, "{moves} {to_move:?}");
        }
    }

    #[test]
    fn tags_set_the_start_and_the_result() {
        let pgn = "[SetUp \"1\"]\n[FEN \"1rk2r2/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w FBfb - 0 5\"]\n[Result \"1/2-1/2\"]\n\n1. O-O {0.00/1}\n";
        let games = read(pgn).unwrap();
        let sample = &games[0].samples[0];
        assert_eq!((sample.outcome, sample.score, sample.ply), (Outcome::Draw, Some(0), Some(8)));
        assert_eq!(sample.played.map(|mv| sample.board.san(mv).to_string()).as_deref(), Some("O-O"));
    }

    #[test]
    fn games_without_a_result_are_left_out_and_impossible_ones_are_named() {
        let games = read("1. e4 {0.00/1} *\n\n1. d4 {0.00/1} (1. c4 c5) d5 1-0\n\n1. c4").unwrap();
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].samples.len(), 2);
        let error = read("1. e4 1-0\n\n1. e4\ne4 1-0\n").unwrap_err().to_string();
        assert!(error.starts_with("number 2 (line 4) is damaged: e4 is not legal in "), "{error}");
        let error = read("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 1-0\n").unwrap_err().to_string();
        assert!(error.starts_with("number 1 (line 3) is damaged: "), "{error}");
        let error = read("1. e4 {so far\nso good\n").unwrap_err().to_string();
        assert_eq!(error, "number 1 (line 3) is damaged: unterminated comment");
    }

    #[test]
    fn lines_are_counted_in_a_file_longer_than_any_buffer() {
        let game = "[Event \"?\"]\r\n\r\n1. e4 {a comment\r\nof two lines} e5 1-0\r\n\r\n";
        let pgn = game.repeat(20_000) + "1. e4 e5\r\n2. Ke3\r\n1-0\r\n";
        let error = read(&pgn).unwrap_err().to_string();
        assert!(error.starts_with("number 20001 (line 100002) is damaged: Ke3 is not legal in "), "{error}");
    }

    #[test]
    fn a_written_game_reads_as_it_was() {
        let pgn = "1. e4 {+0.05/9} e5 2. Nf3 {-12.34/9} Nc6 {+M7/9} 3. Bb5 {-M8/9} 1/2-1/2\n";
        let games = read(pgn).unwrap();
        let mut out = Vec::new();
        write(&mut out, &games[0]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.ends_with(
                "\n\n1. e4 {+0.05/0} 1... e5 2. Nf3 {-12.34/0} 2... Nc6 {+M7/0} 3. Bb5 {-M8/0}\n1/2-1/2\n\n"
            )
        );
        assert_eq!(read(&text).unwrap(), games);
    }
}
