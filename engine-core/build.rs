//! Fills the tables of the desktop's sliding attacks (the compiler could do it too, but takes ten seconds), and finds
//! out which vector instructions a chip has that the compiler does not tell of.

use std::path::Path;
use std::{env, error, fs};

#[path = "src/chess/attacks/multipliers.rs"]
mod multipliers;

/// The ways of a slider, as steps of file and rank.
type Directions = [(i8, i8); 4];

const STRAIGHT: Directions = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: Directions = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

fn main() -> Result<(), Box<dyn error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/chess/attacks/multipliers.rs");
    println!("cargo::rustc-check-cfg=cfg(cortex_m_dsp)");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    // Cortex-M4 and M7, and what is said to be an M33. The language does not let a program ask for `target_feature = "dsp"`.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if env::var("TARGET")?.starts_with("thumbv7em") || flags.contains("target-cpu=cortex-m33") {
        println!("cargo::rustc-cfg=cortex_m_dsp");
    }
    if env::var_os("CARGO_FEATURE_LARGE_TABLES").is_some() {
        let out = env::var("OUT_DIR")?;
        let out = Path::new(&out);
        fs::write(out.join("bishop_attacks.bin"), table(&multipliers::BISHOP_MULTIPLIERS, DIAGONAL))?;
        fs::write(out.join("rook_attacks.bin"), table(&multipliers::ROOK_MULTIPLIERS, STRAIGHT))?;
    }
    Ok(())
}

/// The attack sets of all squares, one square's table after the other, as little-endian bytes.
fn table(multipliers: &[u64; 64], directions: Directions) -> Vec<u8> {
    let of_square = |(square, &multiplier)| square_table(square, multiplier, directions);
    let sets = multipliers.iter().enumerate().flat_map(of_square);
    sets.flat_map(u64::to_le_bytes).collect()
}

fn square_table(square: usize, multiplier: u64, directions: Directions) -> Vec<u64> {
    // The last square of a ray is attacked whether it is occupied or not.
    let mask = directions.iter().fold(0, |mask, &way| mask | inner_ray(square, way));
    let bits = mask.count_ones();
    let mut sets = vec![0; 1 << bits];
    let mut occupied = 0u64;
    loop {
        let attacked = directions.iter().fold(0, |set, &way| set | ray(square, occupied, way));
        sets[(occupied.wrapping_mul(multiplier) >> (64 - bits)) as usize] = attacked;
        // Carry-rippler: the next subset of the mask.
        occupied = occupied.wrapping_sub(mask) & mask;
        if occupied == 0 {
            return sets;
        }
    }
}

/// The squares one way from a square to the board's edge, without the last.
fn inner_ray(square: usize, way: (i8, i8)) -> u64 {
    let whole = ray(square, 0, way);
    // Each square but the last is the first blocker of a ray shorter than the whole.
    (0..64).map(|index| whole & 1 << index).filter(|&blocker| blocker != 0 && ray(square, blocker, way) != whole).sum()
}

/// The squares one way from a square, up to and including the first blocker.
fn ray(square: usize, occupied: u64, (file_step, rank_step): (i8, i8)) -> u64 {
    let mut reached = 0;
    let mut file = (square % 8) as i8 + file_step;
    let mut rank = (square / 8) as i8 + rank_step;
    while (0..8).contains(&file) && (0..8).contains(&rank) {
        let bit = 1 << (8 * rank + file);
        reached |= bit;
        if occupied & bit != 0 {
            break;
        }
        file += file_step;
        rank += rank_step;
    }
    reached
}
