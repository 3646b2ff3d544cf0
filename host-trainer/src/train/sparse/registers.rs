//! Loops compiled for wider registers than every processor of the architecture has, and run where they are there.

/// Work whose loops the compiler turns into vector instructions.
pub(in crate::train) trait Work {
    /// Does it. An implementation must always be inlined, as must all that it calls: only so is it compiled for the
    /// registers of whoever calls it.
    fn run(self);
}

/// Does work with the widest registers that it was compiled for and that this processor has.
pub(in crate::train) fn with_widest(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2(work: impl Work) {
            work.run();
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was asked, and has them.
            return unsafe { with_avx2(work) };
        }
    }
    work.run();
}
