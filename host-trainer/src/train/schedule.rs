//! What changes from step to step: the learning rate.

use std::f64::consts::PI;

/// The course of a learning rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Steps until it is at its highest.
    pub warm_up: usize,
    /// Its highest.
    pub peak: f64,
    /// At the end; the same as the highest, if it stays.
    pub end: f64,
}

/// A run's course, step by step.
#[derive(Clone, Debug)]
pub struct Schedule {
    steps: usize,
    rates: Rates,
}

impl Schedule {
    /// The course of a run of so many steps.
    pub fn new(rates: Rates, steps: usize) -> Schedule {
        Schedule { steps, rates: Rates { warm_up: rates.warm_up.min(steps / 2), ..rates } }
    }

    /// Steps in all.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The share of the steps that is done before one.
    pub fn course(&self, step: usize) -> f64 {
        step as f64 / self.steps.max(1) as f64
    }

    /// The learning rate: up in a straight line, then down in half a wave of the cosine.
    pub fn lr(&self, step: usize) -> f64 {
        let Rates { warm_up, peak, end } = self.rates;
        if step < warm_up {
            return peak * (step + 1) as f64 / warm_up as f64;
        }
        let course = (step - warm_up) as f64 / (self.steps - warm_up).max(1) as f64;
        end + (peak - end) * (1.0 + (PI * course).cos()) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_rise_and_fall() {
        let schedule = Schedule::new(Rates { warm_up: 10, peak: 1e-3, end: 1e-6 }, 1000);
        assert!((schedule.lr(0) - 1e-4).abs() < 1e-12);
        assert!((schedule.lr(9) - 1e-3).abs() < 1e-12 && (schedule.lr(10) - 1e-3).abs() < 1e-12);
        assert!((schedule.lr(505) - 0.5005e-3).abs() < 1e-9);
        assert!(schedule.lr(999) < 1.1e-6 && schedule.lr(999) >= 1e-6);
        assert_eq!((schedule.course(0), schedule.course(250)), (0.0, 0.25));
    }

    #[test]
    fn a_rate_may_stay() {
        let schedule = Schedule::new(Rates { warm_up: 0, peak: 1e-3, end: 1e-3 }, 1000);
        assert!([0, 1, 500, 999].iter().all(|&step| (schedule.lr(step) - 1e-3).abs() < 1e-12));
    }
}
