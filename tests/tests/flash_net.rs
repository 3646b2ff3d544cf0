//! Networks and a book apart from the program, on the emulated board: over the serial line, and written to their own
//! addresses as a flash tool does.
//!
//! Needs QEMU, and the folder of the boards' builds in `KNIGHTLIGHT_BOARDS`; `sh tests/all` provides both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use engine_core::net::blob::{self, PREFIX};
use engine_core::nets;
use tempfile::TempDir;
use tests::cable::Cable;
use tests::client::Client;
use tests::desk::Desk;
use tests::emulator::Emulator;
use tests::program::program;

const PATIENCE: Duration = Duration::from_secs(120);

/// Where the board has a network and a book of its own.
const NET: u32 = 0x0030_0000;
const BOOK: u32 = 0x0038_0000;
/// How large a network may be there.
const ROOM: usize = 256 << 10;

fn flash_net(port: &str, file: &Path) -> Result<(bool, String)> {
    let mut bridge = Command::new(program("knightlight-bridge")?);
    let output = bridge.arg("flash-net").arg(file).args(["--port", port]).output()?;
    Ok((output.status.success(), String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?))
}

/// A session over the bridge; gives it with what the board says it plays with.
fn session(port: &str) -> Result<(Client, String)> {
    let mut bridge = Command::new(program("knightlight-bridge")?);
    let mut session = Client::start(bridge.arg(port).stderr(Stdio::inherit()), PATIENCE)?;
    session.send("uci")?;
    let network = session.until("info string ")?.pop().context("a line")?;
    session.ask("isready", "readyok")?;
    Ok((session, network))
}

fn plays_with(port: &str, network: &str) -> Result<()> {
    let (mut session, said) = session(port)?;
    assert_eq!(said, format!("info string network {network}"));
    session.go("position startpos", "go depth 5")?;
    // The board starts anew.
    session.send("quit")?;
    session.wait()
}

/// A folder of files to send.
struct Files(TempDir);

impl Files {
    fn new() -> Result<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.0.path().join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }
}

#[test]
fn a_network_that_was_sent_plays_from_then_on() -> Result<()> {
    let (desk, files) = (Desk::with::<&str>(&[])?, Files::new()?);
    plays_with(desk.port(), "'knightlight-128', 128 wide")?;
    for (blob, name) in [(nets::VALUE_32, "'knightlight-32', 32 wide"), (nets::VALUE_64, "'knightlight-64', 64 wide")] {
        let (sent, said) = flash_net(desk.port(), &files.write("good.net", blob)?)?;
        ensure!(sent && said.contains(&format!("the board says: info string network {name}")), "{said}");
        plays_with(desk.port(), name)?;
    }
    // Twice, so that it has started in between.
    plays_with(desk.port(), "'knightlight-64', 64 wide")
}

#[test]
fn what_is_no_network_for_the_board_is_refused_with_a_reason() -> Result<()> {
    let (desk, files) = (Desk::with::<&str>(&[])?, Files::new()?);
    let good = nets::VALUE_32;
    let changed = |at: usize, to: u8| {
        let mut blob = good.to_vec();
        blob[at] = to;
        blob
    };
    let (header, _) = blob::open(good)?;
    let weights = vec![0; ROOM];
    let too_large = [blob::front(&header, &weights)?.as_slice(), &weights].concat();
    let order = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine-core/nets/order.net"))?;
    for (name, bytes, why) in [
        ("truncated", good[..good.len() / 2].to_vec(), "length is "),
        ("longer", [good, &[0]].concat(), "length is "),
        ("corrupted", changed(good.len() / 2, !good[good.len() / 2]), "the network is damaged"),
        ("oversized", too_large, "and there is room for 262144"),
        ("older", changed(4, 0), "format version is 0; this program reads version 1"),
        ("text", b"this is not a network at all".to_vec(), "this is no network"),
        ("order of moves", order, "this is a move-order model; a value net is wanted here"),
    ] {
        let (sent, said) = flash_net(desk.port(), &files.write(name, &bytes)?)?;
        ensure!(
            !sent && said.contains("the board refuses it, and keeps what it has: ") && said.contains(why),
            "{said}"
        );
        plays_with(desk.port(), "'knightlight-128', 128 wide").with_context(|| format!("after a {name} one"))?;
    }
    let (sent, said) = flash_net(desk.port(), &files.write("short", &good[..PREFIX - 1])?)?;
    ensure!(!sent && said.contains("15 bytes are no network"), "{said}");
    let (sent, said) = flash_net(desk.port(), Path::new("no such file"))?;
    ensure!(!sent && said.contains("no such file"), "{said}");
    Ok(())
}

