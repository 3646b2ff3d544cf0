//! Games on boards that can be stepped through. Without scripts they show how the game ended.

use maud::{Markup, PreEscaped, html};
use shakmaty::{Board, Chess, Color, Position, Role, Square};

use super::games::Game;
use crate::engine::info::Score;

/// The figures, as symbols that the boards use.
pub const PIECES: &str = include_str!("pieces.svg");

/// A square's side in the board's own coordinates, for which the figures are drawn.
const SQUARE: u32 = 45;
/// The lowest and the highest score of a graph of scores, in centipawns.
const REACH: f64 = 800.0;

/// Some games that show different things, each with what it shows; at most `most`.
#[must_use]
pub fn choose(games: &[Game], most: usize) -> Vec<(&Game, &'static str)> {
    let with_moves = || games.iter().filter(|game| !game.line.plies().is_empty());
    let decided = || with_moves().filter(|game| game.outcome.is_some_and(|outcome| outcome.winner().is_some()));
    let first = games.first().map_or("", |game| game.white.as_str());
    let won_by_first = |game: &&Game| game.half_points(Color::from_white(game.white == first)) == Some(2);
    let plies = |game: &&Game| game.line.plies().len();
    let candidates = [
        (decided().filter(won_by_first).min_by_key(plies), "The first player's shortest win"),
        (decided().filter(|game| !won_by_first(game)).min_by_key(plies), "The first player's shortest loss"),
        (with_moves().max_by_key(|game| swing(game)), "The largest turn of the scores"),
        (with_moves().max_by_key(plies), "The longest game"),
    ];
    let mut chosen: Vec<(&Game, &'static str)> = Vec::new();
    let rest = with_moves().map(|game| (Some(game), "A game"));
    for (game, what) in candidates.into_iter().chain(rest) {
        let Some(game) = game else { continue };
        if chosen.len() < most && !chosen.iter().any(|&(other, _)| std::ptr::eq(other, game)) {
            chosen.push((game, what));
        }
    }
    chosen
}

/// The largest change between two scores of one side, in centipawns.
fn swing(game: &Game) -> i32 {
    let bounded = |score: &Option<Score>| score.map(|score| score.centipawns().clamp(-1000, 1000));
    let changes = game.scores.iter().zip(game.scores.iter().skip(2));
    changes.filter_map(|(a, b)| Some((bounded(a)? - bounded(b)?).abs())).max().unwrap_or(0)
}

/// The chosen games.
#[must_use]
pub fn section(games: &[(&Game, &'static str)]) -> Markup {
    html! {
        p class="note" { "Step with the buttons, the arrow keys or a click on a move." }
        div class="games" {
            @for (game, what) in games { (viewer(game, what)) }
        }
    }
}

fn viewer(game: &Game, what: &str) -> Markup {
    let positions = positions(game);
    let placements: Vec<String> = positions.iter().map(|position| placement(position.board())).collect();
    let moved: Vec<String> = game
        .line
        .plies()
        .iter()
        .map(|ply| format!("{}{}", ply.mv.from().map_or(String::new(), |from| from.to_string()), ply.mv.to()))
        .collect();
    let last = positions.len() - 1;
    html! {
        article class="game" tabindex="0" data-boards=(placements.join(" ")) data-moves=(moved.join(" ")) {
            h3 { (game.white) " – " (game.black) " " span class="result" { (game.result()) } }
            p class="note" {
                (what)
                @if let Some(opening) = &game.opening { ". " (opening) }
                @if let Some(reason) = &game.reason { ". " (reason) }
                "."
            }
            (PreEscaped(board(positions[last].board())))
            div class="controls" {
                button type="button" data-step="first" title="to the start" { "«" }
                button type="button" data-step="back" title="a move back" { "‹" }
                input type="range" min="0" max=(last) value=(last) aria-label="half-move";
                button type="button" data-step="on" title="a move on" { "›" }
                button type="button" data-step="last" title="to the end" { "»" }
            }
            @if let Some(graph) = graph(game) { (PreEscaped(graph)) }
            (moves(game))
        }
    }
}

fn positions(game: &Game) -> Vec<Chess> {
    let mut position = game.line.start().clone();
    let mut all = vec![position.clone()];
    for ply in game.line.plies() {
        position.play_unchecked(ply.mv);
        all.push(position.clone());
    }
    all
}

/// The first field of a FEN.
fn placement(board: &Board) -> String {
    board.to_string()
}

/// The moves; those with a score tell it.
fn moves(game: &Game) -> Markup {
    let start = game.line.start();
    let (mut number, mut mover) = (start.fullmoves().get(), start.turn());
    let mut rows = Vec::new();
    for (index, ply) in game.line.plies().iter().enumerate() {
        let before = match mover {
            Color::White => format!("{number}. "),
            Color::Black if index == 0 => format!("{number}… "),
            Color::Black => String::new(),
        };
        let score = game.scores.get(index).copied().flatten().map(|score| score.to_string());
        rows.push((index + 1, before, ply.san.as_str(), score));
        number += u32::from(mover == Color::Black);
        mover = !mover;
    }
    html! {
        p class="moves" {
            @for (index, before, san, score) in &rows {
                (before)
                span class="san" data-ply=(index) title=[score.as_ref().map(|score| format!("{score} for White"))] { (san) }
                " "
            }
        }
    }
}

/// The board as SVG, White below. A script finds the figures by the class `men`, and marks moves by `marks`.
fn board(board: &Board) -> String {
    let side = 8 * SQUARE;
    let mut svg =
        format!("<svg class=\"board\" viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"chess board\">");
    svg += &format!("<rect class=\"light\" width=\"{side}\" height=\"{side}\"/><path class=\"dark\" d=\"");
    for square in Square::ALL.into_iter().filter(|square| square.is_dark()) {
        let (x, y) = corner(square);
        svg += &format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
    }
    svg += "\"/><g class=\"marks\"></g><g class=\"men\">";
    for (square, piece) in board.clone() {
        let (x, y) = corner(square);
        let side = piece.color.fold_wb("white", "black");
        svg += &format!("<use class=\"{side}\" href=\"#{}\" x=\"{x}\" y=\"{y}\"/>", symbol(piece.role));
    }
    svg + "</g></svg>"
}

fn corner(square: Square) -> (u32, u32) {
    (u32::from(square.file()) * SQUARE, (7 - u32::from(square.rank())) * SQUARE)
}

fn symbol(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// The scores along the game; `None` if there are fewer than two.
fn graph(game: &Game) -> Option<String> {
    const HEIGHT: f64 = 90.0;
    const WIDTH: f64 = 360.0;
    let plies = game.scores.len().max(1) as f64;
    let place = |(ply, score): (usize, Option<Score>)| {
        let cp = f64::from(score?.centipawns()).clamp(-REACH, REACH);
        Some(((ply as f64 + 0.5) * WIDTH / plies, HEIGHT / 2.0 * (1.0 - cp / REACH)))
    };
    let points: Vec<(f64, f64)> = game.scores.iter().copied().enumerate().filter_map(place).collect();
    let (first, last) = (points.first()?, points.last()?);
    if points.len() < 2 {
        return None;
    }
    let line: String = points.iter().map(|(x, y)| format!("L{x:.1} {y:.1}")).collect();
    let middle = HEIGHT / 2.0;
    Some(format!(
        "<svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"scores, White's above\">\
         <path class=\"area\" d=\"M{:.1} {middle}{line}L{:.1} {middle}Z\"/>\
         <line class=\"diagonal\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{middle}\" y2=\"{middle}\"/>\
         <line class=\"cursor\" x1=\"{WIDTH}\" x2=\"{WIDTH}\" y1=\"0\" y2=\"{HEIGHT}\"/></svg>",
        first.0, last.0
    ))
}

#[cfg(test)]
mod tests {
    use shakmaty::KnownOutcome;

    use super::*;
    use crate::{epd::parse_move, line::Line};

    fn game(white: &str, moves: &str, winner: Option<Color>, scores: &[i32]) -> Game {
        let mut line = Line::default();
        for text in moves.split(' ') {
            line.play(parse_move(text, line.position()).unwrap());
        }
        Game {
            white: white.to_owned(),
            black: "Z".to_owned(),
            outcome: Some(winner.map_or(KnownOutcome::Draw, |winner| KnownOutcome::Decisive { winner })),
            scores: scores.iter().map(|&cp| Some(Score::Centipawns(cp))).collect(),
            line,
            ..Game::default()
        }
    }

    #[test]
    fn games_are_chosen_for_what_they_show() {
        let games = [
            game("A", "e4 e5 Nf3 Nc6", Some(Color::White), &[0, 0, 0, 0]),
            game("A", "e4 e5", Some(Color::White), &[0, 0]),
            game("Z", "d4 d5 c4", Some(Color::White), &[0, 0, 0]),
            game("A", "d4 d5 c4", None, &[300, 0, -300]),
            game("A", "c4 c5 Nf3 Nf6 g3 g6", None, &[]),
        ];
        let chosen = choose(&games, 10);
        let places: Vec<usize> =
            chosen.iter().map(|(game, _)| games.iter().position(|other| std::ptr::eq(other, *game)).unwrap()).collect();
        assert_eq!(places, [1, 2, 3, 4, 0]);
        assert_eq!(choose(&games, 2).len(), 2);
        assert!(choose(&[], 3).is_empty());
    }

    #[test]
    fn a_viewer_has_every_position_and_every_piece() {
        let game = game("A <b>", "e4 d5 exd5", None, &[20, -10, 40]);
        let html = viewer(&game, "A game").into_string();
        let boards = html.split("data-boards=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(boards.split(' ').count(), 4);
        assert!(boards.ends_with("rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR"), "{boards}");
        assert_eq!(html.matches("<use ").count(), 31);
        assert_eq!(html.matches("data-ply").count(), 3);
        assert!(html.contains("data-moves=\"e2e4 d7d5 e4d5\"") && html.contains("A &lt;b&gt;"));
        assert!(html.contains("class=\"graph\""));
    }

    #[test]
    fn every_figure_has_its_symbol() {
        for role in Role::ALL {
            assert!(PIECES.contains(&format!("<g id=\"{}\">", symbol(role))));
        }
    }
}
