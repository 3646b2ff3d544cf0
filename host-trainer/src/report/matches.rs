//! Who played whom, and what it proves.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use shakmaty::Color;

use super::games::Game;
use crate::arena::statistics::{EloEstimate, Pentanomial, Tally};

/// All games between two players.
#[derive(Clone, Debug, Default)]
pub struct Match {
    /// The one whose results these are: whoever is named first in the files.
    pub first: String,
    /// The other.
    pub second: String,
    /// The first player's results.
    pub tally: Tally,
    /// Pairs of games with both colours from one opening; `None` unless all games come so.
    pub pairs: Option<Pentanomial>,
    /// Games without a result.
    pub unfinished: u32,
    /// Half-moves of all games.
    pub plies: usize,
    /// How games ended, by the tag, with how many did.
    pub terminations: BTreeMap<String, u32>,
}

impl Match {
    /// The difference in Elo: by pairs where there are such.
    #[must_use]
    pub fn elo(&self) -> Option<EloEstimate> {
        self.pairs.map_or_else(|| self.tally.elo(), |pairs| pairs.elo())
    }
}

/// The matches in games, in the order in which they begin.
#[must_use]
pub fn matches(games: &[Game]) -> Vec<Match> {
    let mut found: Vec<(Match, Vec<&Game>)> = Vec::new();
    for game in games {
        let place = found.iter().position(|(known, _)| {
            let players = [known.first.as_str(), known.second.as_str()];
            players == [game.white.as_str(), game.black.as_str()]
                || players == [game.black.as_str(), game.white.as_str()]
        });
        match place {
            Some(place) => found[place].1.push(game),
            None => {
                // One who has been first before stays so.
                let was_first = |name: &str| found.iter().any(|(known, _)| known.first == name);
                let swap = was_first(&game.black) && !was_first(&game.white);
                let (first, second) = if swap { (&game.black, &game.white) } else { (&game.white, &game.black) };
                let new = Match { first: first.clone(), second: second.clone(), ..Match::default() };
                found.push((new, vec![game]));
            }
        }
    }
    found.into_iter().map(|(heading, games)| count(heading, &games)).collect()
}

fn side_of_first(heading: &Match, game: &Game) -> Color {
    Color::from_white(game.white == heading.first)
}

fn count(heading: Match, games: &[&Game]) -> Match {
    let mut all = heading;
    for game in games {
        all.plies += game.line.plies().len();
        match game.half_points(side_of_first(&all, game)) {
            Some(half_points) => all.tally.count(half_points),
            None => all.unfinished += 1,
        }
        if let Some(termination) = &game.termination {
            *all.terminations.entry(termination.clone()).or_default() += 1;
        }
    }
    all.pairs = pairs(&all, games);
    all
}

/// Pairs by their numbers, 1 with 2 and so on, as the arena numbers games; `None` if a game has no partner.
fn pairs(heading: &Match, games: &[&Game]) -> Option<Pentanomial> {
    let mut by_pair: BTreeMap<u32, Vec<&Game>> = BTreeMap::new();
    for game in games {
        by_pair.entry(game.round?.checked_sub(1)? / 2).or_default().push(game);
    }
    let mut pairs = Pentanomial::default();
    for pair in by_pair.values() {
        let [one, two] = pair[..] else { return None };
        let sides = [one, two].map(|game| side_of_first(heading, game));
        if sides[0] == sides[1] || one.line.start() != two.line.start() || one.opening != two.opening {
            return None;
        }
        pairs.0[one.half_points(sides[0])? + two.half_points(sides[1])?] += 1;
    }
    Some(pairs)
}

