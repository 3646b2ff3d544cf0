//! Moves as people type them, and what is wrong with those that are none.

use shakmaty::{
    CastlingSide, Color, Move, Position, Role, Square,
    san::{San, SanPlus},
    uci::UciMove,
};

use crate::{epd::parse_move, line::Line};

/// Moves that are listed in a complaint, at most.
const LISTED: usize = 12;
/// Letters that may differ between what was typed and a move that may have been meant.
const NEAR: usize = 2;

/// Reads a move: `Nf3`, `exd5`, `O-O`, `e8=Q`, or `g1f3`, `e7e8q`; also without the marks `x`, `=`, `+` and `#`, and in
/// any case of letters, where that leaves one move only.
///
/// # Errors
/// A sentence or two that say what is wrong and which moves are possible.
pub fn read(text: &str, line: &Line) -> Result<Move, String> {
    let position = line.position();
    if let Some(mv) = parse_move(text, position) {
        return Ok(mv);
    }
    let moves = named_moves(line);
    let typed = bare(text).to_ascii_lowercase();
    let meant: Vec<&Named> =
        moves.iter().filter(|named| bare(&named.san).to_ascii_lowercase() == typed || named.uci == typed).collect();
    match meant[..] {
        [one] => return Ok(one.mv),
        [] => {}
        _ => return Err(format!("`{text}` could be {}.", any_of(&meant))),
    }
    Err(complaint(text, line, &moves))
}

/// The legal moves of the piece on a square, or all of them, as they are written, by the alphabet.
#[must_use]
pub fn list(line: &Line, from: Option<Square>) -> Vec<String> {
    let moves = named_moves(line).into_iter();
    let named = moves.filter(|named| from.is_none_or(|from| named.mv.from() == Some(from)));
    let mut names: Vec<String> = named.map(|named| named.san).collect();
    names.sort_unstable();
    names
}

/// A legal move and its names.
struct Named {
    mv: Move,
    san: String,
    uci: String,
}

fn named_moves(line: &Line) -> Vec<Named> {
    let position = line.position();
    let name = |&mv: &Move| Named {
        mv,
        san: SanPlus::from_move(position.clone(), mv).to_string(),
        uci: UciMove::from_move(mv, line.mode()).to_string(),
    };
    position.legal_moves().iter().map(name).collect()
}

/// A move's name without what people leave out.
fn bare(san: &str) -> String {
    san.replace(['x', '=', '+', '#', '-', '!', '?'], "").replace('0', "O")
}

fn complaint(text: &str, line: &Line, moves: &[Named]) -> String {
    let what = by_squares(text, line, moves).or_else(|| by_san(text, line, moves));
    let Some(what) = what else {
        let near = near(text, moves);
        let hint = if near.is_empty() { String::new() } else { format!(" Did you mean {}?", any_of(&near)) };
        return format!(
            "`{text}` is neither a move nor a command.{hint} Write moves as Nf3, exd5, O-O, e8=Q or g1f3; `moves` lists \
             them, `help` the commands."
        );
    };
    let checked = if line.position().is_check() { " You are in check." } else { "" };
    format!("{what}{checked}")
}

/// What is wrong with a move that names its squares.
fn by_squares(text: &str, line: &Line, moves: &[Named]) -> Option<String> {
    let Ok(UciMove::Normal { from, to, promotion }) = text.parse::<UciMove>() else { return None };
    let turn = line.turn();
    let Some(piece) = line.position().board().piece_at(from) else {
        return Some(format!("There is no piece on {from}."));
    };
    let name = role_name(piece.role);
    if piece.color != turn {
        return Some(format!("The {name} on {from} is {}'s, and you have {}.", side(piece.color), side(turn)));
    }
    let its: Vec<&Named> = moves.iter().filter(|named| named.mv.from() == Some(from)).collect();
    if its.is_empty() {
        return Some(format!("The {name} on {from} has no legal move."));
    }
    let there: Vec<&Named> = its.iter().copied().filter(|named| named.mv.to() == to).collect();
    Some(match (there.is_empty(), promotion) {
        (false, None) => format!("Say what the pawn becomes: {}.", any_of(&there)),
        (false, Some(_)) => format!("The {name} on {from} becomes nothing by going to {to}: {}.", any_of(&there)),
        (true, _) => format!("The {name} on {from} cannot go to {to}. It can play {}.", any_of(&its)),
    })
}

