//! Playing weaker on request: `UCI_LimitStrength` and `UCI_Elo`.

/// The weakest rating that can be asked for.
pub(super) const MIN_ELO: u32 = 600;
/// The strongest.
pub(super) const MAX_ELO: u32 = 2400;

/// The nodes of a move at the weakest rating: enough for one ply, captures played out, in most positions.
const MIN_NODES: u64 = 100;
/// The rating points that doubling the nodes is worth.
const DOUBLING: u32 = 120;

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
