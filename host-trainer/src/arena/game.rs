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
        f.debug_struct("Seat")
            .field("engine", &self.engine.name())
            .field("limits", self.limits)
            .finish()
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
    fn of_ruling(ruling: Ruling, turn: Color) -> Verdict {
        Verdict {
            winner: (ruling == Ruling::Checkmate).then_some(!turn),
            ending: Ending::Ruling(ruling),
        }
    }

    fn of_adjudication(adjudicated: Adjudicated) -> Verdict {
        Verdict {
            winner: match adjudicated {
                Adjudicated::Win(winner) => Some(winner),
                Adjudicated::Draw | Adjudicated::TooLong => None,
            },
            ending: Ending::Adjudicated(adjudicated),
        }
    }

    fn of_fault(sinner: Color, fault: Fault) -> Verdict {
        Verdict {
            winner: Some(!sinner),
            ending: Ending::Fault(sinner, fault),
        }
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
    Ok(Game {
        line: table.line,
        notes: table.notes,
        verdict,
    })
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
                return Some(Verdict {
                    winner: Some(!mover),
                    ending: Ending::Resignation(mover),
                });
            }
        };
        if reply.draw && self.draw_offer == Some(!mover) {
            return Some(Verdict {
                winner: None,
                ending: Ending::Agreement,
            });
        }
        self.draw_offer = reply.draw.then_some(mover);
        let number = self.line.position().fullmoves().get();
        self.line.play(mv);
        self.notes.push(MoveNote {
            score: reply.info.score,
            depth: reply.info.depth,
            elapsed: reply.elapsed,
        });
        let adjudicated = self.adjudicator.note(mover, number, reply.info.score)?;
        // The rules of chess come first: a mate on the board is not adjudicated.
        match self.line.ruling() {
            Some(ruling) => Some(Verdict::of_ruling(ruling, self.line.turn())),
            None => Some(Verdict::of_adjudication(adjudicated)),
        }
    }
}
