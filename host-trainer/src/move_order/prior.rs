//! Weights of what a move does, learnt from the moves that were chosen among all legal ones.

use std::{path::PathBuf, process::ExitCode};

use anyhow::ensure;
use engine_core::{
    chess::{Board, Move},
    net::{
        header::{MAX_STAGES, MoveOrderShape, PriorShape},
        move_order::prior::{Look, weights},
    },
};

use super::{asked, blob::Blob, games, sample::Reservoir};
use crate::{
    arena::random::SplitMix64,
    stop::{INTERRUPTED, Stop},
};

/// What a natural logarithm of odds of 1 is in the weights: their range is -4 to 4.
const PER_NAT: f64 = 32.0;

/// Learn from the moves that were played which squares the pieces leave and go to.
///
/// Reads games in PGN or viriformat. The chance of each legal move is taken to be proportional to the exponential of
/// its score, a sum of weights (a conditional logit); the weights are those that make the moves that were played
/// likely. The first third of a game is left out, and a tenth of the games is held out. Prints how well the held-out
/// moves are foretold, and writes a model that the engine loads with `setoption name MoveOrderFile`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games (.pgn, .viri)
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// File for the model
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Stages of the game, by the number of pieces, that have weights of their own
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u8).range(1..=MAX_STAGES as i64))]
    stages: u8,

    /// Learn from quiet moves, among quiet moves, alone: captures and promotions are ordered without a model anyway,
    /// but where it is asked about all moves
    #[arg(long)]
    quiet: bool,

    /// Only games whose players are both rated at least this
    #[arg(long, value_name = "ELO")]
    rated_above: Option<u16>,

    /// Passes over the moves
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    epochs: u16,

    /// Size of the first steps
    #[arg(long, value_name = "RATE", default_value = "0.1", value_parser = positive)]
    rate: f64,

    /// Most positions to learn from, drawn at random from all
    #[arg(long, value_name = "N", default_value = "1000000")]
    positions: usize,

    /// Learn from the move that a search of so many plies by Knightlight finds, not from the one that was played
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=20))]
    ask: Option<u8>,

    /// Before it asks, play up to so many random moves: a search meets more positions that went astray than games do
    #[arg(long, value_name = "N", default_value = "0", requires = "ask")]
    pub(super) astray: u8,

    /// Searches at a time
    #[arg(long, value_name = "N", default_value = "1")]
    pub(super) concurrency: usize,

    /// What a factor of e in the chances counts in the engine's order, beside a history of at most 8192
    #[arg(long, value_name = "N", default_value = "512", value_parser = clap::value_parser!(u16).range(1..=4096))]
    strength: u16,

    /// Seed of the split and of the order in which moves are learnt from
    #[arg(long, default_value = "1")]
    pub(super) seed: u64,

    /// The model's name
    #[arg(long, default_value = "prior")]
    name: String,
}

fn positive(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "a number wanted".to_owned())?;
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err("it must be above 0".to_owned()) }
}

/// Learns the model that the command line asks for.
pub fn run(args: &Args, stop: &Stop) -> anyhow::Result<ExitCode> {
    let Some(drawn) = draw(args, stop)? else { return Ok(ExitCode::from(INTERRUPTED)) };
    let mut sides = [Choices::default(), Choices::default()];
    for (side, drawn) in sides.iter_mut().zip(drawn) {
        let chosen = match args.ask {
            Some(depth) => match asked::ask(&drawn, depth, args, stop)? {
                Some(chosen) => chosen,
                None => return Ok(ExitCode::from(INTERRUPTED)),
            },
            None => drawn,
        };
        chosen.iter().for_each(|(board, mv)| side.add(board, *mv, args));
    }
    let [learnt_from, held_out] = sides;
    ensure!(
        learnt_from.len() > 0,
        "there is no move to learn from in the games (--quiet and --rated-above leave some out)"
    );
    println!("positions: {} to learn from, {} held out", learnt_from.len(), held_out.len());

    let mut learner = Learner::new(weights(args.stages.into()), args.rate);
    let mut random = SplitMix64::new(args.seed);
    let mut order: Vec<usize> = (0..learnt_from.len()).collect();
    println!("epoch  loss      of moves held out: loss, first, among the first three");
    println!("    0  {}", Foresight::of(&held_out, &learner.weights));
    for epoch in 1..=args.epochs {
        random.shuffle(&mut order);
        let mut loss = 0.0;
        for &position in &order {
            if stop.is_raised() {
                return Ok(ExitCode::from(INTERRUPTED));
            }
            loss += learner.learn(&learnt_from, position);
        }
        let loss = loss / learnt_from.len() as f64;
        println!("{epoch:>5}  {loss:.5}  {}", Foresight::of(&held_out, &learner.weights));
    }
    let integers: Vec<i8> = learner.weights.iter().map(|&weight| integer(weight)).collect();
    let rounded: Vec<f64> = integers.iter().map(|&weight| f64::from(weight) / PER_NAT).collect();
    println!("rounded         {}", Foresight::of(&held_out, &rounded));

    let scale = (f64::from(args.strength) * 16.0 / PER_NAT).round() as u16;
    let shape = PriorShape { stages: args.stages, scale: scale.max(1) };
    let record = format!(
        "conditional logit, {} positions{}{}, {} epochs, seed {}",
        learnt_from.len(),
        if args.quiet { " with quiet moves" } else { "" },
        args.ask.map_or_else(String::new, |depth| format!(" asked to depth {depth}, up to {} astray", args.astray)),
        args.epochs,
        args.seed
    );
    let blob = Blob::new(&args.name, &record, MoveOrderShape::Prior(shape), bytemuck::cast_slice(&integers))?;
    let bytes = blob.write(&args.out)?;
    println!("{}: {bytes} bytes", args.out.display());
    Ok(ExitCode::SUCCESS)
}

