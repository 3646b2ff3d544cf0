//! How well scores tell two kinds of things apart.

/// The chance that a random one of the first kind scores higher than one of the second (the area under the ROC curve;
/// Mann and Whitney's U): 0.5 for scores that tell nothing. `None` if there is nothing of a kind.
pub(super) fn area(higher: &[f64], lower: &[f64]) -> Option<f64> {
    if higher.is_empty() || lower.is_empty() {
        return None;
    }
    let mut all: Vec<(f64, bool)> = higher.iter().map(|&score| (score, true)).collect();
    all.extend(lower.iter().map(|&score| (score, false)));
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut pairs, mut below) = (0.0, 0.0);
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let ours = tied.iter().filter(|item| item.1).count() as f64;
        let theirs = tied.len() as f64 - ours;
        // Half a win for each tie.
        pairs += ours * (below + theirs / 2.0);
        below += theirs;
    }
    Some(pairs / (higher.len() as f64 * lower.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted() {
        assert_eq!(area(&[2.0, 3.0], &[0.0, 1.0]), Some(1.0));
        assert_eq!(area(&[0.0], &[1.0]), Some(0.0));
        // Of four pairs two are won, one is tied and one is lost.
        assert_eq!(area(&[1.0, 3.0], &[1.0, 2.0]), Some(0.625));
        assert_eq!(area(&[], &[1.0]), None);
    }
}
