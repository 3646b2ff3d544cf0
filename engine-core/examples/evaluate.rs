//! What the network that comes with the engine thinks of a position, and what the classical evaluation does.
//!
//!     cargo run -p engine-core --example evaluate -- "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"

use engine_core::chess::Board;
use engine_core::eval::evaluate;
use engine_core::net::ValueNet;
use engine_core::nets;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let board = match std::env::args().nth(1) {
        Some(fen) => Board::from_fen(&fen)?,
        None => Board::start(),
    };
    let network = ValueNet::load(nets::DEFAULT)?;
    println!("centipawns for the side to move, without any search:");
    println!("{:>6} by the network '{}'", evaluate(&board, Some(&network)), network.name());
    println!("{:>6} by the classical evaluation", evaluate(&board, None));
    Ok(())
}
