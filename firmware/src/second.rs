//! The second processor of a microcontroller, which helps the first to search.
//!
//! It runs [`Second::serve`] and nothing else. The first gives it an errand through one pointer, and waits until it is done,
//! so what the errand borrows is there as long as anyone works on it.
#![allow(unsafe_code, reason = "what one processor borrows, another works on")]

use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use engine_core::uci::Processors;

/// A piece of work, behind a thin pointer to the reference.
type Errand<'a> = &'a (dyn Fn() + Sync + 'a);

/// What the two processors know of each other.
#[derive(Debug)]
pub struct Second {
    /// Where the errand is; null when there is none, or it is done.
    errand: AtomicPtr<()>,
    is_there: AtomicBool,
    wake: fn(),
    doze: fn(),
}

impl Second {
    /// A second processor that is not there yet. `wake`, called on the first, must end `doze` on the second, even where
    /// it comes before; `doze` may end for any reason or none.
    #[must_use]
    pub const fn new(wake: fn(), doze: fn()) -> Self {
        Self { errand: AtomicPtr::new(ptr::null_mut()), is_there: AtomicBool::new(false), wake, doze }
    }

    /// What the second processor does from its start on: the first's errands. No other processor may call it.
    pub fn serve(&self) -> ! {
        self.is_there.store(true, Ordering::Release);
        loop {
            let errand = self.errand.load(Ordering::Acquire);
            if errand.is_null() {
                (self.doze)();
                continue;
            }
            // SAFETY: only `alongside` puts a pointer here, to an errand on the first processor's stack, and it does not
            // return before the pointer is null again.
            let errand: Errand<'_> = unsafe { *errand.cast::<Errand<'_>>() };
            errand();
            self.errand.store(ptr::null_mut(), Ordering::Release);
        }
    }
}

/// Waits until the errand is done, however this is left.
struct Return<'a>(&'a Second);

impl Drop for Return<'_> {
    fn drop(&mut self) {
        while !self.0.errand.load(Ordering::Acquire).is_null() {
            core::hint::spin_loop();
        }
    }
}

impl Processors for &Second {
    fn count(&self) -> usize {
        1 + usize::from(self.is_there.load(Ordering::Acquire))
    }

    fn alongside<T>(&self, helpers: usize, help: impl Fn(usize) + Sync, work: impl FnOnce() -> T) -> T {
        if helpers == 0 || self.count() == 1 {
            return work();
        }
        let help = || help(0);
        let errand: Errand<'_> = &help;
        let _waits = Return(self);
        self.errand.store((&raw const errand).cast_mut().cast(), Ordering::Release);
        (self.wake)();
        work()
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicUsize;
    use std::thread;

    use super::*;

    fn alone_or_with(second: &Second, helpers: usize) -> (usize, usize) {
        let helped = AtomicUsize::new(0);
        let borrowed = String::from("lives until the second is done");
        let length = second.alongside(
            helpers,
            |number| {
                assert_eq!(number, 0);
                helped.fetch_add(borrowed.len(), Ordering::Relaxed);
            },
            || borrowed.len(),
        );
        (length, helped.into_inner())
    }

    #[test]
    fn it_helps_where_it_is_and_where_it_is_asked_to() {
        static SECOND: Second = Second::new(|| (), thread::yield_now);
        assert_eq!((&SECOND).count(), 1);
        assert_eq!(alone_or_with(&SECOND, 1), (30, 0));
        thread::spawn(|| SECOND.serve());
        while (&SECOND).count() == 1 {
            thread::yield_now();
        }
        for _ in 0..1_000 {
            assert_eq!(alone_or_with(&SECOND, 1), (30, 30));
        }
        assert_eq!(alone_or_with(&SECOND, 0), (30, 0));
    }
}
