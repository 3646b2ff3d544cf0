//! Piece-square tables in centipawns: the prior, and the file that the engine includes.

use std::fmt::Write;

use engine_core::{
    chess::Role,
    eval::{FITTED, Worths},
};

/// By role, then by square as White sees the board, with the eighth rank on top.
pub type Table = [[f64; 64]; 6];

/// All that the classical evaluation adds up.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// With all pieces on the board.
    pub middlegame: Table,
    /// With hardly a piece left.
    pub endgame: Table,
    /// What the right to move is worth.
    pub tempo: f64,
}

/// What the pieces count before anything is learnt.
const MATERIAL: [f64; 6] = [100.0, 300.0, 315.0, 490.0, 950.0, 0.0];

impl Tables {
    /// What a beginner is told: plain material, pieces to the centre, pawns forward, the king at home until the endgame
    /// and central in it.
    pub fn prior() -> Tables {
        let table = |place: fn(Role, usize, usize) -> f64| {
            Role::ALL.map(|role| {
                std::array::from_fn(|index| {
                    // Files and ranks from 0; the tables begin with the eighth rank.
                    let (file, rank) = (index % 8, 7 - index / 8);
                    let empty = role == Role::Pawn && (rank == 0 || rank == 7);
                    if empty { 0.0 } else { MATERIAL[role.index()] + place(role, file, rank) }
                })
            })
        };
        Tables { middlegame: table(in_middlegame), endgame: table(in_endgame), tempo: 10.0 }
    }

    /// The tables that the engine has now.
    pub fn of_engine() -> Tables {
        let table = |table: &Worths| table.map(|squares| squares.map(f64::from));
        Tables { middlegame: table(FITTED.middlegame), endgame: table(FITTED.endgame), tempo: FITTED.tempo.into() }
    }

    /// A pawn's mean value over the squares that it can stand on, in both phases: what counts 100.
    pub fn mean_pawn(&self) -> f64 {
        let pawn = Role::Pawn.index();
        let values = || self.middlegame[pawn][8..56].iter().chain(&self.endgame[pawn][8..56]);
        values().sum::<f64>() / values().count() as f64
    }

    /// The engine's source file `piece_square.rs`, with a note on who made it.
    pub fn rust(&self, command: &str) -> String {
        let mut text = format!(
            r"//! Piece-square tables: what each piece is worth on each square, in centipawns, as White sees the board with the
//! eighth rank on top. Material is in the numbers.
//!
//! Written by:
//! ```text
//! {command}
//! ```

use super::tables::{{Tables, Worths}};

/// The tables that were fitted to games: the hand-written evaluation unless another is asked for.
pub static FITTED: Tables = Tables {{ middlegame: &MIDDLEGAME, endgame: &ENDGAME, tempo: {tempo} }};
",
            tempo = self.tempo.round() as i16
        );
        for (name, table) in [("MIDDLEGAME", &self.middlegame), ("ENDGAME", &self.endgame)] {
            let _ = write!(text, "\n#[rustfmt::skip]\nstatic {name}: Worths = [\n");
            for (role, squares) in Role::ALL.into_iter().zip(table) {
                let _ = write!(text, "    // {role:?}\n    [\n");
                for rank in squares.chunks(8) {
                    let values: Vec<String> =
                        rank.iter().map(|value| format!("{:>4},", value.round() as i16)).collect();
                    let _ = writeln!(text, "        {}", values.join(" "));
                }
                text += "    ],\n";
            }
            text += "];\n";
        }
        text
    }
}

/// Steps from the middle of the board, 0 in the four central squares and 6 in the corners.
fn from_centre(file: usize, rank: usize) -> f64 {
    let steps = |line: usize| if line < 4 { 3 - line } else { line - 4 };
    (steps(file) + steps(rank)) as f64
}

fn in_middlegame(role: Role, file: usize, rank: usize) -> f64 {
    let outwards = from_centre(file, rank) - 3.0;
    match role {
        Role::Pawn => 4.0 * (rank as f64 - 3.0) - 12.0,
        Role::Knight => -6.0 * outwards,
        Role::Bishop => -3.0 * outwards,
        Role::Rook => 0.0,
        Role::Queen => -outwards,
        Role::King => 30.0 - 15.0 * rank as f64 + 5.0 * from_centre(file, 3),
    }
}

fn in_endgame(role: Role, file: usize, rank: usize) -> f64 {
    let outwards = from_centre(file, rank) - 3.0;
    match role {
        Role::Pawn => 12.0 * (rank as f64 - 3.0),
        Role::Knight => -5.0 * outwards,
        Role::Bishop => -3.0 * outwards,
        Role::Rook => 20.0,
        Role::Queen => -3.0 * outwards,
        Role::King => -8.0 * outwards,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prior_knows_where_pieces_belong() {
        let prior = Tables::prior();
        let value = |table: &Table, role: Role, square: &[u8; 2]| {
            let index = usize::from(b'8' - square[1]) * 8 + usize::from(square[0] - b'a');
            table[role.index()][index]
        };
        let middlegame = |role, square| value(&prior.middlegame, role, square);
        let endgame = |role, square| value(&prior.endgame, role, square);
        assert!(middlegame(Role::Knight, b"e5") > middlegame(Role::Knight, b"a1"));
        assert!(middlegame(Role::King, b"g1") > middlegame(Role::King, b"e1"));
        assert!(middlegame(Role::King, b"e1") > middlegame(Role::King, b"e4"));
        assert!(endgame(Role::King, b"e4") > endgame(Role::King, b"g1"));
        assert!(endgame(Role::Pawn, b"e7") > endgame(Role::Pawn, b"e2"));
        assert_eq!(middlegame(Role::Pawn, b"e8") + endgame(Role::Pawn, b"e1"), 0.0);
        assert!((80.0..120.0).contains(&prior.mean_pawn()));
    }

    #[test]
    fn the_written_file_has_every_number() {
        let mut tables = Tables::prior();
        tables.tempo = 7.6;
        for (number, value) in tables.middlegame.iter_mut().chain(&mut tables.endgame).flatten().enumerate() {
            *value = 3.0 * number as f64 - 1000.4;
        }
        let text = tables.rust("trainer piece-values");
        assert!(text.contains("\n//! trainer piece-values\n") && text.contains("tempo: 8 };\n"));
        assert!(text.lines().all(|line| line.len() <= 120));
        let tables = text.split("Worths = [\n").skip(1).map(|table| table.split("\n];").next().unwrap());
        let numbers: Vec<i32> = tables
            .flat_map(str::lines)
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| line.split(|c: char| c != '-' && !c.is_ascii_digit()))
            .filter_map(|number| number.parse().ok())
            .collect();
        assert_eq!(numbers, (0..2 * 6 * 64).map(|number| 3 * number - 1000).collect::<Vec<_>>());
    }
}
