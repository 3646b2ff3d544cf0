//! A hand on a teacher's process from outside the thread that talks to it.
//!
//! That thread blocks in plain reads, which is the quickest way to talk. It only counts its questions; whoever watches
//! sees whether the count moves, and ends the process where it does not: the read then ends too.

use std::{
    process::{Child, ExitStatus},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::stop::Stop;

/// How often to look after the processes, and at the wish to stop.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// The hold on one worker's teacher.
#[derive(Debug)]
pub struct Leash {
    patience: Duration,
    child: Mutex<Option<Child>>,
    /// Odd while a question is open.
    turns: AtomicU64,
    hung: AtomicBool,
}

impl Leash {
    /// For a teacher that may take so long over a question.
    pub fn new(patience: Duration) -> Leash {
        Leash { patience, child: Mutex::default(), turns: AtomicU64::new(0), hung: AtomicBool::new(false) }
    }

    /// How long a question may take.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Takes hold of a new process. The one before it, if any, is killed.
    pub fn hold(&self, child: Child) {
        let mut slot = self.child();
        end(slot.take(), Duration::ZERO);
        self.turns.fetch_add(self.turns.load(Ordering::Relaxed) % 2, Ordering::Relaxed);
        self.hung.store(false, Ordering::Relaxed);
        *slot = Some(child);
    }

    /// A question is asked.
    pub fn ask(&self) {
        self.turns.fetch_or(1, Ordering::Relaxed);
    }

    /// It is answered.
    pub fn answered(&self) {
        self.turns.fetch_add(self.turns.load(Ordering::Relaxed) % 2, Ordering::Relaxed);
    }

    /// The number of the open question; `None` if none is open.
    pub fn open_question(&self) -> Option<u64> {
        Some(self.turns.load(Ordering::Relaxed)).filter(|turns| turns % 2 == 1)
    }

    /// Ends a process that does not answer.
    pub fn cut_off(&self) {
        self.hung.store(true, Ordering::Relaxed);
        signal(self.child().as_mut());
    }

    /// Ends the process, if there is one.
    pub fn kill(&self) {
        signal(self.child().as_mut());
    }

    /// Whether the process was cut off because it did not answer.
    pub fn was_cut_off(&self) -> bool {
        self.hung.load(Ordering::Relaxed)
    }

    /// Ends the process if it still lives after `grace`, and gives how it ended.
    pub fn release(&self, grace: Duration) -> Option<ExitStatus> {
        end(self.child().take(), grace)
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks after the teachers' processes.
#[derive(Debug)]
pub struct Watch<'a> {
    leashes: &'a [Arc<Leash>],
    /// The open question of each, and since when.
    open: Vec<(Option<u64>, Instant)>,
    due: Instant,
}

impl<'a> Watch<'a> {
    /// For these leashes.
    pub fn new(leashes: &'a [Arc<Leash>]) -> Watch<'a> {
        let now = Instant::now();
        Watch { leashes, open: vec![(None, now); leashes.len()], due: now }
    }

    /// Ends what hangs; ends everything if someone wants to stop. May be called as often as one likes.
    pub fn look(&mut self, stop: &Stop) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        self.due = now + INTERVAL;
        for (leash, (question, since)) in self.leashes.iter().zip(&mut self.open) {
            let open = leash.open_question();
            if stop.is_raised() {
                leash.kill();
            } else if open.is_none() || open != *question {
                (*question, *since) = (open, now);
            } else if now.duration_since(*since) > leash.patience() {
                leash.cut_off();
            }
        }
    }
}

/// Kills a process and whatever it started. It is not reaped, so that its number cannot become another's.
fn signal(child: Option<&mut Child>) {
    let Some(child) = child else { return };
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

fn end(child: Option<Child>, grace: Duration) -> Option<ExitStatus> {
    let mut child = child?;
    let deadline = Instant::now() + grace;
    let mut ended = child.try_wait().ok().flatten();
    while ended.is_none() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
        ended = child.try_wait().ok().flatten();
    }
    signal(Some(&mut child));
    ended.or_else(|| child.wait().ok())
}
