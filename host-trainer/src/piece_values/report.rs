//! What a regression found, as text and as JSON.

use std::{fmt::Write, time::Duration};

use engine_core::chess::Role;
use nalgebra::DMatrix;
use serde_json::{Value as Json, json};

use super::{
    Args, Rows,
    solver::{Method, Solution},
    tables::Tables,
    values::{Value, values},
};

/// What came of the files.
#[derive(Clone, Debug, Default)]
pub(super) struct Read {
    /// Games, or lone positions.
    pub(super) games: u64,
    /// Positions in them.
    pub(super) positions: u64,
    /// Games with a quiet position: lost, drawn and won by White.
    pub(super) results: [u64; 3],
    /// Quiet positions in those.
    pub(super) quiet: u64,
    /// How long reading took.
    pub(super) time: Duration,
}

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// The strength of the pull.
    pub(super) l2: f64,
    /// Examples learnt from.
    pub(super) examples: f64,
    /// Their mean cross entropy.
    pub(super) cost: f64,
    /// What it is before anything is learnt.
    pub(super) prior_cost: f64,
    /// The mean cross entropy of the games held out.
    pub(super) held_out: Option<f64>,
    /// What it is before anything is learnt.
    pub(super) prior_held_out: Option<f64>,
    /// What it is with the tables that the engine has now.
    pub(super) engine_held_out: Option<f64>,
    /// Examples of the games held out.
    pub(super) held_out_examples: f64,
    /// Of the weights, where it is told.
    pub(super) covariance: Option<DMatrix<f64>>,
    /// The weights, and the way to them.
    pub(super) solution: Solution,
    /// Each strength of the pull with what it gave for the games held out.
    pub(super) tried: Vec<(f64, Option<f64>)>,
}

impl Fitted {
    /// What a pawn is worth, in units of the logistic function.
    pub(super) fn pawn(&self, rows: &Rows) -> f64 {
        match rows {
            Rows::Material(_) => self.solution.weights[0],
            Rows::Placements(placements) => placements.tables(&self.solution.weights, 1.0).mean_pawn(),
        }
    }

    /// The tables, scaled so that the mean pawn counts 100.
    pub(super) fn tables(&self, rows: &Rows) -> Option<Tables> {
        match rows {
            Rows::Material(_) => None,
            Rows::Placements(placements) => Some(placements.tables(&self.solution.weights, self.pawn(rows) / 100.0)),
        }
    }

    fn values(&self, rows: &Rows) -> Vec<Value> {
        match rows {
            Rows::Material(material) => values(&material.names(), &self.solution.weights, self.covariance.as_ref()),
            Rows::Placements(_) => Vec::new(),
        }
    }
}

/// All that there is to tell.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) args: &'a Args,
    pub(super) rows: &'a Rows,
    pub(super) read: &'a Read,
    pub(super) fitted: &'a Fitted,
}

