//! A RISC-V platform's interrupt controller, as the machine mode of the first core sees it.
//!
//! Source: RISC-V Platform-Level Interrupt Controller Specification 1.0.0.

use crate::register::Register;

/// Where the sources' bits for the first context begin, its threshold, and its claims.
const ENABLED: usize = 0x2000;
const THRESHOLD: usize = 0x20_0000;
const CLAIM: usize = 0x20_0004;

/// The interrupt controller.
#[derive(Clone, Copy, Debug)]
pub struct Plic {
    base: usize,
}

impl Plic {
    /// The controller at `base`.
    ///
    /// # Safety
    /// It is there, and its first context is the machine mode of the core that runs this.
    #[must_use]
    pub const unsafe fn at(base: usize) -> Self {
        Self { base }
    }

    const fn register(self, offset: usize) -> Register {
        // SAFETY: `at` was promised the device, and its registers touch no memory.
        unsafe { Register::at(self.base + offset) }
    }

    /// Lets this one source interrupt, and no other.
    pub fn start(self, source: u32) {
        let source = source as usize;
        self.register(4 * source).write(1);
        self.register(ENABLED + 4 * (source / 32)).write(1 << (source % 32));
        self.register(THRESHOLD).write(0);
        // SAFETY: no critical section here relies on a masked source: they all turn interrupts off.
        unsafe {
            riscv::register::mie::set_mext();
            riscv::interrupt::enable();
        }
    }

    /// The external interrupt: `serve` answers the source that has asked.
    pub fn serve(self, serve: impl FnOnce(u32)) {
        let claim = self.register(CLAIM);
        match claim.read() {
            // The source has changed its mind.
            0 => {}
            source => {
                serve(source);
                claim.write(source);
            }
        }
    }
}