#[test]
fn a_board_without_room_for_networks_says_so_and_plays_on() -> Result<()> {
    let desk = Desk::start(&mut Emulator::of("qemu-mps2-an500")?.restarting().command("pty"))?;
    let files = Files::new()?;
    let (sent, said) = flash_net(desk.port(), &files.write("good.net", nets::VALUE_32)?)?;
    ensure!(!sent && said.contains("has no flash set aside for a network that comes over the line"), "{said}");
    plays_with(desk.port(), "'knightlight-128', 128 wide")
}

#[test]
fn bytes_that_are_lost_are_sent_again() -> Result<()> {
    let (desk, files) = (Desk::with::<&str>(&[])?, Files::new()?);
    let cable = Cable::new(desk.port(), &files.0.path().join("tty"))?;
    cable.lose_one_of(1_999);
    let (sent, said) = flash_net(cable.path(), &files.write("good.net", nets::VALUE_32)?)?;
    ensure!(sent, "{said}");
    cable.lose_one_of(0);
    plays_with(cable.path(), "'knightlight-32', 32 wide")
}

#[test]
fn a_transfer_that_breaks_off_changes_nothing() -> Result<()> {
    let (desk, files) = (Desk::with::<&str>(&[])?, Files::new()?);
    let mut cable = Cable::new(desk.port(), &files.0.path().join("tty"))?;
    let before = cable.passed().0;
    let sending = Command::new(program("knightlight-bridge")?)
        .arg("flash-net")
        .arg(files.write("good.net", nets::VALUE_128)?)
        .args(["--port", cable.path()])
        .stderr(Stdio::null())
        .spawn()?;
    while cable.passed().0 < before + 40_000 {
        thread::sleep(Duration::from_millis(1));
    }
    cable.pull();
    ensure!(!sending.wait_with_output()?.status.success());
    cable.put_in()?;
    // The board is still in the middle of it, until it has waited long enough.
    plays_with(cable.path(), "'knightlight-128', 128 wide")?;
    let (sent, said) = flash_net(cable.path(), &files.write("good.net", nets::VALUE_64)?)?;
    ensure!(sent, "{said}");
    Ok(())
}

/// The emulator's stand-in for a tool that writes a file to an address of the flash.
fn written(file: &Path, address: u32) -> [String; 2] {
    ["-device".to_owned(), format!("loader,file={},addr={address:#x},force-raw=on", file.display())]
}

#[test]
fn what_a_flash_tool_wrote_is_found_when_the_board_starts() -> Result<()> {
    let files = Files::new()?;
    let network = files.write("mine.net", nets::VALUE_64)?;
    let book = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../firmware/boards/openings.bin"));
    let desk = Desk::with(&[written(&network, NET), written(book, BOOK)].concat())?;
    let (mut both, said) = session(desk.port())?;
    assert_eq!(said, "info string network 'knightlight-64', 64 wide");
    both.send("setoption name OwnBook value true")?;
    let answer = both.go("position startpos", "go depth 3")?;
    ensure!(answer.iter().any(|line| line == "info string book move"), "{answer:?}");

    let mut damaged = nets::VALUE_64.to_vec();
    damaged[1_000] ^= 1;
    let network = files.write("damaged.net", &damaged)?;
    let desk = Desk::with(&[written(&network, NET), written(&network, BOOK)].concat())?;
    plays_with(desk.port(), "'knightlight-128', 128 wide")
}
