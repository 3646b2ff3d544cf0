//! What a person types.

use std::path::PathBuf;

use shakmaty::Square;

/// A line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Anything that is no command: a move, it is hoped.
    Move(String),
    /// Takes back so many of the person's moves.
    Undo(usize),
    /// Asks for a good move.
    Hint,
    /// Asks what the position is worth.
    Eval,
    /// Draws the board.
    Board,
    /// Turns the board.
    Flip,
    /// Lists moves: of the piece on a square, or all.
    Moves(Option<Square>),
    /// Prints the position.
    Fen,
    /// Prints the game.
    Pgn,
    /// Writes the game to a file.
    Save(PathBuf),
    /// Gives up.
    Resign,
    /// Begins another game.
    New,
    /// Lists the commands.
    Help,
    /// Leaves.
    Quit,
    /// Nothing.
    Empty,
}

/// The commands for people.
pub const HELP: &str = "\
Type a move (e4, Nf3, exd5, O-O, e8=Q, or e2e4, e7e8q), or
  undo [N]     take back your last move, or your last N
  hint         ask Knightlight for a move
  eval         ask Knightlight what the position is worth
  moves [SQ]   list the legal moves, or those of the piece on a square
  board, flip  draw the board, or turn it round
  fen, pgn     print the position, or the game so far
  save FILE    write the game to a new file
  resign, new  give up; begin another game
  quit         leave (Ctrl-C and Ctrl-D do too): the game is saved
";

impl Command {
    /// Reads a line.
    ///
    /// # Errors
    /// If a command's argument is wrong: a sentence that says so.
    pub fn parse(line: &str) -> Result<Command, String> {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { return Ok(Command::Empty) };
        let rest: Vec<&str> = words.collect();
        let word = first.to_ascii_lowercase();
        let argument = rest.first().copied();
        let command = match (word.as_str(), argument) {
            ("undo" | "u" | "back" | "takeback", None) => Command::Undo(1),
            ("undo" | "u" | "back" | "takeback", Some(count)) => match count.parse() {
                Ok(count @ 1..) => Command::Undo(count),
                _ => return Err(format!("undo: the number of your moves to take back is wanted, not `{count}`.")),
            },
            ("moves", Some(square)) => match square.to_ascii_lowercase().parse() {
                Ok(square) => Command::Moves(Some(square)),
                Err(_) => return Err(format!("moves: a square such as e2 is wanted, not `{square}`.")),
            },
            // A path may have blanks in it.
            ("save", Some(_)) => Command::Save(line.trim_start()[first.len()..].trim().into()),
            ("save", None) => return Err("save: the name of a file is wanted, such as save game.pgn.".to_owned()),
            (_, Some(_)) => {
                return Err(format!("`{}`: one move at a time, or a command (`help` lists them).", line.trim()));
            }
            ("hint" | "h", None) => Command::Hint,
            ("eval", None) => Command::Eval,
            ("board" | "d", None) => Command::Board,
            ("flip", None) => Command::Flip,
            ("moves", None) => Command::Moves(None),
            ("fen", None) => Command::Fen,
            ("pgn", None) => Command::Pgn,
            ("resign", None) => Command::Resign,
            ("new", None) => Command::New,
            ("help" | "?", None) => Command::Help,
            ("quit" | "exit" | "q", None) => Command::Quit,
            _ => Command::Move(first.to_owned()),
        };
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_moves() {
        let cases = [
            ("", Command::Empty),
            ("  UNDO ", Command::Undo(1)),
            ("undo 3", Command::Undo(3)),
            ("moves E2", Command::Moves(Some(Square::E2))),
            ("save my games/a b.pgn ", Command::Save("my games/a b.pgn".into())),
            ("Nf3", Command::Move("Nf3".to_owned())),
            ("h4", Command::Move("h4".to_owned())),
        ];
        for (line, command) in cases {
            assert_eq!(Command::parse(line), Ok(command), "{line}");
        }
        for (line, expected) in [
            ("undo 0", "not `0`"),
            ("moves z9", "a square such as e2"),
            ("save", "the name of a file"),
            ("e4 e5", "one move at a time"),
            ("quit now", "one move at a time"),
        ] {
            assert!(Command::parse(line).unwrap_err().contains(expected), "{line}");
        }
    }

    #[test]
    fn help_names_every_command() {
        for line in HELP.lines().skip(1) {
            for name in line[2..13].split([' ', ',', '[', ']']).filter(|name| name.len() > 2 && *name != "FILE") {
                let command = if name == "save" { "save a" } else { name };
                assert!(!matches!(Command::parse(command), Ok(Command::Move(_)) | Err(_)), "{name}");
            }
        }
    }
}
