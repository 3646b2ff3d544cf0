//! Playing weaker on request: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! Strength is limited by nodes, with the classical evaluation. The scale is that of Stockfish 15.1's own `UCI_Elo` at 20,000
//! nodes a move, measured by matches: see `docs/experiments.md`.

/// The weakest rating that can be asked for: fewer nodes could not look at every move.
pub(super) const MIN_ELO: u32 = 1250;
/// The strongest that can be: measured up to 1850, and continued by the same rule.
pub(super) const MAX_ELO: u32 = 2000;

/// The nodes of a move at the weakest rating: enough for one ply, captures played out, in most positions.
const MIN_NODES: u64 = 100;
/// The rating points that doubling the nodes is worth.
const DOUBLING: u32 = 84;

/// The nodes that a rating is worth: so many at the weakest, twice as many every [`DOUBLING`] points.
pub(super) fn nodes(elo: u32) -> u64 {
    let above = elo.clamp(MIN_ELO, MAX_ELO) - MIN_ELO;
    let (doublings, rest) = (above / DOUBLING, u64::from(above % DOUBLING));
    let whole = MIN_NODES << doublings;
    whole + whole * rest / u64::from(DOUBLING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rating_is_more_nodes() {
        assert_eq!(nodes(MIN_ELO), MIN_NODES);
        assert_eq!(nodes(0), MIN_NODES);
        assert!((MIN_ELO..MAX_ELO).all(|elo| nodes(elo) <= nodes(elo + 1)));
    }
}
