//! Any text as a FEN: refused, or a board that keeps its promises.
#![no_main]

use engine_core::chess::{Board, perft};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(board) = Board::from_fen(text) else { return };
    assert_eq!(board.key(), board.key_from_scratch());
    for written in [board.fen().to_string(), board.shredder_fen().to_string()] {
        assert_eq!(Board::from_fen(&written), Ok(board), "{written}");
    }
    let moves = board.legal_moves();
    assert_eq!(moves.len() as u64, perft(&board, 1));
    for &mv in &moves {
        assert!(board.is_legal(mv));
        let after = board.after(mv);
        assert_eq!(after.key(), after.key_from_scratch());
        assert_eq!(Board::from_fen(&after.fen().to_string()), Ok(after));
        assert_eq!(board.parse_move(mv.long_algebraic(true).to_string().as_bytes()), Ok(mv));
        let _ = board.san(mv).to_string();
    }
});
