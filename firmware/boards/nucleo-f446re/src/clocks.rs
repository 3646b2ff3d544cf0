//! The clocks, at full speed.

use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, Pll, PllMul, PllPDiv, PllPreDiv, PllSource, Sysclk,
};
use embassy_stm32::time::Hertz;

/// What the core runs at.
pub const CORE_HZ: u32 = 180_000_000;

/// 180 MHz out of the 8 MHz that the ST-LINK feeds to the chip's clock input (UM1724, "OSC clock supply"): by 4, times
/// 180, by 2. The peripherals' buses get the most that they are made for, 45 and 90 MHz. The HAL adds the over-drive
/// that anything above 168 MHz needs, and the wait states of the flash.
pub fn full_speed() -> Config {
    let mut config = Config::new();
    config.hsi = false;
    config.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Bypass });
    config.pll_src = PllSource::HSE;
    config.pll =
        Some(Pll { prediv: PllPreDiv::DIV4, mul: PllMul::MUL180, divp: Some(PllPDiv::DIV2), divq: None, divr: None });
    config.sys = Sysclk::PLL1_P;
    config.ahb_pre = AHBPrescaler::DIV1;
    config.apb1_pre = APBPrescaler::DIV4;
    config.apb2_pre = APBPrescaler::DIV2;
    config
}
