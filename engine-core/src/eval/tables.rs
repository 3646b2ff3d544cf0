//! A set of piece-square tables: what a hand-written evaluation knows.

/// What each piece is worth on each square, in centipawns: by role (a pawn's table first), then by square as White sees
/// the board, with the eighth rank on top. Material is in the numbers.
pub type Worths = [[i16; 64]; 6];

/// Piece-square tables for both ends of the game, between which the evaluation is tapered.
///
/// The two sets that there are: [`FITTED`](super::FITTED) and [`SIMPLIFIED`](super::SIMPLIFIED).
#[derive(Debug)]
pub struct Tables {
    /// With all pieces on the board.
    pub middlegame: &'static Worths,
    /// With hardly a piece left.
    pub endgame: &'static Worths,
    /// What the right to move is worth.
    pub tempo: i16,
}
