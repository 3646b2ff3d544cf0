//! One game between two engines, judged.

use std::time::Duration;

use shakmaty::{ByColor, Color, Position};

use super::{
    adjudication::{Adjudicated, Adjudication, Adjudicator},
    clock::Clock,
    openings::Opening,
};
use crate::{
    engine::{
        Answer, Engine, Patience, Reply, Turn,
        fault::{Failure, Fault},
        info::Score,
        limits::Limits,
        unwatched,
    },
    line::{Line, Ruling},
};

/// An engine at the board.
pub struct Seat<'a> {
    /// The engine.
    pub engine: &'a mut dyn Engine,
    /// What bounds its thinking.
    pub limits: &'a Limits,
}

impl std::fmt::Debug for Seat<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("engine", &self.engine.name()).field("limits", self.limits).finish()
    }
}

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// When to end a game whose result is plain.
    pub adjudication: Adjudication,
    /// How far an engine may overstep its time unpunished: what pipes and schedulers cost it.
    pub margin: Duration,
    /// When to call an engine hung.
    pub patience: Patience,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the rules of chess.
    Ruling(Ruling),
    /// By ours.
    Adjudicated(Adjudicated),
    /// This side resigned.
    Resignation(Color),
    /// Both sides offered a draw.
    Agreement,
    /// This side did something wrong.
    Fault(Color, Fault),
}

/// A game's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// Why.
    pub ending: Ending,
}

impl Verdict {
    /// What the rules say, with this side to move.
    pub fn of_ruling(ruling: Ruling, turn: Color) -> Verdict {
        Verdict { winner: (ruling == Ruling::Checkmate).then_some(!turn), ending: Ending::Ruling(ruling) }
    }

    /// What we say.
    pub fn of_adjudication(adjudicated: Adjudicated) -> Verdict {
        Verdict {
            winner: match adjudicated {
                Adjudicated::Win(winner) => Some(winner),
                Adjudicated::Draw | Adjudicated::TooLong => None,
            },
            ending: Ending::Adjudicated(adjudicated),
        }
    }

    fn of_fault(sinner: Color, fault: Fault) -> Verdict {
        Verdict { winner: Some(!sinner), ending: Ending::Fault(sinner, fault) }
    }

    /// `1-0`, `0-1` or `1/2-1/2`.
    pub fn result(&self) -> &'static str {
        self.winner.map_or("1/2-1/2", |winner| winner.fold_wb("1-0", "0-1"))
    }

    /// Who did something wrong, and what.
    pub fn fault(&self) -> Option<(Color, &Fault)> {
        match &self.ending {
            Ending::Fault(sinner, fault) => Some((*sinner, fault)),
            _ => None,
        }
    }
}

/// The reason, as it stands behind the last move of a game.
impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = |color: Color| color.fold_wb("White", "Black");
        match &self.ending {
            Ending::Ruling(Ruling::Checkmate) => match self.winner {
                Some(winner) => write!(f, "{} mates", side(winner)),
                None => f.write_str("mate"),
            },
            Ending::Ruling(Ruling::Stalemate) => f.write_str("Draw by stalemate"),
            Ending::Ruling(Ruling::InsufficientMaterial) => f.write_str("Draw by insufficient material"),
            Ending::Ruling(Ruling::Threefold) => f.write_str("Draw by threefold repetition"),
            Ending::Ruling(Ruling::FiftyMoves) => f.write_str("Draw by the fifty-move rule"),
            Ending::Adjudicated(Adjudicated::Draw) => f.write_str("Draw by adjudication"),
            Ending::Adjudicated(Adjudicated::TooLong) => f.write_str("Draw by adjudication: too many moves"),
            Ending::Adjudicated(Adjudicated::Win(winner)) => write!(f, "{} wins by adjudication", side(*winner)),
            Ending::Resignation(loser) => write!(f, "{} resigns", side(*loser)),
            Ending::Agreement => f.write_str("Draw by agreement"),
            Ending::Fault(sinner, fault) => write!(f, "{} {fault}", side(*sinner)),
        }
    }
}

/// What is worth knowing of one move that an engine thought about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveNote {
    /// The engine's score, from its own side.
    pub score: Option<Score>,
    /// The depth it reached, in plies.
    pub depth: Option<u32>,
    /// On our clock.
    pub elapsed: Duration,
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct Game {
    /// The start and all moves.
    pub line: Line,
    /// A note for each move after the opening.
    pub notes: Vec<MoveNote>,
    /// How it ended.
    pub verdict: Verdict,
}

