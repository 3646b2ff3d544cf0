//! Several processors on one position.

use std::thread;

use engine_core::chess::{Board, Game};
use engine_core::search::{
    Blind, Bound, Cluster, Crew, Knowledge, Known, Limits, MAX_HELPERS, Observer, Order, Searcher, Table, mate_in_moves,
};

/// An observer that knows of helpers.
struct Leader<'a>(&'a Crew);

impl Observer for Leader<'_> {
    fn micros(&mut self) -> u64 {
        0
    }

    fn nodes_elsewhere(&mut self) -> u64 {
        self.0.nodes()
    }
}

#[test]
fn helpers_search_until_the_crew_ends_and_the_result_is_as_good() {
    let board = Board::from_fen("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1").unwrap();
    let game = Game::new(board);
    let (crew, memory) = (Crew::new(), vec![Cluster::new(); 1 << 12]);
    let (table, limits) = (Table::new(&memory, 0), Limits { depth: Some(8), ..Limits::default() });
    let best = thread::scope(|scope| {
        for number in 0..3 {
            let (game, limits, crew) = (&game, &limits, &crew);
            scope.spawn(move || Searcher::new().help(game, limits, table, Knowledge::default(), crew, number));
        }
        // Helpers may be slow to start, and this search is not to be over before they have done something.
        while crew.nodes() == 0 {
            thread::yield_now();
        }
        let best = Searcher::new().think(&game, &limits, table, Knowledge::default(), &mut Leader(&crew));
        crew.end();
        best.unwrap()
    });
    let alone = Searcher::new().think(&game, &limits, Table::new(&[], 0), Knowledge::default(), &mut Blind).unwrap();
    assert_eq!(mate_in_moves(alone.score), Some(2));
    assert_eq!((best.mv, best.score), (alone.mv, alone.score));
    assert!(crew.nodes() > 0 && best.nodes > 0);
}

#[test]
fn a_helper_that_is_not_of_the_crew_does_nothing() {
    let (crew, game) = (Crew::new(), Game::new(Board::start()));
    let table = Table::new(&[], 0);
    Searcher::new().help(&game, &Limits::default(), table, Knowledge::default(), &crew, MAX_HELPERS);
    assert_eq!(crew.nodes(), 0);
}

/// An observer whose helpers search seven nodes for each that is searched here.
struct Sevenfold {
    polls: u64,
}

impl Observer for Sevenfold {
    fn micros(&mut self) -> u64 {
        0
    }

    fn order(&mut self) -> Order {
        self.polls += 1;
        Order::Continue
    }

    fn nodes_elsewhere(&mut self) -> u64 {
        self.polls * 7 * 128
    }
}

#[test]
fn all_nodes_count_towards_the_limit() {
    let game = Game::new(Board::start());
    let limits = Limits { nodes: Some(80 * 1_024), ..Limits::default() };
    let mut observer = Sevenfold { polls: 0 };
    let best = Searcher::new().think(&game, &limits, Table::new(&[], 0), Knowledge::default(), &mut observer).unwrap();
    assert_eq!((best.nodes, observer.polls), (80 * 1_024, 80));
}

#[test]
fn a_table_written_by_many_at_once_holds_whole_words() {
    let memory = vec![Cluster::new(); 2];
    let known = |number: i32| Known { mv: None, score: number, eval: number, depth: number, bound: Bound::Exact };
    thread::scope(|scope| {
        for number in 1..4 {
            let table = Table::new(&memory, 0);
            scope.spawn(move || {
                for key in 0..20_000_u64 {
                    table.store(key.rotate_right(24), 0, known(number));
                    if let Some(found) = table.probe(key.rotate_right(24), 0) {
                        assert!((1..4).contains(&found.score) && (1..4).contains(&found.eval), "{found:?}");
                    }
                }
            });
        }
    });
}
