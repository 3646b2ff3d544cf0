//! How games begin: a tree of first moves, with how often each was played and how it did.

use maud::{Markup, html};
use shakmaty::Color;

use super::{games::Game, matches::share_bar};
use crate::arena::statistics::Tally;

/// The tree's depth in half-moves.
const DEPTH: usize = 8;
/// Moves that fewer games have are not followed.
const LEAST_GAMES: u32 = 2;

/// A move, and what games came to after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The move as people write it.
    pub san: String,
    /// White's results.
    pub tally: Tally,
    /// What follows, the most played first.
    pub next: Vec<Node>,
}

impl Node {
    fn add(&mut self, moves: &[&str], half_points: usize) {
        self.tally.count(half_points);
        let Some((san, rest)) = moves.split_first() else { return };
        let place = self.next.iter().position(|node| node.san == *san).unwrap_or_else(|| {
            self.next.push(Node { san: (*san).to_owned(), ..Node::default() });
            self.next.len() - 1
        });
        self.next[place].add(rest, half_points);
    }

    fn sort(&mut self) {
        self.next.sort_by(|a, b| b.tally.games().cmp(&a.tally.games()).then_with(|| a.san.cmp(&b.san)));
        self.next.iter_mut().for_each(Node::sort);
    }
}

/// The tree of the finished games that begin at the usual start; its root is that start.
#[must_use]
pub fn tree(games: &[Game]) -> Node {
    let mut root = Node::default();
    for game in games.iter().filter(|game| game.line.start_fen().is_none()) {
        let moves: Vec<&str> = game.line.plies().iter().take(DEPTH).map(|ply| ply.san.as_str()).collect();
        if let Some(half_points) = game.half_points(Color::White) {
            root.add(&moves, half_points);
        }
    }
    root.sort();
    root
}

/// The tree as lists that open.
#[must_use]
pub fn section(root: &Node) -> Markup {
    html! {
        p class="note" {
            (root.tally.games()) " games from the usual start, to half-move " (DEPTH) ". Scores are White's; open a move to see \
             what followed."
        }
        div class="tree" { (list(root, 0)) }
    }
}

fn list(node: &Node, ply: usize) -> Markup {
    html! {
        ul {
            @for next in &node.next {
                li {
                    @if next.tally.games() >= LEAST_GAMES && !next.next.is_empty() {
                        // The most played line is open to begin with.
                        details open[ply < 3 && next == &node.next[0]] {
                            summary { (row(next, ply)) }
                            (list(next, ply + 1))
                        }
                    } @else {
                        div class="leaf" { (row(next, ply)) }
                    }
                }
            }
        }
    }
}

fn row(node: &Node, ply: usize) -> Markup {
    let number = format!("{}{}", ply / 2 + 1, if ply.is_multiple_of(2) { "." } else { "…" });
    let score = node.tally.score().unwrap_or(0.5);
    html! {
        span class="move" { (number) " " b { (node.san) } }
        span class="games" { (node.tally.games()) }
        (share_bar(&node.tally))
        span class="share" { (format!("{:.0} %", 100.0 * score)) }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::KnownOutcome;

    use super::*;
    use crate::{epd::parse_move, line::Line};

    fn game(moves: &str, winner: Option<Color>) -> Game {
        let mut line = Line::default();
        for text in moves.split(' ') {
            line.play(parse_move(text, line.position()).unwrap());
        }
        let outcome = winner.map_or(KnownOutcome::Draw, |winner| KnownOutcome::Decisive { winner });
        Game { line, outcome: Some(outcome), ..Game::default() }
    }

    #[test]
    fn moves_are_counted_with_their_scores() {
        let games = [
            game("d4 d5", None),
            game("e4 e5 Nf3", Some(Color::White)),
            game("e4 c5", Some(Color::Black)),
            game("e4 e5 Nc3", None),
            Game { outcome: None, ..game("a3", None) },
        ];
        let root = tree(&games);
        assert_eq!(root.tally.games(), 4, "the unfinished game does not count");
        let names = |node: &Node| node.next.iter().map(|next| next.san.clone()).collect::<Vec<_>>();
        assert_eq!(names(&root), ["e4", "d4"]);
        assert_eq!(root.next[0].tally, Tally { wins: 1, draws: 1, losses: 1 });
        assert_eq!(names(&root.next[0]), ["e5", "c5"]);
        assert_eq!(names(&root.next[0].next[0]), ["Nc3", "Nf3"]);
        let html = section(&root).into_string();
        assert!(html.contains("2…") || html.contains("1…"), "{html}");
        assert_eq!(html.matches("<details").count(), 2, "e4 and e5 can be opened");
    }
}
