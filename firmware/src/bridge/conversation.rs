//! What a chess program has said, as far as a board must hear it again when it has forgotten all.

use std::time::Instant;

use crate::search::Search;

/// The state of a conversation between a chess program and a board.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// The last `setoption` line of each option, by name in small letters, in the order in which they were set.
    options: Vec<(String, String)>,
    debug: Option<String>,
    /// Whether `ucinewgame` came after the board had last listened.
    new_game: bool,
    position: Option<String>,
    search: Option<Search>,
    /// How often `uci` waits for `uciok`, and `isready` for `readyok`.
    identifying: usize,
    pinging: usize,
}

impl Conversation {
    /// Takes note of what the program says. `listening` tells whether the board hears it.
    pub(crate) fn said(&mut self, line: &str, listening: bool, now: Instant) {
        match line.split_ascii_whitespace().next() {
            Some("uci") => self.identifying += 1,
            Some("isready") => self.pinging += 1,
            Some("debug") => self.debug = Some(line.to_owned()),
            Some("setoption") => self.set_option(line),
            Some("ucinewgame") => {
                self.new_game = !listening;
                self.position = None;
            }
            Some("position") => self.position = Some(line.to_owned()),
            Some("go") => self.search = Some(Search::new(line, self.position.as_deref(), now)),
            Some("stop") => self.search.iter_mut().for_each(Search::stop),
            Some("ponderhit") => self.search.iter_mut().for_each(|search| search.ponder_hit(now)),
            _ => {}
        }
    }

    /// Takes note of what the board answers.
    pub(crate) fn heard(&mut self, line: &str) {
        match line.split_ascii_whitespace().next() {
            Some("uciok") => self.identifying = self.identifying.saturating_sub(1),
            Some("readyok") => self.pinging = self.pinging.saturating_sub(1),
            Some("bestmove") => self.search = None,
            Some("info") => self.search.iter_mut().for_each(|search| search.heard(line)),
            _ => {}
        }
    }

    fn set_option(&mut self, line: &str) {
        let words: Vec<&str> = line.split_ascii_whitespace().skip_while(|&word| word != "name").skip(1).collect();
        let Some(value_at) = words.iter().position(|&word| word == "value") else {
            // A button, pressed once: what it did is no state.
            return;
        };
        let name = words[..value_at].join(" ").to_lowercase();
        self.options.retain(|(known, _)| *known != name);
        self.options.push((name, line.to_owned()));
    }

    /// What a board that has just begun to listen must be told to know what the last one knew, and to answer what the
    /// program still waits for.
    pub(crate) fn retold(&mut self, now: Instant) -> Vec<String> {
        let repeated = |line: &str, times| std::iter::repeat_n(line.to_owned(), times);
        let mut lines: Vec<String> = repeated("uci", self.identifying).collect();
        lines.extend(self.debug.clone());
        lines.extend(self.options.iter().map(|(_, line)| line.clone()));
        if std::mem::take(&mut self.new_game) {
            lines.push("ucinewgame".to_owned());
        }
        lines.extend(self.position.clone());
        lines.extend(repeated("isready", self.pinging));
        lines.extend(self.search.iter().flat_map(|search| search.again(now)));
        lines
    }

    /// The answers to the pings that wait, for a board that is away: the program must not take it for dead.
    pub(crate) fn answer_pings(&mut self) -> usize {
        std::mem::take(&mut self.pinging)
    }

    /// The move to answer with in the stead of a board that is away, if it is time to. The search is then over.
    pub(crate) fn answer_search(&mut self, now: Instant) -> Option<String> {
        let mv = self.search.as_ref()?.answer_at(now)?.to_owned();
        self.search = None;
        Some(mv)
    }

    /// Whether a search goes on that only `stop` ends.
    pub(crate) fn analyses(&self) -> bool {
        self.search.as_ref().is_some_and(|search| !search.ends())
    }

    /// Whether the program waits for an answer.
    pub(crate) const fn waits(&self) -> bool {
        self.identifying > 0 || self.pinging > 0 || self.search.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(lines: &[&str]) -> Conversation {
        let mut conversation = Conversation::default();
        let now = Instant::now();
        lines.iter().for_each(|line| conversation.said(line, true, now));
        conversation
    }

    #[test]
    fn what_is_answered_or_replaced_is_not_told_again() {
        let mut said = conversation(&[
            "uci",
            "setoption name MultiPV value 3",
            "setoption name Clear Hash",
            "setoption name UCI_Elo value 1600",
            "setoption name multipv value 2",
            "ucinewgame",
            "isready",
            "position startpos moves e2e4",
            "go depth 5",
            "isready",
        ]);
        said.heard("uciok");
        said.heard("readyok");
        let retold = [
            "setoption name UCI_Elo value 1600",
            "setoption name multipv value 2",
            "position startpos moves e2e4",
            "isready",
            "go depth 5",
        ];
        assert_eq!(said.retold(Instant::now()), retold);
        said.heard("bestmove e7e5");
        said.heard("readyok");
        assert!(!said.waits());
        assert_eq!(said.retold(Instant::now()), retold[..3]);
    }

    #[test]
    fn a_new_game_is_told_to_a_board_that_did_not_hear_of_it() {
        let mut said = conversation(&["position startpos moves e2e4"]);
        said.said("ucinewgame", false, Instant::now());
        assert_eq!(said.retold(Instant::now()), ["ucinewgame"]);
        assert_eq!(said.retold(Instant::now()), [""; 0]);
    }

    #[test]
    fn a_search_that_is_stopped_while_the_board_is_away_gets_its_best_move() {
        let mut said = conversation(&["position startpos", "go infinite"]);
        said.heard("info depth 7 seldepth 9 multipv 1 score cp 12 nodes 9 pv d2d4 d7d5");
        let now = Instant::now();
        assert_eq!(said.answer_search(now), None);
        assert!(said.analyses());
        said.said("stop", false, now);
        assert_eq!(said.answer_search(now).as_deref(), Some("d2d4"));
        assert_eq!((said.answer_search(now), said.waits()), (None, false));
    }
}
