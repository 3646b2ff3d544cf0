//! What changes from step to step: the learning rate, the share of results in the targets, and whether weights are
//! rounded.

use std::f64::consts::PI;

use super::settings::Settings;

/// A run's course, step by step.
#[derive(Clone, Debug)]
pub struct Schedule {
    steps: usize,
    warm_up: usize,
    lr: [f64; 2],
    wdl: [f32; 2],
    rounded_from: usize,
}

impl Schedule {
    /// The course of a run of so many steps.
    pub fn new(settings: &Settings, steps: usize) -> Schedule {
        let rounded = (settings.fake_quantised * steps as f64).round() as usize;
        Schedule {
            steps,
            warm_up: settings.warm_up.min(steps / 2),
            lr: [settings.lr, settings.final_lr],
            wdl: [settings.wdl as f32, settings.wdl_end as f32],
            rounded_from: steps - rounded.min(steps),
        }
    }

    /// Steps in all.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The learning rate: up in a straight line, then down in half a wave of the cosine.
    pub fn lr(&self, step: usize) -> f64 {
        let [peak, end] = self.lr;
        if step < self.warm_up {
            return peak * (step + 1) as f64 / self.warm_up as f64;
        }
        let course = (step - self.warm_up) as f64 / (self.steps - self.warm_up).max(1) as f64;
        end + (peak - end) * (1.0 + (PI * course).cos()) / 2.0
    }

    /// The share of the game's result in a target, the rest being the score.
    pub fn wdl(&self, step: usize) -> f32 {
        let [begin, end] = self.wdl;
        begin + (end - begin) * step as f32 / self.steps.max(1) as f32
    }

    /// Whether weights are rounded to their integers in this step.
    pub fn rounded(&self, step: usize) -> bool {
        step >= self.rounded_from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_rise_and_fall() {
        let settings = Settings {
            warm_up: 10,
            lr: 1e-3,
            final_lr: 1e-6,
            wdl: 0.1,
            wdl_end: 0.4,
            fake_quantised: 0.2,
            ..Settings::default()
        };
        let schedule = Schedule::new(&settings, 1000);
        assert!((schedule.lr(0) - 1e-4).abs() < 1e-12);
        assert!((schedule.lr(9) - 1e-3).abs() < 1e-12 && (schedule.lr(10) - 1e-3).abs() < 1e-12);
        assert!((schedule.lr(505) - 0.5005e-3).abs() < 1e-9);
        assert!(schedule.lr(999) < 1.1e-6 && schedule.lr(999) >= 1e-6);
        assert!((schedule.wdl(0) - 0.1).abs() < 1e-6 && (schedule.wdl(500) - 0.25).abs() < 1e-6);
        assert!(!schedule.rounded(799) && schedule.rounded(800));
    }
}
