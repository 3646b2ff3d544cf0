//! The openings of the games in a PGN file.

use std::{io::Read, ops::ControlFlow};

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use shakmaty::{CastlingMode, Chess, KnownOutcome, Outcome, Position};

use super::{
    polyglot,
    tally::{Played, Tallies},
};
use crate::epd;

/// Tags up to this length are read whole.
const TAG_BYTES: usize = 4096;

/// Which games, and how much of each.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// So many half-moves.
    pub plies: usize,
    /// Only games whose players are both rated so high, if there is such a limit.
    pub rating: Option<u32>,
}

/// What became of the games of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Games counted.
    pub used: u64,
    /// Without a result: nobody knows who was right.
    pub unfinished: u64,
    /// Of players rated too low, or not at all.
    pub unrated: u64,
    /// That cannot have been played as they are written.
    pub damaged: u64,
    /// The first of them, and what is wrong with it.
    pub first_damage: Option<String>,
}

/// Counts the moves of a file's games; `stop` is asked before each. Says whether it came to the end.
///
/// # Errors
/// If the file cannot be read.
pub fn count(
    input: impl Read,
    name: &str,
    wanted: Wanted,
    tallies: &mut Tallies,
    census: &mut Census,
    stop: impl Fn() -> bool,
) -> std::io::Result<bool> {
    let mut reader = Reader::build(input).set_supported_tag_line_length(TAG_BYTES).finish();
    let mut listener = Listener { wanted, moves: Vec::new() };
    for number in 1u64.. {
        if stop() {
            return Ok(false);
        }
        listener.moves.clear();
        let Some(found) = reader.read_game(&mut listener)? else { break };
        match found {
            Found::Result(outcome) => {
                tallies.add(&listener.moves, outcome.winner());
                census.used += 1;
            }
            Found::Unfinished => census.unfinished += 1,
            Found::Unrated => census.unrated += 1,
            Found::Damage(problem) => {
                census.damaged += 1;
                census.first_damage.get_or_insert_with(|| format!("{name}, game {number}: {problem}"));
            }
        }
    }
    Ok(true)
}

/// What a game turned out to be.
enum Found {
    Result(KnownOutcome),
    Unfinished,
    Unrated,
    Damage(String),
}

/// Takes down the first moves of a game.
struct Listener {
    wanted: Wanted,
    moves: Vec<Played>,
}

#[derive(Default)]
struct Tags {
    fen: Option<String>,
    outcome: Option<KnownOutcome>,
    /// White's and Black's.
    ratings: [Option<u32>; 2],
}

struct Progress {
    position: Chess,
    outcome: Option<KnownOutcome>,
}

impl Visitor for Listener {
    type Tags = Tags;
    type Movetext = Progress;
    type Output = Found;