/// Positions, each with a move that was chosen.
type Chosen = Vec<(Board, Move)>;

/// Positions of the games with the moves that were played, to learn from and held out; `None` if it was asked to stop.
fn draw(args: &Args, stop: &Stop) -> anyhow::Result<Option<[Chosen; 2]>> {
    let mut sides = [Reservoir::new(args.positions, args.seed), Reservoir::new(args.positions / 8 + 1, args.seed)];
    let whole = games::each(&args.inputs, stop, |game, ratings| {
        let rated = |rating: Option<u16>| args.rated_above.is_none_or(|least| rating.is_some_and(|r| r >= least));
        if !rated(ratings.white) || !rated(ratings.black) {
            return;
        }
        let side = &mut sides[usize::from(games::is_held_out(game, args.seed))];
        for sample in game.samples.iter().skip(game.samples.len() / 3) {
            if let Some(played) = sample.played {
                side.pass((sample.board, played));
            }
        }
    })?;
    Ok(whole.then(|| sides.map(Reservoir::into_kept)))
}

/// The engine's integer of a weight.
fn integer(weight: f64) -> i8 {
    (weight * PER_NAT).round().clamp(-127.0, 127.0) as i8
}

/// Positions in which one of several moves was chosen: for each the terms of its moves, the chosen one first.
#[derive(Debug, Default)]
struct Choices {
    terms: Vec<u16>,
    /// Where each move's terms end.
    moves: Vec<u32>,
    /// Where each position's moves end.
    positions: Vec<u32>,
}

impl Choices {
    fn len(&self) -> usize {
        self.positions.len()
    }

    /// Adds a position, unless there was nothing to choose.
    fn add(&mut self, board: &Board, played: Move, args: &Args) {
        let is_quiet = |mv: Move| mv.promotes_to().is_none() && !board.is_capture(mv);
        if args.quiet && !is_quiet(played) {
            return;
        }
        let others = board.legal_moves().into_iter().filter(|&mv| mv != played && (!args.quiet || is_quiet(mv)));
        let others: Vec<Move> = others.collect();
        if others.is_empty() {
            return;
        }
        let look = Look::at(board, args.stages.into());
        for mv in [played].into_iter().chain(others) {
            self.terms.extend(look.terms(mv));
            self.moves.push(self.terms.len() as u32);
        }
        self.positions.push(self.moves.len() as u32);
    }

    /// The moves of a position, each as its terms; the chosen one is the first.
    fn moves(&self, position: usize) -> impl Iterator<Item = &[u16]> + Clone {
        let begin = |ends: &[u32], index: usize| index.checked_sub(1).map_or(0, |before| ends[before] as usize);
        let moves = begin(&self.positions, position)..self.positions[position] as usize;
        moves.map(move |mv| &self.terms[begin(&self.moves, mv)..self.moves[mv] as usize])
    }

    /// The chance of each move of a position.
    fn chances(&self, position: usize, weights: &[f64], chances: &mut Vec<f64>) {
        let score = |terms: &[u16]| terms.iter().map(|&term| weights[usize::from(term)]).sum::<f64>();
        chances.clear();
        chances.extend(self.moves(position).map(score));
        let most = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        chances.iter_mut().for_each(|chance| *chance = (*chance - most).exp());
        let sum: f64 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= sum);
    }
}

/// Learns by gradient steps, a position at a time, each weight with steps that shrink the more it has moved: AdaGrad
/// (Duchi, Hazan and Singer, 2011), which suits weights that are seldom asked.
#[derive(Debug)]
struct Learner {
    weights: Vec<f64>,
    /// The sum of the squares of each weight's gradients.
    moved: Vec<f64>,
    rate: f64,
    chances: Vec<f64>,
}

