//! What emulated boards are made of, one part a module: serial ports ([`cmsdk`], [`pl011`], [`ns16550`]), clocks
//! ([`cmsdk`], [`systick`], [`mtime`]), interrupt controllers ([`nvic`], [`plic`]), a [`light`], and what a program on a
//! bare core needs besides ([`stack`], [`last_words`]).
//!
//! A board chooses: it says which parts stand at which address and which interrupt they have, makes a
//! [`Board`](board::Board) of them, and [`runs`](run::run) the engine. With the feature `measure` the same board counts
//! instructions instead.
#![no_std]

pub mod board;
pub mod clock;
#[cfg(target_arch = "arm")]
pub mod cmsdk;
pub mod last_words;
pub mod light;
pub mod line;
#[cfg(feature = "measure")]
mod measure;
#[cfg(target_arch = "riscv32")]
pub mod mtime;
pub mod ns16550;
#[cfg(target_arch = "arm")]
pub mod nvic;
#[cfg(target_arch = "arm")]
pub mod pl011;
#[cfg(target_arch = "riscv32")]
pub mod plic;
pub mod register;
pub mod run;
pub mod stack;
#[cfg(target_arch = "arm")]
pub mod systick;
#[cfg(feature = "measure")]
mod workload;

#[cfg(target_arch = "arm")]
use cortex_m::asm::wfi;
#[cfg(target_arch = "riscv32")]
use riscv::asm::wfi;