    fn begin_tags(&mut self) -> ControlFlow<Found, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Found> {
        let value = value.decode_utf8_lossy();
        if name.eq_ignore_ascii_case(b"FEN") {
            tags.fen = Some(value.into_owned());
        } else if name.eq_ignore_ascii_case(b"Result") {
            tags.outcome = value.parse::<Outcome>().ok().and_then(Outcome::known);
        } else if name.eq_ignore_ascii_case(b"WhiteElo") {
            tags.ratings[0] = value.parse().ok();
        } else if name.eq_ignore_ascii_case(b"BlackElo") {
            tags.ratings[1] = value.parse().ok();
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Found, Progress> {
        if let Some(least) = self.wanted.rating
            && tags.ratings.iter().any(|rating| rating.is_none_or(|rating| rating < least))
        {
            return ControlFlow::Break(Found::Unrated);
        }
        // Standard chess is Chess960 from one of its starts.
        let position = match &tags.fen {
            Some(fen) => epd::parse_position(fen, CastlingMode::Chess960),
            None => Ok(Chess::default()),
        };
        match position {
            Ok(position) => ControlFlow::Continue(Progress { position, outcome: tags.outcome }),
            Err(problem) => ControlFlow::Break(Found::Damage(problem.to_string())),
        }
    }

    fn san(&mut self, game: &mut Progress, san: SanPlus) -> ControlFlow<Found> {
        if self.moves.len() >= self.wanted.plies {
            // A game whose tags keep its result to themselves tells it at the end.
            return match game.outcome {
                Some(outcome) => ControlFlow::Break(Found::Result(outcome)),
                None => ControlFlow::Continue(()),
            };
        }
        let played = san.san.to_move(&game.position).ok().and_then(|mv| Some((mv, polyglot::encode(mv)?)));
        let Some((mv, encoded)) = played else {
            let ply = self.moves.len() + 1;
            return ControlFlow::Break(Found::Damage(format!("half-move {ply}, {san}, is not legal")));
        };
        self.moves.push(Played { key: polyglot::key(&game.position), mv: encoded, side: game.position.turn() });
        game.position.play_unchecked(mv);
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Progress, outcome: Outcome) -> ControlFlow<Found> {
        game.outcome = outcome.known();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Progress) -> Found {
        game.outcome.map_or(Found::Unfinished, Found::Result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::tally;

    const ALL: Wanted = Wanted { plies: 100, rating: None };

    /// What is counted, and the weights of all moves.
    fn counted(pgn: &str, wanted: Wanted) -> (Census, Vec<u16>) {
        let (mut tallies, mut census) = (Tallies::default(), Census::default());
        assert!(count(pgn.as_bytes(), "x.pgn", wanted, &mut tallies, &mut census, || false).unwrap());
        let entries = tallies.entries(tally::Wanted { count: 1, percent: 0.0 });
        let mut weights: Vec<u16> = entries.iter().map(|entry| entry.weight).collect();
        weights.sort_unstable();
        (census, weights)
    }

    #[test]
    fn only_the_first_moves_count_and_no_variations() {
        let pgn = "[Result \"1-0\"]\n\n1. e4 (1. d4 d5) e5 {a comment} 2. Nf3 $1 Nc6 1-0\n\n1. e4 e5 2. Nf3 1/2-1/2\n";
        let (census, weights) = counted(pgn, ALL);
        assert_eq!(census, Census { used: 2, ..Census::default() });
        // Nc6 lost, and has no weight.
        assert_eq!(weights, [1, 3, 3]);
        assert_eq!(counted(pgn, Wanted { plies: 1, ..ALL }).1, [3]);
    }

    #[test]
    fn games_that_say_nothing_are_counted_apart() {
        let pgn = "\
[FEN \"nonsense\"]

1. e4 1-0

[WhiteElo \"2500\"]
[BlackElo \"2400\"]

1. e4 1-0

[WhiteElo \"2500\"]

1. e4 e5 2. Ke3 1-0

[Result \"*\"]

1. e4 *
";
        let (census, weights) = counted(pgn, ALL);
        assert_eq!((census.used, census.unfinished, census.unrated, census.damaged), (1, 1, 0, 2));
        let first = census.first_damage.unwrap();
        assert!(first.starts_with("x.pgn, game 1: `nonsense`: "), "{first}");
        assert_eq!(weights, [2], "nothing of a damaged game");
        let (census, _) = counted(pgn, Wanted { rating: Some(2400), ..ALL });
        assert_eq!((census.used, census.unrated, census.damaged), (1, 3, 0));
        assert_eq!(counted(pgn, Wanted { rating: Some(2401), ..ALL }).0.used, 0);
    }

    #[test]
    fn a_wish_to_stop_is_heard() {
        let (mut tallies, mut census) = (Tallies::default(), Census::default());
        assert!(!count(&b"1. e4 1-0"[..], "x.pgn", ALL, &mut tallies, &mut census, || true).unwrap());
        assert_eq!(census.used, 0);
    }
}
