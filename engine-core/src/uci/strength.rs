//! Playing weaker on request: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! At the top strength is limited by nodes, with the network; below that with the classical evaluation, which knows less;
//! and where fewer nodes could not look at every move, by a choice among moves that are nearly as good as the best after one
//! ply. The scale is that of Stockfish 15.1's own `UCI_Elo` at 20,000 nodes a move, measured by matches, and continued above
//! and below what that has: see `docs/experiments.md`.

use crate::search::{Limits, MAX_MULTI_PV, Whim};

/// The weakest rating that can be asked for.
pub(super) const MIN_ELO: u32 = 600;
/// The strongest that can be.
pub(super) const MAX_ELO: u32 = 2500;

/// From this rating on a search looks at every move: enough nodes for one ply, captures played out, in most positions.
const SEARCH_ELO: u32 = 1250;
/// From this rating on it judges by the network, if there is one.
const NETWORK_ELO: u32 = 1700;

/// A way to make ratings of nodes: so many at a rating, twice as many every so many points.
struct Doubling {
    elo: u32,
    nodes: u64,
    points: u32,
}

const CLASSICAL: Doubling = Doubling { elo: SEARCH_ELO, nodes: 100, points: 84 };
const NETWORK: Doubling = Doubling { elo: NETWORK_ELO, nodes: 800, points: 84 };

impl Doubling {
    fn nodes(&self, elo: u32) -> u64 {
        let above = elo.saturating_sub(self.elo);
        let (doublings, rest) = (above / self.points, u64::from(above % self.points));
        let whole = self.nodes << doublings;
        whole + whole * rest / u64::from(self.points)
    }
}

/// How far the choice may stray, in centipawns, at ratings from [`MIN_ELO`] to [`SEARCH_ELO`]; between these in proportion.
const REACHES: [(u32, u32); 5] = [(MIN_ELO, 610), (785, 415), (955, 277), (1108, 138), (SEARCH_ELO, 58)];

fn reach(elo: u32) -> u32 {
    let between = REACHES.windows(2).find(|pair| elo <= pair[1].0);
    let Some(&[(low, far), (high, near)]) = between else { return 0 };
    near + (far - near) * (high - elo) / (high - low)
}

/// Whether a rating is judged by the classical evaluation.
pub(super) const fn is_classical(elo: u32) -> bool {
    elo < NETWORK_ELO
}

/// Limits a search to a rating. `seed` decides what chance does.
pub(super) fn limit(limits: &mut Limits, elo: u32, seed: u64) {
    let elo = elo.clamp(MIN_ELO, MAX_ELO);
    if elo < SEARCH_ELO {
        limits.whim = Some(Whim { reach: reach(elo) as u16, seed });
        limits.multi_pv = MAX_MULTI_PV;
        limits.depth = Some(1);
        return;
    }
    let nodes = if is_classical(elo) { CLASSICAL.nodes(elo) } else { NETWORK.nodes(elo) };
    limits.lower_nodes(nodes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(elo: u32) -> Limits {
        let mut limits = Limits::default();
        limit(&mut limits, elo, 0);
        limits
    }

    #[test]
    fn more_rating_is_more_nodes_or_less_whim() {
        for elo in MIN_ELO..MAX_ELO {
            let (now, next) = (limited(elo), limited(elo + 1));
            match (now.whim, next.whim) {
                (Some(now), Some(next)) => assert!(now.reach >= next.reach, "{elo}"),
                (None, Some(_)) => panic!("{elo}"),
                _ if is_classical(elo) == is_classical(elo + 1) => assert!(now.nodes <= next.nodes, "{elo}"),
                _ => {}
            }
        }
        assert_eq!(limited(0).whim, limited(MIN_ELO).whim);
        for (elo, reach) in &REACHES[..4] {
            assert_eq!(limited(*elo).whim.map(|whim| u32::from(whim.reach)), Some(*reach));
        }
        assert_eq!(limited(SEARCH_ELO).nodes, Some(CLASSICAL.nodes));
        assert_eq!(limited(NETWORK_ELO).nodes, Some(NETWORK.nodes));
    }

    #[test]
    fn what_else_was_asked_for_still_counts() {
        let mut limits = Limits { nodes: Some(7), ..Limits::default() };
        limit(&mut limits, MAX_ELO, 0);
        assert_eq!(limits.nodes, Some(7));
    }
}
