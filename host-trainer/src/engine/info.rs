//! What an engine says of its search.

use std::fmt;

/// A search's score, seen from the side that searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative when it is the searcher who is mated.
    Mate(i32),
}

impl Score {
    /// One number for comparing: a mate is far beyond any evaluation.
    pub fn centipawns(self) -> i32 {
        match self {
            Score::Centipawns(cp) => cp,
            Score::Mate(moves) if moves > 0 => 30_000,
            Score::Mate(_) => -30_000,
        }
    }

    /// The other side's view of it.
    #[must_use]
    pub fn reversed(self) -> Score {
        match self {
            Score::Centipawns(cp) => Score::Centipawns(-cp),
            Score::Mate(moves) => Score::Mate(-moves),
        }
    }
}

/// As cutechess writes it in a game's comments: pawns with a sign (`+0.35`), mates in plies (`+M5`, `-M4`).
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Centipawns(0) => f.write_str("0.00"),
            Score::Centipawns(cp) => write!(f, "{:+.2}", f64::from(cp) / 100.0),
            Score::Mate(moves) if moves > 0 => write!(f, "+M{}", 2 * i64::from(moves) - 1),
            Score::Mate(moves) => write!(f, "-M{}", 2 * i64::from(moves).abs()),
        }
    }
}

/// The latest report of a search. What the engine did not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Which of several best lines this is about, from 1.
    pub line: Option<u32>,
    /// Whole plies of the iteration.
    pub depth: Option<u32>,
    /// From the searching side.
    pub score: Option<Score>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// The first move of the principal variation, as the engine wrote it.
    pub best: Option<String>,
}

impl Info {
    /// Reads what follows `info` in a line of the UCI protocol; `None` where it says nothing of use.
    pub fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Info> {
        let mut info = Info::default();
        let mut bound = false;
        while let Some(word) = words.next() {
            match word {
                "string" | "currmove" => return None,
                "multipv" => info.line = words.next()?.parse().ok(),
                "depth" => info.depth = words.next()?.parse().ok(),
                "nodes" => info.nodes = words.next()?.parse().ok(),
                "score" => {
                    info.score = match (words.next()?, words.next()?.parse().ok()) {
                        ("cp", cp) => cp.map(Score::Centipawns),
                        ("mate", moves) => moves.map(Score::Mate),
                        _ => None,
                    }
                }
                "lowerbound" | "upperbound" => bound = true,
                "pv" => {
                    info.best = words.next().map(str::to_owned);
                    break;
                }
                _ => {}
            }
        }
        // A bound only says that the search goes on.
        if bound {
            info.score = None;
        }
        (info != Info::default()).then_some(info)
    }

    /// Whether it is about the best line.
    pub fn is_best(&self) -> bool {
        self.line.is_none_or(|line| line == 1)
    }

    /// Takes over what a newer report says and keeps the rest.
    pub fn update(&mut self, newer: Info) {
        self.depth = newer.depth.or(self.depth);
        self.score = newer.score.or(self.score);
        self.nodes = newer.nodes.or(self.nodes);
        if newer.best.is_some() {
            self.best = newer.best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_read_as_in_cutechess() {
        for (score, text) in [
            (Score::Centipawns(35), "+0.35"),
            (Score::Centipawns(-1234), "-12.34"),
            (Score::Centipawns(0), "0.00"),
            (Score::Mate(3), "+M5"),
            (Score::Mate(-2), "-M4"),
            (Score::Mate(0), "-M0"),
        ] {
            assert_eq!(score.to_string(), text);
        }
    }
}