/// The table, and the differences in Elo as a picture.
#[must_use]
pub fn section(matches: &[Match]) -> Markup {
    let percent = |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    html! {
        div class="wide" {
            table {
                thead { tr {
                    th { "Player" } th { "Opponent" } th class="number" { "Games" }
                    th class="number" { "+" } th class="number" { "=" } th class="number" { "−" }
                    th class="number" { "Score" } th { "Points" } th class="number" { "Elo, 95 %" }
                    th class="number" { "Moves" } th { "Ended" }
                } }
                tbody {
                    @for all in matches {
                        tr {
                            td { (all.first) } td { (all.second) }
                            td class="number" { (all.tally.games() + all.unfinished) }
                            td class="number" { (all.tally.wins) }
                            td class="number" { (all.tally.draws) }
                            td class="number" { (all.tally.losses) }
                            td class="number" { (percent(all.tally.score())) }
                            td { (share_bar(&all.tally)) }
                            td class="number" { (elo_text(all.elo())) }
                            td class="number" { (moves_per_game(all)) }
                            td { (endings(all)) }
                        }
                    }
                }
            }
        }
        (elo_picture(matches))
        p class="note" { (footnote(matches)) }
    }
}

fn footnote(matches: &[Match]) -> &'static str {
    let paired = matches.iter().filter(|all| all.pairs.is_some()).count();
    if paired == matches.len() {
        "Elo is the player's lead over the opponent with its 95 % interval, counted by pairs of games that share an \
         opening (pentanomial)."
    } else if paired == 0 {
        "Elo is the player's lead over the opponent with its 95 % interval, each game counted for itself: the games do \
         not come in pairs with both colours."
    } else {
        "Elo is the player's lead over the opponent with its 95 % interval: by pairs of games that share an opening where \
         all games of a match have a partner, else game by game."
    }
}

fn moves_per_game(all: &Match) -> String {
    let games = all.tally.games() + all.unfinished;
    format!("{:.0}", all.plies as f64 / 2.0 / f64::from(games.max(1)))
}

fn endings(all: &Match) -> String {
    let mut parts: Vec<String> = all.terminations.iter().map(|(how, count)| format!("{count} {how}")).collect();
    if all.unfinished > 0 && !all.terminations.contains_key("unterminated") {
        parts.push(format!("{} unfinished", all.unfinished));
    }
    parts.join(", ")
}

/// `+12 ± 5`; where all points went one way, what can be said.
#[must_use]
pub fn elo_text(estimate: Option<EloEstimate>) -> String {
    match estimate {
        None => "–".to_owned(),
        Some(EloEstimate { elo, .. }) if elo.is_infinite() => if elo > 0.0 { "won all" } else { "lost all" }.to_owned(),
        Some(EloEstimate { elo, error, .. }) if error.is_finite() => format!("{elo:+.0} ± {error:.0}"),
        Some(EloEstimate { elo, .. }) => format!("{elo:+.0}"),
    }
}

/// Wins, draws and losses as a bar.
#[must_use]
pub fn share_bar(tally: &Tally) -> Markup {
    let games = f64::from(tally.games().max(1));
    let width = |count: u32| format!("width:{:.1}%", 100.0 * f64::from(count) / games);
    html! {
        span class="bar" title={ (tally.wins) " won, " (tally.draws) " drawn, " (tally.losses) " lost" } {
            span class="won" style=(width(tally.wins)) {}
            span class="drawn" style=(width(tally.draws)) {}
            span class="lost" style=(width(tally.losses)) {}
        }
    }
}

