//! Openings for games that are to teach a network, as OpenBench's workers ask for them.
//!
//! Source of the command: <https://github.com/AndyGrant/OpenBench>, "Genfens".

use std::fs;
use std::path::PathBuf;

use engine_core::chess::{Board, Game};
use engine_core::net::ValueNet;
use engine_core::search::{Blind, Cluster, Knowledge, Limits, Searcher, Table};

use super::files::NETWORK;

/// The word that a command begins with.
pub const COMMAND: &str = "genfens";

/// How a command is written.
const USAGE: &str = "genfens COUNT seed NUMBER [book FILE|None]";

/// Plies that are played at random from the start, and one more in every other opening. From a book's positions half of
/// them.
const RANDOM_PLIES: usize = 8;

/// An opening is thrown away if a search of so many nodes finds one side better by more than so many centipawns.
const NODES: u64 = 1_000;
const MOST_CENTIPAWNS: i32 = 400;

/// So many openings in a row may be thrown away: a book of finished games would go on for ever.
const MOST_REFUSED: usize = 10_000;

/// What a command asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    count: usize,
    seed: u64,
    book: Option<PathBuf>,
}

impl Openings {
    /// Reads `genfens COUNT seed NUMBER [book FILE|None] ...`; words beyond that are for other engines.
    ///
    /// # Errors
    /// If it is written in another way.
    pub fn parse(command: &str) -> Result<Self, String> {
        let wrong = || format!("'{command}': this is written {USAGE}");
        let mut words = command.split_ascii_whitespace();
        let (Some(COMMAND), Some(count)) = (words.next(), words.next()) else { return Err(wrong()) };
        let count = count.parse().map_err(|_| wrong())?;
        let (Some("seed"), Some(seed)) = (words.next(), words.next()) else { return Err(wrong()) };
        let seed = seed.parse().map_err(|_| wrong())?;
        let book = match (words.next(), words.next()) {
            (None, _) | (Some("book"), Some("None")) => None,
            (Some("book"), Some(file)) => Some(PathBuf::from(file)),
            _ => return Err(wrong()),
        };
        Ok(Self { count, seed, book })
    }

    /// Tells the openings: the same for the same seed and book.
    ///
    /// # Errors
    /// If the book cannot be read, or next to nothing in it can be played on from.
    pub fn tell(&self, mut say: impl FnMut(&str)) -> Result<(), String> {
        let starts = self.starts()?;
        let plies = if self.book.is_some() { RANDOM_PLIES / 2 } else { RANDOM_PLIES };
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut judge = Judge::new()?;
        let (mut told, mut refused) = (0, 0);
        while told < self.count {
            let mut board = *random.choice(&starts).ok_or("the book is empty")?;
            let found = random_walk(&mut board, plies + told % 2, &mut random) && judge.calls_even(&board);
            if found {
                say(&format!("info string genfens {}", board.fen()));
                (told, refused) = (told + 1, 0);
            } else if refused == MOST_REFUSED {
                return Err(format!("{MOST_REFUSED} openings in a row were no good: is the book one of openings?"));
            } else {
                refused += 1;
            }
        }
        Ok(())
    }

    /// Where openings begin: the start, or the positions of a book, a FEN or EPD a line.
    fn starts(&self) -> Result<Vec<Board>, String> {
        let Some(book) = &self.book else { return Ok(vec![Board::start()]) };
        let shown = book.display();
        let text = fs::read_to_string(book).map_err(|error| format!("the book {shown}: {error}"))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let boards = lines.map(|(number, line)| {
            // Of an EPD's operations none says where the pieces stand.
            let fields: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
            Board::from_fen(&fields.join(" "))
                .map_err(|error| format!("the book {shown}, line {}: {error}", number + 1))
        });
        boards.collect()
    }
}

/// Plays so many legal moves at random. Says whether there were so many, and one more.
fn random_walk(board: &mut Board, plies: usize, random: &mut fastrand::Rng) -> bool {
    for _ in 0..plies {
        let Some(&mv) = random.choice(board.legal_moves().as_slice()) else { return false };
        board.play(mv);
    }
    Game::new(*board).ending().is_none()
}

/// A short search.
struct Judge {
    searcher: Searcher,
    clusters: Vec<Cluster>,
    network: ValueNet<'static>,
}

impl Judge {
    fn new() -> Result<Self, String> {
        let network = ValueNet::load(NETWORK).map_err(|error| error.to_string())?;
        Ok(Self { searcher: Searcher::new(), clusters: vec![Cluster::new(); 1 << 12], network })
    }

    fn calls_even(&mut self, board: &Board) -> bool {
        let table = Table::new(&self.clusters, 0);
        table.clear();
        self.searcher.forget();
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let knowledge = Knowledge { network: Some(&self.network), ..Knowledge::default() };
        let best = self.searcher.think(&Game::new(*board), &limits, table, knowledge, &mut Blind);
        best.is_some_and(|best| best.score.abs() <= MOST_CENTIPAWNS)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn told(command: &str) -> Vec<String> {
        let mut lines = Vec::new();
        Openings::parse(command).expect("a command").tell(|line| lines.push(line.to_owned())).expect("openings");
        lines
    }

    #[test]
    fn openings_are_even_and_many_and_the_same_again() {
        let lines = told("genfens 40 seed 7 book None");
        assert_eq!(lines, told("genfens 40 seed 7"));
        assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 40);
        let mut to_move = HashSet::new();
        for line in &lines {
            let fen = line.strip_prefix("info string genfens ").expect("the beginning");
            let board = Board::from_fen(fen).expect("a position");
            to_move.insert(board.side_to_move());
            assert!(Judge::new().expect("a network").calls_even(&board), "{fen}");
        }
        assert_eq!(to_move.len(), 2);
        assert!(told("genfens 40 seed 8").iter().all(|line| !lines.contains(line)));
    }

    #[test]
    fn what_is_written_otherwise_is_refused() {
        for command in ["genfens", "genfens x seed 1", "genfens 3 seed", "genfens 3 seed 1 book", "bench 3 seed 1"] {
            let fault = Openings::parse(command).expect_err("no command");
            assert!(fault.contains(USAGE), "{fault}");
        }
    }

    #[test]
    fn a_book_gives_where_openings_begin() {
        let folder = std::env::temp_dir().join(format!("knightlight-openings-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let book = folder.join("book.epd");
        let ending = "8/8/1k6/8/8/4R3/1K6/4r3 w - -";
        fs::write(&book, format!("{ending} bm Rxe1; id \"1\";\n\n{ending} 0 1\n")).expect("written");
        let command = format!("genfens 3 seed 1 book {}", book.display());
        for line in told(&command) {
            assert!(line.matches(|piece: char| "KkRr".contains(piece)).count() >= 2, "{line}");
        }
        fs::write(&book, format!("{ending}\nno position\n")).expect("written");
        let fault = Openings::parse(&command).expect("a command").tell(|_| {}).expect_err("a broken book");
        assert!(fault.contains("line 2"), "{fault}");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