impl Game {
    /// Half-moves that were given, not thought of.
    pub fn opening_plies(&self) -> usize {
        self.line.plies().len() - self.notes.len()
    }
}

/// The request to stop came before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Plays a game. Whatever the engines do, it ends with a verdict, unless it is interrupted.
pub fn play(mut seats: ByColor<Seat<'_>>, opening: &Opening, rules: &Rules) -> Result<Game, Interrupted> {
    let mut table = Table {
        line: opening.line.clone(),
        notes: Vec::new(),
        clocks: seats.as_ref().map(|seat| seat.limits.clock.map(Clock::new)),
        adjudicator: Adjudicator::new(rules.adjudication),
        draw_offer: None,
        rules,
    };
    let verdict = table.play(&mut seats)?;
    let (result, reason) = (verdict.result(), verdict.to_string());
    for color in Color::ALL {
        let at_fault = verdict.fault().is_some_and(|(sinner, _)| sinner == color);
        if !at_fault {
            seats.get_mut(color).engine.game_over(result, &reason);
        }
    }
    Ok(Game { line: table.line, notes: table.notes, verdict })
}

/// The state of a game under way.
struct Table<'a> {
    line: Line,
    notes: Vec<MoveNote>,
    clocks: ByColor<Option<Clock>>,
    adjudicator: Adjudicator,
    draw_offer: Option<Color>,
    rules: &'a Rules,
}

impl Table<'_> {
    fn play(&mut self, seats: &mut ByColor<Seat<'_>>) -> Result<Verdict, Interrupted> {
        for color in Color::ALL {
            let seat = seats.get_mut(color);
            match seat.engine.new_game(seat.limits) {
                Ok(()) => {}
                Err(Failure::Fault(fault)) => return Ok(Verdict::of_fault(color, fault)),
                Err(Failure::Interrupted) => return Err(Interrupted),
            }
        }
        loop {
            let mover = self.line.turn();
            if let Some(ruling) = self.line.ruling() {
                return Ok(Verdict::of_ruling(ruling, mover));
            }
            let reply = match self.ask(mover, seats.get_mut(mover)) {
                Ok(reply) => reply,
                Err(Failure::Fault(fault)) => return Ok(Verdict::of_fault(mover, fault)),
                Err(Failure::Interrupted) => return Err(Interrupted),
            };
            if let Some(verdict) = self.take(mover, &reply) {
                return Ok(verdict);
            }
        }
    }

    /// Has an engine think and takes the time off its clock.
    fn ask(&mut self, mover: Color, seat: &mut Seat<'_>) -> Result<Reply, Failure> {
        let margin = self.rules.margin;
        let patience = self.rules.patience;
        let shown = self.clocks.as_ref().map(|clock| clock.as_ref().map(Clock::remaining));
        let mine = *shown.get(mover);
        let allowed = [mine.map(|clock| clock.time), seat.limits.movetime].into_iter().flatten().min();
        let call = allowed.map_or(patience.unclocked, |allowed| allowed + margin);
        let turn = Turn {
            line: &self.line,
            limits: seat.limits,
            mine,
            theirs: *shown.get(!mover),
            call,
            give_up: call + patience.grace,
            draw_offered: self.draw_offer == Some(!mover),
        };
        let reply = seat.engine.think(&turn, &mut unwatched)?;
        if let Some(clock) = self.clocks.get_mut(mover) {
            clock.spend(reply.elapsed, margin).map_err(Fault::TimeLoss)?;
        }
        if reply.elapsed > call {
            return Err(match allowed {
                Some(allowed) => Fault::TimeLoss(reply.elapsed - allowed),
                None => Fault::Stall(call),
            }
            .into());
        }
        Ok(reply)
    }

    /// Puts an answer on the board; a verdict if that ends the game.
    fn take(&mut self, mover: Color, reply: &Reply) -> Option<Verdict> {
        let mv = match reply.answer {
            Answer::Move(mv) => mv,
            Answer::Resign => {
                return Some(Verdict { winner: Some(!mover), ending: Ending::Resignation(mover) });
            }
        };
        if reply.draw && self.draw_offer == Some(!mover) {
            return Some(Verdict { winner: None, ending: Ending::Agreement });
        }
        self.draw_offer = reply.draw.then_some(mover);
        let number = self.line.position().fullmoves().get();
        self.line.play(mv);
        self.notes.push(MoveNote { score: reply.info.score, depth: reply.info.depth, elapsed: reply.elapsed });
        let adjudicated = self.adjudicator.note(mover, number, reply.info.score)?;
        // The rules of chess come first: a mate on the board is not adjudicated.
        match self.line.ruling() {
            Some(ruling) => Some(Verdict::of_ruling(ruling, self.line.turn())),
            None => Some(Verdict::of_adjudication(adjudicated)),
        }
    }
}

