//! Softmax in integers: the same on every machine.

use super::policy::LOGIT_ONE;
use crate::chess::MAX_MOVES;

/// The chance of what is sure, in ten-thousandths.
const CERTAIN: u64 = 10_000;

/// e^(-2^k / 65536) as fractions of 2^32, for k from 0.
#[rustfmt::skip]
const POWERS: [u32; 21] = [
    4_294_901_760, 4_294_836_226, 4_294_705_160, 4_294_443_040, 4_293_918_848, 4_292_870_656, 4_290_775_039,
    4_286_586_875, 4_278_222_805, 4_261_543_595, 4_228_380_000, 4_162_825_044, 4_034_748_382, 3_790_295_335,
    3_344_923_893, 2_605_029_347, 1_580_030_169, 581_260_615, 78_665_070, 1_440_801, 483,
];

/// The chances that logits stand for, in ten-thousandths, rounded down.
pub(super) fn chances(logits: &[i32]) -> heapless::Vec<u16, MAX_MOVES> {
    let most = logits.iter().copied().max().unwrap_or(0);
    let odds = |&logit: &i32| exp_of_minus(most.abs_diff(logit));
    let total: u64 = logits.iter().map(odds).sum();
    logits.iter().map(|logit| (odds(logit) * CERTAIN / total) as u16).collect()
}

/// e^(-x / [`LOGIT_ONE`]) as a fraction of 2^32: the product of the powers that the bits of `x` stand for.
fn exp_of_minus(x: u32) -> u64 {
    if x >> POWERS.len() != 0 {
        return 0;
    }
    let set = POWERS.iter().enumerate().filter(|&(bit, _)| x >> bit & 1 != 0);
    set.fold(1 << 32, |product, (_, &power)| (product * u64::from(power)) >> 32)
}

const _: () = assert!(LOGIT_ONE == 1 << 16, "the powers are made for this");

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn the_powers_are_those_of_e() {
        for (bit, &power) in POWERS.iter().enumerate() {
            let exact = (-f64::from(1u32 << bit) / 65_536.0).exp() * 4_294_967_296.0;
            assert!((f64::from(power) - exact).abs() <= 0.5, "{bit}: {power} is not {exact}");
        }
        for x in (0..2_000_000).step_by(997) {
            let exact = (-f64::from(x) / 65_536.0).exp() * 4_294_967_296.0;
            assert!((exp_of_minus(x) as f64 - exact).abs() < 22.0, "{x}");
        }
    }

    #[test]
    fn chances_add_up() {
        assert_eq!(chances(&[5]).as_slice(), [10_000]);
        assert_eq!(chances(&[7, 7, 7, 7]).as_slice(), [2_500; 4]);
        assert_eq!(chances(&[i32::MIN, i32::MAX]).as_slice(), [0, 10_000]);
        // e^-1 / (1 + e^-1) = 0.26894.
        assert_eq!(chances(&[LOGIT_ONE, 0]).as_slice(), [7_310, 2_689]);
        assert!(chances(&[]).is_empty());
        let many: std::vec::Vec<i32> = (0..200).map(|n| n * n * 50 % 90_000).collect();
        let sum: u32 = chances(&many).iter().map(|&chance| u32::from(chance)).sum();
        assert!((9_800..=10_000).contains(&sum), "{sum}");
    }
}
