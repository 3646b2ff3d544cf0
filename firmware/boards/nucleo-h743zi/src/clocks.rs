//! The clocks, at full speed.

use embassy_stm32::pac;
use embassy_stm32::rcc::{
    AHBPrescaler, APBPrescaler, Config, Hse, HseMode, Pll, PllDiv, PllMul, PllPreDiv, PllSource, Sysclk, VoltageScale,
};
use embassy_stm32::time::Hertz;

/// The most that any revision of the chip's core runs at.
pub const MOST_CORE_HZ: u32 = 480_000_000;

/// The revision from which on the chip is made for 480 MHz; `REV_ID` of DBGMCU_IDC (RM0433, 60.5.8).
const REVISION_V: u16 = 0x2003;

/// The most that this chip is made for, out of the 8 MHz that the ST-LINK feeds to its clock input (UM1974, "OSC clock
/// supply"): 480 MHz from revision V on, and 400 MHz before, on boards sold until 2019. The buses get half and a
/// quarter. The HAL sets the wait states of the flash.
pub fn full_speed() -> Config {
    let is_faster = pac::DBGMCU.idc().read().rev_id() >= REVISION_V;
    let mut config = Config::new();
    config.hse = Some(Hse { freq: Hertz(8_000_000), mode: HseMode::Bypass });
    config.pll1 = Some(Pll {
        source: PllSource::HSE,
        // To 2 MHz, up to 960 or 800 MHz, and by 2.
        prediv: PllPreDiv::DIV4,
        mul: if is_faster { PllMul::MUL480 } else { PllMul::MUL400 },
        fracn: None,
        divp: Some(PllDiv::DIV2),
        divq: None,
        divr: None,
    });
    config.sys = Sysclk::PLL1_P;
    config.d1c_pre = AHBPrescaler::DIV1;
    config.ahb_pre = AHBPrescaler::DIV2;
    config.apb1_pre = APBPrescaler::DIV2;
    config.apb2_pre = APBPrescaler::DIV2;
    config.apb3_pre = APBPrescaler::DIV2;
    config.apb4_pre = APBPrescaler::DIV2;
    config.voltage_scale = if is_faster { VoltageScale::Scale0 } else { VoltageScale::Scale1 };
    config
}