impl Learner {
    fn new(weights: usize, rate: f64) -> Learner {
        Learner { weights: vec![0.0; weights], moved: vec![1e-8; weights], rate, chances: Vec::new() }
    }

    /// Takes a step for a position, and gives the loss before it: the negative logarithm of the chosen move's chance.
    fn learn(&mut self, choices: &Choices, position: usize) -> f64 {
        choices.chances(position, &self.weights, &mut self.chances);
        let loss = -self.chances[0].max(1e-12).ln();
        for (index, (terms, chance)) in choices.moves(position).zip(&self.chances).enumerate() {
            let gradient = chance - if index == 0 { 1.0 } else { 0.0 };
            for &term in terms {
                let term = usize::from(term);
                self.moved[term] += gradient * gradient;
                self.weights[term] -= self.rate * gradient / self.moved[term].sqrt();
            }
        }
        loss
    }
}

/// How well chosen moves are foretold.
#[derive(Clone, Copy, Debug, Default)]
struct Foresight {
    positions: f64,
    loss: f64,
    first: f64,
    among_three: f64,
}

impl Foresight {
    fn of(choices: &Choices, weights: &[f64]) -> Foresight {
        let mut all = Foresight { positions: choices.len() as f64, ..Foresight::default() };
        let mut chances = Vec::new();
        for position in 0..choices.len() {
            choices.chances(position, weights, &mut chances);
            all.loss -= chances[0].max(1e-12).ln();
            // A tie counts against it: where all are alike nothing is foretold.
            let before = chances[1..].iter().filter(|&&chance| chance >= chances[0]).count();
            all.first += f64::from(before == 0);
            all.among_three += f64::from(before < 3);
        }
        all
    }
}

impl std::fmt::Display for Foresight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.positions == 0.0 {
            return f.write_str("nothing held out");
        }
        let percent = |count: f64| 100.0 * count / self.positions;
        let loss = self.loss / self.positions;
        write!(f, "{loss:.5}, {:.2} %, {:.2} %", percent(self.first), percent(self.among_three))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of three moves with a term each, chosen with these chances in a hundred.
    fn choices(chances: [u64; 3], count: usize) -> Choices {
        let mut random = SplitMix64::new(9);
        let mut choices = Choices::default();
        for _ in 0..count {
            let drawn = random.below(100);
            let chosen = if drawn < chances[0] {
                0
            } else if drawn < chances[0] + chances[1] {
                1
            } else {
                2
            };
            for mv in [chosen, (chosen + 1) % 3, (chosen + 2) % 3] {
                choices.terms.push(mv);
                choices.moves.push(choices.terms.len() as u32);
            }
            choices.positions.push(choices.moves.len() as u32);
        }
        choices
    }

    #[test]
    fn the_weights_give_the_chances_that_were_seen() {
        let choices = choices([70, 20, 10], 5_000);
        let mut learner = Learner::new(3, 0.1);
        for _ in 0..5 {
            (0..choices.len()).for_each(|position| _ = learner.learn(&choices, position));
        }
        let sum: f64 = learner.weights.iter().map(|weight| weight.exp()).sum();
        for (weight, chance) in learner.weights.iter().zip([0.7, 0.2, 0.1]) {
            assert!((weight.exp() / sum - chance).abs() < 0.03, "{learner:?}");
        }
        let seen = Foresight::of(&choices, &learner.weights);
        assert!((seen.first / seen.positions - 0.7).abs() < 0.03 && seen.among_three == seen.positions, "{seen:?}");
        let blind = Foresight::of(&choices, &[0.0; 3]);
        assert!((blind.loss / blind.positions - 3f64.ln()).abs() < 1e-9 && blind.first == 0.0);
    }

    #[test]
    fn a_position_keeps_the_terms_of_its_moves() {
        let args = Args {
            inputs: Vec::new(),
            out: PathBuf::new(),
            stages: 2,
            quiet: true,
            rated_above: None,
            epochs: 1,
            rate: 0.1,
            positions: 1,
            ask: None,
            astray: 0,
            concurrency: 1,
            strength: 512,
            seed: 1,
            name: String::new(),
        };
        let board = Board::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
        let mut choices = Choices::default();
        choices.add(&board, board.parse_move(b"e4d5").unwrap(), &args);
        assert_eq!(choices.len(), 0, "a capture is not quiet");
        let played = board.parse_move(b"e1e2").unwrap();
        choices.add(&board, played, &args);
        let look = Look::at(&board, 2);
        let moves: Vec<&[u16]> = choices.moves(0).collect();
        assert_eq!(moves[0], &look.terms(played)[..]);
        assert_eq!(moves.len(), board.legal_moves().len() - 1);
        assert!(choices.terms.iter().all(|&term| usize::from(term) < weights(2)));
    }
}
