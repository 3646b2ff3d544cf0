//! Weights as values of pieces, with what is not known of them.

use nalgebra::{DMatrix, DVector};

/// What a feature is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The feature.
    pub name: &'static str,
    /// Its weight, in units of the logistic function.
    pub weight: f64,
    /// The weight's standard error.
    pub weight_error: Option<f64>,
    /// Its worth, if a pawn is worth 100; `None` if a pawn is worth nothing.
    pub value: Option<f64>,
    /// The standard error of the worth; a pawn's is 0.
    pub value_error: Option<f64>,
}

/// Values in units of a hundredth of the first weight, the pawn's. Errors come from the covariance of the weights; those
/// of ratios by the delta method.
pub fn values(names: &[&'static str], weights: &DVector<f64>, covariance: Option<&DMatrix<f64>>) -> Vec<Value> {
    let pawn = weights[0];
    let scaled = |(feature, &name): (usize, &&'static str)| {
        let ratio = weights[feature] / pawn;
        let ratio_error = |covariance: &DMatrix<f64>| {
            let own = covariance[(feature, feature)];
            let both = covariance[(feature, 0)];
            ((own - 2.0 * ratio * both + ratio * ratio * covariance[(0, 0)]).max(0.0)).sqrt() / pawn
        };
        Value {
            name,
            weight: weights[feature],
            weight_error: covariance.map(|covariance| covariance[(feature, feature)].sqrt()),
            value: (pawn > 0.0).then_some(100.0 * ratio),
            value_error: covariance.filter(|_| pawn > 0.0).map(|covariance| 100.0 * ratio_error(covariance)),
        }
    };
    names.iter().enumerate().map(scaled).collect()
}

/// The covariance of the weights where the cost is least, from its second derivatives there over so many examples.
/// `None` if they do not set every weight.
///
/// It takes the examples for independent. Those of one game share a result, so true errors are larger.
pub fn covariance(hessian: &DMatrix<f64>, examples: f64) -> Option<DMatrix<f64>> {
    Some((hessian * examples).cholesky()?.inverse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_mean_and_of_a_ratio() {
        // Two weights seen through 400 even chances each: the curvature of each is a quarter a time.
        let hessian = DMatrix::from_diagonal_element(2, 2, 0.25 * 400.0 / 800.0);
        let covariance = covariance(&hessian, 800.0).unwrap();
        let values = values(&["pawn", "knight"], &DVector::from_vec(vec![0.5, 1.5]), Some(&covariance));
        assert_eq!((values[0].value, values[1].value), (Some(100.0), Some(300.0)));
        let error = values[1].weight_error.unwrap();
        assert!((error - 0.1).abs() < 1e-12);
        assert_eq!(values[0].value_error, Some(0.0));
        // The knight's own 0.1 and three times the pawn's, over half a unit.
        let expected = 100.0 * (0.1f64 * 0.1 + 0.3 * 0.3).sqrt() / 0.5;
        assert!((values[1].value_error.unwrap() - expected).abs() < 1e-9);
        assert!(super::covariance(&DMatrix::zeros(1, 1), 10.0).is_none(), "a weight that nothing sets");
        let nothing = super::values(&["pawn"], &DVector::from_vec(vec![0.0]), None);
        assert_eq!((nothing[0].value, nothing[0].weight), (None, 0.0));
    }
}