/// Whole games between scripted engines, each of which does one thing wrong.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{
        arena::adjudication::{DrawRule, ResignRule},
        engine::{self, spec::EngineSpec},
        stop::Stop,
    };

    const FAKES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes");

    fn rules() -> Rules {
        Rules {
            margin: Duration::from_millis(20),
            patience: Patience {
                ready: Duration::from_secs(3),
                grace: Duration::from_secs(2),
                unclocked: Duration::from_millis(300),
            },
            ..Rules::default()
        }
    }

    fn uci(deed: &str) -> String {
        format!("sh {FAKES}/uci.sh {deed}")
    }

    fn cecp(deed: &str) -> String {
        format!("cmd=\"sh {FAKES}/cecp.sh {deed}\" proto=xboard")
    }

    fn play_with(rules: &Rules, control: Option<&str>, opening: &str, white: &str, black: &str) -> Game {
        let limits = Limits {
            clock: control.map(|control| control.parse().unwrap()),
            nodes: control.is_none().then_some(1),
            ..Limits::default()
        };
        let mut line = Line::default();
        for text in opening.split_whitespace() {
            line.play(crate::epd::parse_move(text, line.position()).unwrap());
        }
        let mode = line.mode();
        let mut engines = [white, black].map(|spec| {
            let spec: EngineSpec = spec.parse().unwrap();
            engine::start(&spec, mode, rules.patience, &Stop::new()).unwrap()
        });
        let [white, black] = &mut engines;
        let seats = ByColor {
            white: Seat { engine: white.as_mut(), limits: &limits },
            black: Seat { engine: black.as_mut(), limits: &limits },
        };
        play(seats, &Opening { name: None, line }, rules).unwrap()
    }

    fn judge(white: &str, black: &str) -> Verdict {
        play_with(&rules(), Some("60"), "", white, black).verdict
    }

    /// The verdict when the engine at fault has Black.
    fn fault_of_black(deed: &str) -> Fault {
        let verdict = judge(&uci(""), deed);
        assert_eq!(verdict.winner, Some(Color::White));
        match verdict.ending {
            Ending::Fault(Color::Black, fault) => fault,
            ending => panic!("{ending:?}"),
        }
    }

    #[test]
    fn good_engines_draw_whatever_they_speak() {
        let draw = Verdict { winner: None, ending: Ending::Ruling(Ruling::Threefold) };
        assert_eq!(judge(&uci(""), &uci("")), draw);
        assert_eq!(judge(&cecp(""), &uci("")), draw);
        assert_eq!(judge(&uci(""), &cecp("")), draw);
        assert_eq!(judge(&cecp("version1"), &cecp("")), draw);
        assert_eq!(judge(&cecp("stutter"), &uci("")), draw);
    }

    #[test]
    fn engines_without_setboard_are_given_an_opening_move_by_move() {
        let game = play_with(&rules(), Some("60"), "Nf3 Nf6 Ng1", &uci(""), &cecp(""));
        assert_eq!(game.verdict.ending, Ending::Ruling(Ruling::Threefold));
        assert_eq!(game.opening_plies(), 3);
        assert_eq!(game.notes.len(), 5);
    }

    #[test]
    fn a_crash_loses() {
        assert_eq!(fault_of_black(&uci("crash 3")), Fault::Crash("exit status: 3".to_owned()));
        assert_eq!(fault_of_black(&cecp("crash 3")), Fault::Crash("exit status: 3".to_owned()));
    }

    #[test]
    fn an_illegal_move_loses() {
        assert_eq!(fault_of_black(&uci("illegal 3")), Fault::IllegalMove("e2e5".to_owned()));
        assert_eq!(fault_of_black(&uci("none 1")), Fault::IllegalMove("(none)".to_owned()));
        assert_eq!(fault_of_black(&cecp("say 1 'move g8g6'")), Fault::IllegalMove("g8g6".to_owned()));
    }

    #[test]
    fn an_answer_after_the_clock_has_run_out_loses() {
        let verdict = play_with(&rules(), Some("0.1"), "", &uci(""), &uci("slow 1")).verdict;
        assert_eq!(verdict.winner, Some(Color::White));
        let Some((Color::Black, &Fault::TimeLoss(overstep))) = verdict.fault() else {
            panic!("{verdict:?}");
        };
        assert!(overstep > Duration::from_millis(150), "{overstep:?}");
    }

    #[test]
    fn no_answer_at_all_is_a_stall_with_a_clock_or_without() {
        let hasty = Rules { patience: Patience { grace: Duration::from_millis(200), ..rules().patience }, ..rules() };
        for (control, patience) in [(Some("0.1"), 320), (None, 500)] {
            let verdict = play_with(&hasty, control, "", &uci("hang 4"), &uci("")).verdict;
            assert_eq!(verdict.winner, Some(Color::Black));
            let Some((Color::White, Fault::Stall(waited))) = verdict.fault() else {
                panic!("{verdict:?}");
            };
            // What earlier moves took is off the clock.
            assert!(*waited <= Duration::from_millis(patience), "{waited:?}");
        }
    }

    #[test]
    fn an_engine_that_is_never_ready_loses() {
        let hasty = Rules { patience: Patience { ready: Duration::from_secs(1), ..rules().patience }, ..rules() };
        let verdict = play_with(&hasty, Some("60"), "", &uci("deaf"), &uci("")).verdict;
        assert_eq!(verdict, Verdict::of_fault(Color::White, Fault::Unready("isready")));
    }

    #[test]
    fn a_resignation_ends_the_game_in_either_form() {
        for deed in ["say 3 resign", "say 3 '1-0 {Black is lost}'"] {
            let verdict = judge(&uci(""), &cecp(deed));
            assert_eq!(verdict.winner, Some(Color::White));
            assert_eq!(verdict.ending, Ending::Resignation(Color::Black));
        }
    }

    #[test]
    fn a_false_claim_loses() {
        for claim in ["0-1 {Black mates}", "1/2-1/2 {Draw by repetition}"] {
            let black = cecp(&format!("say 3 '{claim}'"));
            let verdict = play_with(&rules(), Some("0.2+0.1"), "", &uci(""), &black).verdict;
            assert_eq!(verdict, Verdict::of_fault(Color::Black, Fault::FalseClaim(claim.to_owned())));
        }
    }

    #[test]
    fn a_claim_with_its_move_is_for_the_rules_to_judge() {
        for deed in ["say-first", "say-after"] {
            let verdict = judge(&uci(""), &cecp(&format!("{deed} 5 '1/2-1/2 {{Draw by repetition}}'")));
            assert_eq!(verdict.ending, Ending::Ruling(Ruling::Threefold));
        }
    }

    #[test]
    fn refusing_a_legal_move_loses() {
        let fault = fault_of_black(&cecp("refuse 2"));
        assert_eq!(fault, Fault::Refusal("Illegal move: f3g1".to_owned()));
    }

    #[test]
    fn a_draw_needs_two_offers() {
        let offer = cecp("say-first 2 'offer draw'");
        assert_eq!(judge(&offer, &offer).ending, Ending::Agreement);
        assert_eq!(judge(&uci(""), &offer).ending, Ending::Ruling(Ruling::Threefold));
    }

    #[test]
    fn plain_games_are_adjudicated() {
        let mut rules = rules();
        rules.adjudication.resign = Some(ResignRule { moves: 2, score: 700 });
        rules.adjudication.draw = Some(DrawRule { from: 2, moves: 2, score: 10 });
        let play = |white: &str, black: &str| play_with(&rules, Some("60"), "", white, black).verdict.ending;
        let (good, bad, level) = (uci("score 0 900"), uci("score 0 -900"), uci("score 0 5"));
        assert_eq!(play(&good, &bad), Ending::Adjudicated(Adjudicated::Win(Color::White)));
        assert_eq!(play(&bad, &good), Ending::Adjudicated(Adjudicated::Win(Color::Black)));
        assert_eq!(play(&level, &level), Ending::Adjudicated(Adjudicated::Draw));
        assert_eq!(play(&good, &level), Ending::Ruling(Ruling::Threefold));
    }
}