/// What is wrong with a move in algebraic notation.
fn by_san(text: &str, line: &Line, moves: &[Named]) -> Option<String> {
    let position = line.position();
    let text = text.trim_end_matches(['!', '?']);
    match text.replace('0', "O").parse::<San>().or_else(|_| text.parse()).ok()? {
        San::Normal { role, file, rank, to, promotion, .. } => {
            let name = role_name(role);
            let fits = |from: Square| file.is_none_or(|f| f == from.file()) && rank.is_none_or(|r| r == from.rank());
            let those = position.board().by_piece(role.of(line.turn())).into_iter().filter(|&from| fits(from)).count();
            if those == 0 {
                return Some(format!("You have no such {name}."));
            }
            let of_role: Vec<&Named> = moves
                .iter()
                .filter(|named| named.mv.role() == role && !named.mv.is_castle() && named.mv.from().is_some_and(fits))
                .collect();
            let there: Vec<&Named> = of_role.iter().copied().filter(|named| named.mv.to() == to).collect();
            Some(match (there.len(), of_role.len()) {
                (1, _) if promotion.is_none() => format!("That is written {}.", there[0].san),
                (1.., _) if role == Role::Pawn => format!("Say which, and what it becomes: {}.", any_of(&there)),
                (1.., _) => format!("Say which {name}: {}.", any_of(&there)),
                (0, 0) => format!("No such {name} can move."),
                (0, _) => format!("No such {name} can go to {to}. Possible: {}.", any_of(&of_role)),
            })
        }
        San::Castle(wing) => Some(why_not_castle(wing, line)),
        San::Put { .. } | San::Null => None,
    }
}

fn why_not_castle(wing: CastlingSide, line: &Line) -> String {
    let (position, turn) = (line.position(), line.turn());
    let wing_name = if wing == CastlingSide::KingSide { "king's" } else { "queen's" };
    let Some(_) = position.castles().rook(turn, wing) else {
        return format!("You may not castle on the {wing_name} side any more: king or rook has moved, or is gone.");
    };
    if position.is_check() {
        return "You cannot castle out of check.".to_owned();
    }
    let between = position.castles().path(turn, wing) & position.board().occupied();
    match between.first() {
        Some(square) => format!("You cannot castle on the {wing_name} side: a piece stands between, on {square}."),
        None => format!("You cannot castle on the {wing_name} side: the king would pass or reach an attacked square."),
    }
}

/// Moves whose name is nearly what was typed, the nearest first.
fn near<'a>(text: &str, moves: &'a [Named]) -> Vec<&'a Named> {
    let typed = bare(text).to_ascii_lowercase();
    let distance = |named: &Named| {
        let names = [bare(&named.san).to_ascii_lowercase(), named.uci.clone()];
        names.iter().map(|name| strsim::osa_distance(name, &typed)).min().unwrap_or(usize::MAX)
    };
    let limit = NEAR.min(typed.len().saturating_sub(1));
    let mut near: Vec<(usize, &Named)> = moves.iter().map(|named| (distance(named), named)).collect();
    near.retain(|&(distance, _)| distance <= limit);
    let best = near.iter().map(|&(distance, _)| distance).min();
    near.retain(|&(distance, _)| Some(distance) == best);
    near.into_iter().map(|(_, named)| named).collect()
}

