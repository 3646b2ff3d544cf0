//! The serial ports of this machine, and which of them a board is on.

use std::fmt::Write;

use anyhow::{Context, Result, bail};
use serialport::{SerialPortInfo, SerialPortType, UsbPortInfo};

/// A port to open, now and whenever it comes back.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// What it is called.
    name: String,
    /// What is plugged in there, to know it again under another name.
    usb: Option<UsbPortInfo>,
}

impl Target {
    /// The port of this name.
    pub(crate) fn named(name: String) -> Self {
        let usb =
            available().ok().and_then(|ports| ports.into_iter().find(|port| port.port_name == name)).and_then(usb);
        Self { name, usb }
    }

    /// The one port that a board may be on.
    pub(crate) fn find() -> Result<Self> {
        let chosen = choose(available()?)?;
        Ok(Self { name: chosen.port_name.clone(), usb: usb(chosen) })
    }

    /// What the port is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Looks whether the board has come back under another name, and takes that up.
    pub(crate) fn follow(&mut self) {
        let Some(mine) = &self.usb else { return };
        let ports = available().unwrap_or_default();
        if ports.iter().any(|port| port.port_name == self.name) {
            return;
        }
        if let Some(moved) = ports.into_iter().find(|port| is_usb(port, |theirs| theirs == mine)) {
            self.name = moved.port_name;
        }
    }
}

/// Prints the ports, a line each, with what is known of them.
pub(crate) fn list() -> Result<()> {
    let ports = available()?;
    if ports.is_empty() {
        println!("this machine has no serial ports");
    }
    let width = ports.iter().map(|port| port.port_name.len()).max().unwrap_or_default();
    for port in ports {
        println!("{:width$}  {}", port.port_name, describe(&port.port_type));
    }
    Ok(())
}

/// The ports, by name. A Mac has two for each device; `tty` ones wait for a carrier that no board gives.
fn available() -> Result<Vec<SerialPortInfo>> {
    let mut ports = serialport::available_ports().context("cannot list the serial ports")?;
    ports.retain(|port| !port.port_name.starts_with("/dev/tty.") || !cfg!(target_os = "macos"));
    ports.sort_by(|a, b| a.port_name.cmp(&b.port_name));
    Ok(ports)
}

/// The one USB port, or the one port if none is USB.
fn choose(ports: Vec<SerialPortInfo>) -> Result<SerialPortInfo> {
    let (usb, other): (Vec<_>, Vec<_>) = ports.into_iter().partition(|port| is_usb(port, |_| true));
    let mut candidates = if usb.is_empty() { other } else { usb };
    match candidates.len() {
        0 => bail!("no serial port found: is the board plugged in, with a cable that carries data?"),
        1 => Ok(candidates.remove(0)),
        _ => {
            let mut message = String::from("more than one serial port may be the board's, so name one:");
            for port in &candidates {
                let _ = write!(message, " {} ({})", port.port_name, describe(&port.port_type));
            }
            bail!(message)
        }
    }
}

fn usb(port: SerialPortInfo) -> Option<UsbPortInfo> {
    match port.port_type {
        SerialPortType::UsbPort(usb) => Some(usb),
        _ => None,
    }
}

fn is_usb(port: &SerialPortInfo, wanted: impl Fn(&UsbPortInfo) -> bool) -> bool {
    matches!(&port.port_type, SerialPortType::UsbPort(usb) if wanted(usb))
}

/// What is known of a port, for people.
fn describe(kind: &SerialPortType) -> String {
    match kind {
        SerialPortType::UsbPort(UsbPortInfo { vid, pid, manufacturer, product, serial_number, .. }) => {
            let mut text = format!("USB {vid:04x}:{pid:04x}");
            for known in [manufacturer, product].into_iter().flatten() {
                let _ = write!(text, " {known}");
            }
            if let Some(number) = serial_number {
                let _ = write!(text, ", serial number {number}");
            }
            text
        }
        SerialPortType::PciPort => "PCI".to_owned(),
        SerialPortType::BluetoothPort => "Bluetooth".to_owned(),
        SerialPortType::Unknown => "not USB".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(name: &str) -> SerialPortInfo {
        SerialPortInfo { port_name: name.to_owned(), port_type: SerialPortType::Unknown }
    }

    fn probe(name: &str) -> SerialPortInfo {
        let usb = UsbPortInfo {
            vid: 0x0483,
            pid: 0x374b,
            serial_number: Some("066DFF".to_owned()),
            manufacturer: Some("STMicroelectronics".to_owned()),
            product: None,
        };
        SerialPortInfo { port_name: name.to_owned(), port_type: SerialPortType::UsbPort(usb) }
    }

    #[test]
    fn a_usb_port_is_preferred_and_a_choice_is_the_persons() {
        let chosen = |ports| choose(ports).map(|port| port.port_name).map_err(|error| error.to_string());
        assert_eq!(chosen(vec![plain("/dev/ttyS0"), probe("/dev/ttyACM0")]), Ok("/dev/ttyACM0".to_owned()));
        assert_eq!(chosen(vec![plain("COM1")]), Ok("COM1".to_owned()));
        assert!(chosen(vec![]).unwrap_err().contains("no serial port found"));
        let several = chosen(vec![probe("/dev/ttyACM0"), probe("/dev/ttyACM1")]).unwrap_err();
        assert!(several.contains("/dev/ttyACM1 (USB 0483:374b STMicroelectronics, serial number 066DFF)"), "{several}");
    }
}