impl Report<'_> {
    /// For people.
    pub(super) fn text(&self) -> String {
        let Report { args, rows, read, fitted } = self;
        let [lost, drawn, won] = read.results;
        let kinds = rows.examples().rows();
        let mut text = format!(
            "read       {} games, {} positions, in {:.2} s\n\
             used       {} games: White won {won}, drew {drawn}, lost {lost}; {} quiet positions\n\
             examples   {}, {kinds} of them different\n",
            read.games,
            read.positions,
            read.time.as_secs_f64(),
            won + drawn + lost,
            read.quiet,
            fitted.examples,
        );
        let solution = &fitted.solution;
        let _ = writeln!(
            text,
            "solver     {}: {} steps in {:.3} s, gradient {:.1e}, l2 {}",
            method(args.solver),
            solution.steps(),
            solution.time.as_secs_f64(),
            solution.gradient,
            fitted.l2,
        );
        let _ = writeln!(text, "cost       {:.6} (before: {:.6})", fitted.cost, fitted.prior_cost);
        if let (Some(cost), Some(prior)) = (fitted.held_out, fitted.prior_held_out) {
            let engine = fitted.engine_held_out.map(|cost| format!("; the engine's tables: {cost:.6}"));
            let _ = writeln!(
                text,
                "held out   {cost:.6} (before: {prior:.6}{}), {} examples",
                engine.unwrap_or_default(),
                fitted.held_out_examples,
            );
        }
        if fitted.tried.len() > 1 {
            for (l2, cost) in fitted.tried.iter().filter_map(|&(l2, cost)| Some((l2, cost?))) {
                let _ = writeln!(text, "  l2 {l2:<8} {cost:.6}");
            }
        }
        text + &self.table()
    }

    /// What each piece is worth.
    fn table(&self) -> String {
        let mut text = String::new();
        if let Some(tables) = self.fitted.tables(self.rows) {
            let _ = writeln!(text, "\n{:<12}{:>12}{:>12}", "mean value", "middlegame", "endgame");
            for (role, [middlegame, endgame]) in means(&tables) {
                let _ = writeln!(text, "{role:<12}{:>12}{:>12}", middlegame.round() as i32, endgame.round() as i32);
            }
            let _ = writeln!(text, "{:<12}{:>12.0}{:>12.0}", "tempo", tables.tempo, tables.tempo);
            return text;
        }
        let _ = writeln!(text, "\n{:<12}{:>8}{:>8}{:>10}{:>10}", "", "value", "±", "weight", "±");
        for value in self.fitted.values(self.rows) {
            let shown =
                |number: Option<f64>, digits| number.map_or("?".to_owned(), |number| format!("{number:.digits$}"));
            let _ = writeln!(
                text,
                "{:<12}{:>8}{:>8}{:>10.4}{:>10}",
                value.name,
                shown(value.value, 0),
                shown(value.value_error, 1),
                value.weight,
                shown(value.weight_error, 4),
            );
        }
        text + "(±: a standard error, as if examples of one game were independent)\n"
    }

    /// For machines.
    pub(super) fn json(&self) -> Json {
        let Report { args, rows, read, fitted } = self;
        let [lost, drawn, won] = read.results;
        let solution = &fitted.solution;
        let values: Vec<Json> = fitted
            .values(rows)
            .iter()
            .map(|value| {
                json!({
                    "name": value.name,
                    "value": value.value,
                    "value_error": value.value_error,
                    "weight": value.weight,
                    "weight_error": value.weight_error,
                })
            })
            .collect();
        let tables = fitted.tables(rows).map(|tables| {
            let table = |table: &super::tables::Table| -> serde_json::Map<String, Json> {
                let named = Role::ALL.into_iter().zip(table);
                named.map(|(role, values)| (name(role), values.to_vec().into())).collect()
            };
            json!({ "middlegame": table(&tables.middlegame), "endgame": table(&tables.endgame), "tempo": tables.tempo })
        });
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": args.inputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "settings": {
                "before": args.quiet.before,
                "after": args.quiet.after,
                "keep_captures": args.quiet.keep_captures,
                "keep_checks": args.quiet.keep_checks,
                "min_ply": args.min_ply(),
                "without_draws": args.without_draws,
                "score_weight": args.score_weight,
                "score_scale": args.score_scale,
                "validation": args.validation(),
                "seed": args.seed,
                "solver": method(args.solver),
            },
            "read": { "games": read.games, "positions": read.positions, "seconds": read.time.as_secs_f64() },
            "used": { "games": won + drawn + lost, "won": won, "drawn": drawn, "lost": lost, "positions": read.quiet },
            "examples": fitted.examples,
            "different_examples": rows.examples().rows(),
            "l2": fitted.l2,
            "cost": fitted.cost,
            "cost_before": fitted.prior_cost,
            "held_out": fitted.held_out,
            "held_out_before": fitted.prior_held_out,
            "held_out_engine": fitted.engine_held_out,
            "tried": fitted.tried.iter().map(|(l2, cost)| json!({ "l2": l2, "held_out": cost })).collect::<Vec<_>>(),
            "steps": solution.steps(),
            "gradient": solution.gradient,
            "seconds": solution.time.as_secs_f64(),
            "values": values,
            "tables": tables,
        })
    }
}

fn method(method: Method) -> &'static str {
    match method {
        Method::TrustRegion => "trust region",
        Method::GradientDescent => "gradient descent",
    }
}

fn name(role: Role) -> String {
    format!("{role:?}").to_lowercase()
}

/// Each role's mean over the squares where it can stand, by phase.
fn means(tables: &Tables) -> Vec<(String, [f64; 2])> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares = |role| if role == Role::Pawn { 8..56 } else { 0..64 };
    Role::ALL
        .into_iter()
        .map(|role| {
            let of = |table: &super::tables::Table| mean(&table[role.index()][squares(role)]);
            (name(role), [of(&tables.middlegame), of(&tables.endgame)])
        })
        .collect()
}
