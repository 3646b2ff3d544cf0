//! The integers that a network's weights will become: how far they reach, and how fine they are.

use super::net::Shape;
use crate::train::layer::{LARGEST, Steps};

/// The steps of every layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    features: Steps,
    dense: Vec<Steps>,
    output: Steps,
}

impl Grid {
    /// The grid of a network whose first layer has `qa` steps to one, and whose other layers have `qb`.
    ///
    /// The first layer's weights are at most a half: with 127 steps they fit seven bits, and the kernels can take the
    /// difference of two in eight. Without dense layers the squared activations stay whole. In front of a dense layer they are shifted right until
    /// they fit into seven bits, and their scale is a real number.
    #[must_use]
    pub fn new(shape: &Shape, qa: u32, qb: u32) -> Grid {
        let (qa, qb) = (f64::from(qa), f64::from(qb));
        let mut one = qa;
        let mut above = Vec::new();
        for _ in &shape.dense {
            let activation = shifted(one);
            above.push(Steps { weight: qb, largest: LARGEST, bias: activation * qb });
            one = (activation * qb).round();
        }
        let activation = if shape.dense.is_empty() { qa * qa } else { shifted(one) };
        let output = Steps { weight: qb, largest: LARGEST, bias: activation * qb };
        let features = Steps { weight: qa, largest: (qa / 2.0).floor().min(LARGEST), bias: qa };
        Grid { features, dense: above, output }
    }

    /// The first layer's.
    #[must_use]
    pub fn features(&self) -> Steps {
        self.features
    }

    /// The dense layers'.
    #[must_use]
    pub fn dense(&self) -> &[Steps] {
        &self.dense
    }

    /// The last layer's.
    #[must_use]
    pub fn output(&self) -> Steps {
        self.output
    }
}

/// The square of an activation's full value, halved until it is at most 127 as an integer.
fn shifted(one: f64) -> f64 {
    let mut square = one * one;
    while square.floor() > LARGEST {
        square /= 2.0;
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_dense_layers_nothing_is_shifted() {
        let grid = Grid::new(&Shape { width: 128, dense: vec![], buckets: 8 }, 255, 64);
        assert_eq!(grid.features(), Steps { weight: 255.0, largest: 127.0, bias: 255.0 });
        assert_eq!(grid.output(), Steps { weight: 64.0, largest: 127.0, bias: 255.0 * 255.0 * 64.0 });
        assert!((grid.output().reach() - 127.0 / 64.0).abs() < 1e-6);
    }

    #[test]
    fn the_first_layers_weights_are_at_most_a_half() {
        for (qa, largest) in [(127, 63.0), (181, 90.0), (255, 127.0)] {
            let grid = Grid::new(&Shape { width: 128, dense: vec![], buckets: 8 }, qa, 64);
            assert_eq!(grid.features().largest, largest);
        }
    }

    #[test]
    fn a_dense_layer_sees_seven_bits() {
        let grid = Grid::new(&Shape { width: 32, dense: vec![16], buckets: 1 }, 255, 64);
        // 255 * 255 >> 9 is 127.
        assert_eq!(grid.dense()[0].bias, 65025.0 / 512.0 * 64.0);
        // That is 8128 steps to one, and 8128 * 8128 >> 19 is 126.
        assert_eq!(grid.output().bias, 8128.0 * 8128.0 / 524_288.0 * 64.0);
    }
}
