//! What every board does once it is started.

use engine_core::nets;
use firmware::flash::Ram;
use firmware::{FixedResources, Platform, Resources};

use crate::clock::Clock;
use crate::stack;

/// Flash of its own for what may change without the program.
pub struct Flash {
    /// A network.
    pub net: Ram<'static>,
    /// A network that comes over the line, until it is whole.
    pub staging: Ram<'static>,
    /// An opening book.
    pub book: &'static [u8],
}

/// Plays until the engine is told to quit, and says how much of the stack that took.
#[cfg(not(feature = "measure"))]
pub fn run(mut platform: impl Platform, _: &impl Clock, resources: impl Resources) {
    stack::paint();
    firmware::greet(&mut platform, &resources);
    firmware::run(&mut platform, resources);
    tell_of_stack(&mut platform);
}

/// The same on a board whose flash may hold a network and a book, which come before those that are built in, and which
/// takes a network over the line.
#[cfg(not(feature = "measure"))]
pub fn run_from(flash: Flash, mut platform: impl Platform, _: &impl Clock, resources: FixedResources<'_>) {
    use firmware::flash as store;

    stack::paint();
    let Flash { mut net, mut staging, book } = flash;
    let settled = store::settle(&mut net, &mut staging);
    let (network, about_network) = store::network(net.into_bytes(), nets::DEFAULT);
    let (book, about_book) = store::book(book);
    let resources = resources.with_network(network);
    let resources = if book.is_empty() { resources } else { resources.with_book(book) };
    firmware::greet(&mut platform, &resources);
    if let Err(problem) = settled {
        let complaint = engine_core::uci::say(format_args!("the network that came is not used: {problem}"));
        firmware::tell(&mut platform, &complaint);
    }
    for complaint in [about_network, about_book].into_iter().flatten() {
        firmware::tell(&mut platform, &complaint);
    }
    store::run(&mut platform, resources, &mut staging);
    tell_of_stack(&mut platform);
}

#[cfg(not(feature = "measure"))]
fn tell_of_stack(platform: &mut impl Platform) {
    let used = engine_core::uci::say(format_args!("stack: {} bytes used of {}", stack::peak(), stack::size()));
    firmware::tell(platform, &used);
}

/// Does and measures what the emulator's `-append` names, and ends the emulator.
#[cfg(feature = "measure")]
pub fn run(_: impl Platform, clock: &impl Clock, mut resources: impl Resources) {
    stack::paint();
    crate::measure::run(clock, |command, number| crate::workload::work(command, number, &mut resources))
}

/// The same, whatever lies in flash.
#[cfg(feature = "measure")]
pub fn run_from(_: Flash, platform: impl Platform, clock: &impl Clock, resources: FixedResources<'_>) {
    run(platform, clock, resources.with_network(nets::DEFAULT));
}