/// Each match's Elo as a dot with its interval, on one axis.
fn elo_picture(matches: &[Match]) -> Markup {
    const WIDTH: f64 = 720.0;
    const ROW: f64 = 26.0;
    const LEFT: f64 = 190.0;
    let finite = |estimate: &EloEstimate| estimate.low.is_finite() && estimate.high.is_finite();
    let rows: Vec<(&Match, EloEstimate)> =
        matches.iter().filter_map(|all| Some((all, all.elo().filter(finite)?))).collect();
    if rows.is_empty() {
        return html! {};
    }
    let reach = rows.iter().flat_map(|(_, elo)| [elo.low.abs(), elo.high.abs()]).fold(10.0, f64::max) * 1.1;
    let place = |elo: f64| LEFT + (WIDTH - LEFT - 10.0) * (elo + reach) / (2.0 * reach);
    let height = ROW * rows.len() as f64 + 24.0;
    let bottom = height - 22.0;
    let mut svg =
        format!("<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Elo by opponent\">");
    for tick in [-reach / 1.1, -reach / 2.2, 0.0, reach / 2.2, reach / 1.1] {
        let class = if tick == 0.0 { "diagonal" } else { "grid" };
        let x = place(tick);
        svg += &format!("<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\"/>");
        svg += &format!(
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{tick:+.0}</text>",
            height - 6.0
        );
    }
    for (index, (all, elo)) in rows.iter().enumerate() {
        let y = ROW * (index as f64 + 0.5);
        let name: String = all.second.chars().take(26).collect();
        svg += &format!(
            "<text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <line class=\"interval\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\"/>\
             <circle class=\"dot line-0\" cx=\"{:.1}\" cy=\"{y}\" r=\"5\"><title>{}</title></circle>",
            LEFT - 12.0,
            y + 4.0,
            super::chart::escape(&name),
            place(elo.low),
            place(elo.high),
            place(elo.elo),
            super::chart::escape(&format!("{} against {}: {}", all.first, all.second, elo_text(Some(*elo))))
        );
    }
    html! { (PreEscaped(svg + "</svg>")) }
}

#[cfg(test)]
mod tests {
    use shakmaty::KnownOutcome;

    use super::*;

    fn game(white: &str, black: &str, round: Option<u32>, outcome: Option<KnownOutcome>) -> Game {
        Game { white: white.to_owned(), black: black.to_owned(), round, outcome, ..Game::default() }
    }

    fn won_by(winner: Color) -> Option<KnownOutcome> {
        Some(KnownOutcome::Decisive { winner })
    }

    #[test]
    fn games_are_counted_for_the_first_player_and_in_pairs() {
        let games = [
            // In the order in which they ended.
            game("B", "A", Some(2), Some(KnownOutcome::Draw)),
            game("A", "B", Some(1), won_by(Color::White)),
            game("A", "B", Some(3), won_by(Color::Black)),
            game("B", "A", Some(4), won_by(Color::White)),
        ];
        let found = matches(&games);
        assert_eq!((found.len(), found[0].first.as_str()), (1, "B"));
        assert_eq!(found[0].tally, Tally { wins: 2, draws: 1, losses: 1 });
        assert_eq!(found[0].pairs, Some(Pentanomial([0, 1, 0, 0, 1])));
        assert_eq!(found[0].elo(), Pentanomial([0, 1, 0, 0, 1]).elo());
    }

    #[test]
    fn lone_games_count_one_by_one() {
        let mut games = vec![
            game("A", "B", Some(1), won_by(Color::White)),
            game("B", "A", Some(2), won_by(Color::White)),
            game("A", "B", Some(3), None),
        ];
        let found = matches(&games);
        assert_eq!((found[0].pairs, found[0].unfinished, found[0].tally.games()), (None, 1, 2));
        games.pop();
        assert!(matches(&games)[0].pairs.is_some());
        games[1].opening = Some("another".to_owned());
        assert_eq!(matches(&games)[0].pairs, None, "of one opening");
        games[1].round = None;
        assert_eq!(matches(&games)[0].pairs, None, "numbered");
    }

    #[test]
    fn who_was_first_stays_first() {
        let draw = Some(KnownOutcome::Draw);
        let found = matches(&[game("A", "B", None, draw), game("C", "A", None, draw), game("C", "B", None, draw)]);
        let names: Vec<_> = found.iter().map(|all| format!("{}{}", all.first, all.second)).collect();
        assert_eq!(names, ["AB", "AC", "CB"]);
    }
}
