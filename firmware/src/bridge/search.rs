//! A search that the chess program waits for.

use std::time::{Duration, Instant};

/// A `go` that has no `bestmove` yet.
#[derive(Debug)]
pub(crate) struct Search {
    /// The words of the command.
    words: Vec<String>,
    /// Whether White is to move.
    white: bool,
    /// When the clock began to run: with `go`, or after `go ponder` with `ponderhit`.
    since: Instant,
    stopped: bool,
    /// The first move of the best line so far.
    best: Option<String>,
}

impl Search {
    /// The search of a `go` line in a position.
    pub(crate) fn new(go: &str, position: Option<&str>, now: Instant) -> Self {
        let words = go.split_ascii_whitespace().map(str::to_owned).collect();
        Self { words, white: position.is_none_or(white_to_move), since: now, stopped: false, best: None }
    }

    /// Whether it ends by itself.
    pub(crate) fn ends(&self) -> bool {
        self.stopped || !(self.says("infinite") || self.says("ponder"))
    }

    /// `stop` came.
    pub(crate) const fn stop(&mut self) {
        self.stopped = true;
    }

    /// `ponderhit` came: from here on it is an ordinary search.
    pub(crate) fn ponder_hit(&mut self, now: Instant) {
        self.words.retain(|word| word != "ponder");
        self.since = now;
    }

    /// Takes note of the best move in an `info` line.
    pub(crate) fn heard(&mut self, info: &str) {
        let mut words = info.split_ascii_whitespace();
        let mut after = |word| words.find(|&found| found == word).and_then(|_| words.next());
        if info.contains(" multipv ") && after("multipv") != Some("1") {
            return;
        }
        if let Some(mv) = after("pv") {
            self.best = Some(mv.to_owned());
        }
    }

    /// What to answer in the board's stead, if it is away and the program can wait no longer: it said `stop`, or the time
    /// for the move is over, or half of the clock is.
    pub(crate) fn answer_at(&self, now: Instant) -> Option<&str> {
        let over = self.stopped || self.patience().is_some_and(|patience| now >= self.since + patience);
        self.best.as_deref().filter(|_| over)
    }

    /// How long the program can wait for a board that is away.
    fn patience(&self) -> Option<Duration> {
        if self.says("ponder") {
            return None;
        }
        let clock = self.number(self.clock()).map(|millis| millis / 2);
        self.number("movetime").or(clock).map(Duration::from_millis)
    }

    /// The lines that have a board search again, with what is left of the time.
    pub(crate) fn again(&self, now: Instant) -> Vec<String> {
        let gone = if self.says("ponder") { Duration::ZERO } else { now.saturating_duration_since(self.since) };
        let gone = u64::try_from(gone.as_millis()).unwrap_or(u64::MAX);
        let mut go = Vec::new();
        let mut before = "";
        for word in &self.words {
            let running = before == "movetime" || before == self.clock();
            go.push(match word.parse::<u64>() {
                Ok(time) if running => time.saturating_sub(gone).max(1).to_string(),
                _ => word.clone(),
            });
            before = word;
        }
        let mut lines = vec![go.join(" ")];
        if self.stopped {
            lines.push("stop".to_owned());
        }
        lines
    }

    /// The clock that runs.
    fn clock(&self) -> &'static str {
        if self.white { "wtime" } else { "btime" }
    }

    fn says(&self, word: &str) -> bool {
        self.words.iter().any(|said| said == word)
    }

    fn number(&self, name: &str) -> Option<u64> {
        let mut words = self.words.iter();
        words.find(|&word| word == name)?;
        words.next()?.parse().ok()
    }
}

/// Whether White is to move after a `position` line.
fn white_to_move(position: &str) -> bool {
    let mut words = position.split_ascii_whitespace().skip(1);
    let starts = words.next() != Some("fen") || words.nth(1) != Some("b");
    let moves = words.skip_while(|&word| word != "moves").skip(1).count();
    starts == moves.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_clock_that_runs_is_that_of_the_side_to_move() {
        assert!(white_to_move("position startpos"));
        assert!(!white_to_move("position startpos moves e2e4"));
        assert!(white_to_move("position startpos moves e2e4 e7e5"));
        let fen = "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        assert!(!white_to_move(fen));
        assert!(white_to_move(&format!("{fen} moves e7e5")));
        assert!(white_to_move("position fen 8/8/8/8/8/8/8/8 w - - 0 1"));
    }

    #[test]
    fn a_search_goes_on_with_what_is_left_of_the_time() {
        let start = Instant::now();
        let go = "go wtime 60000 btime 50000 winc 1000 binc 1000";
        let search = |go, position| Search::new(go, position, start);
        let later = start + 10 * SECOND;
        assert_eq!(search(go, None).again(later), ["go wtime 50000 btime 50000 winc 1000 binc 1000"]);
        let black = search(go, Some("position startpos moves e2e4"));
        assert_eq!(black.again(later), ["go wtime 60000 btime 40000 winc 1000 binc 1000"]);
        assert_eq!(search("go movetime 5000", None).again(later), ["go movetime 1"]);
        assert_eq!(search("go depth 8", None).again(later), ["go depth 8"]);

        let mut pondering = search("go ponder wtime 60000 btime 50000", None);
        assert_eq!(pondering.again(later), ["go ponder wtime 60000 btime 50000"]);
        pondering.ponder_hit(later);
        assert_eq!(pondering.again(later + SECOND), ["go wtime 59000 btime 50000"]);
        pondering.stop();
        assert_eq!(pondering.again(later + SECOND), ["go wtime 59000 btime 50000", "stop"]);
    }

    #[test]
    fn the_best_line_answers_when_the_program_can_wait_no_longer() {
        let start = Instant::now();
        let mut search = Search::new("go wtime 60000 btime 50000", None, start);
        assert_eq!(search.answer_at(start + 40 * SECOND), None, "nothing is known yet");
        search.heard("info depth 3 multipv 1 score cp 5 pv e2e4 e7e5");
        search.heard("info depth 3 multipv 2 score cp 2 pv d2d4");
        search.heard("info depth 4 currmove a2a3 currmovenumber 2");
        assert_eq!(search.answer_at(start + 29 * SECOND), None);
        assert_eq!(search.answer_at(start + 30 * SECOND), Some("e2e4"));

        let mut analysis = Search::new("go infinite", None, start);
        analysis.heard("info depth 1 pv g1f3");
        assert!(!analysis.ends());
        assert_eq!(analysis.answer_at(start + 3_600 * SECOND), None);
        analysis.stop();
        assert!(analysis.ends());
        assert_eq!(analysis.answer_at(start), Some("g1f3"));
    }
}