/// `Nbd2, Nfd2 or Nd4`.
fn any_of(moves: &[&Named]) -> String {
    let mut names: Vec<&str> = moves.iter().take(LISTED).map(|named| named.san.as_str()).collect();
    if moves.len() > LISTED {
        return format!("{} and {} more", names.join(", "), moves.len() - LISTED);
    }
    match names.pop() {
        Some(last) if names.is_empty() => last.to_owned(),
        Some(last) => format!("{} or {last}", names.join(", ")),
        None => String::new(),
    }
}

fn side(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::epd::parse_position;

    fn at(fen: &str) -> Line {
        Line::new(parse_position(fen, CastlingMode::Standard).unwrap())
    }

    const KNIGHTS: &str = "r3k2r/1P6/8/8/8/5N2/8/1N2K2R w Kkq - 0 1";

    #[test]
    fn moves_are_read_in_every_usual_writing() {
        let cases = [
            (KNIGHTS, "O-O", "e1g1"),
            (KNIGHTS, "0-0", "e1g1"),
            (KNIGHTS, "oo", "e1g1"),
            (KNIGHTS, "e1g1", "e1g1"),
            (KNIGHTS, "nc3", "b1c3"),
            (KNIGHTS, "Nbd2", "b1d2"),
            (KNIGHTS, "bxa8=N", "b7a8n"),
            (KNIGHTS, "ba8q", "b7a8q"),
            (KNIGHTS, "b8=Q+", "b7b8q"),
            (KNIGHTS, "B7B8Q", "b7b8q"),
            (KNIGHTS, "Rxh8", "h1h8"),
            (KNIGHTS, "Rh8+!?", "h1h8"),
            ("4k3/8/8/1p6/2P5/8/4B3/4K3 w - - 0 1", "bd3", "e2d3"),
        ];
        for (fen, text, uci) in cases {
            let line = at(fen);
            let read = read(text, &line).map(|mv| UciMove::from_move(mv, line.mode()).to_string());
            assert_eq!(read.as_deref(), Ok(uci), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_and_what_is_possible() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let cases = [
            (start, "e3e4", "There is no piece on e3."),
            (start, "e7e5", "The pawn on e7 is Black's, and you have White."),
            (start, "f1b5", "The bishop on f1 has no legal move."),
            (start, "e2e5", "The pawn on e2 cannot go to e5. It can play e3 or e4."),
            (start, "Ne5", "No such knight can go to e5. Possible: Na3, Nc3, Nf3 or Nh3."),
            (start, "Bb5", "No such bishop can move."),
            (start, "O-O", "a piece stands between, on f1"),
            (KNIGHTS, "O-O-O", "You may not castle on the queen's side any more"),
            (KNIGHTS, "Nd2", "Say which knight: Nbd2 or Nfd2."),
            ("4k3/8/8/8/8/2p5/1P6/4B1K1 w - - 0 1", "bc3", "`bc3` could be bxc3 or Bxc3."),
            (KNIGHTS, "b7b8", "Say what the pawn becomes: b8=Q+"),
            (KNIGHTS, "b8", "Say which, and what it becomes: "),
            (KNIGHTS, "Qd4", "You have no such queen."),
            (start, "Nf4x", "Did you mean"),
            (start, "hello", "`hello` is neither a move nor a command. Write moves as"),
            ("4k3/8/8/8/8/8/4q3/4K2R w K - 0 1", "Rh4", "No such rook can move. You are in check."),
            ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "the king would pass or reach an attacked square"),
            ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "O-O", "You cannot castle out of check."),
        ];
        for (fen, text, expected) in cases {
            let complaint = read(text, &at(fen)).unwrap_err();
            assert!(complaint.contains(expected), "{text}: {complaint}");
        }
    }

    #[test]
    fn a_square_s_moves_are_listed() {
        let line = at(KNIGHTS);
        assert_eq!(list(&line, Some(Square::B1)), ["Na3", "Nbd2", "Nc3"]);
        assert_eq!(list(&line, None).len(), line.position().legal_moves().len());
    }
}
