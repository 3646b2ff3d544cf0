//! An opening book in flash of its own.

use engine_core::uci::{Message, say};

/// The bytes of an entry of a Polyglot book, of which the first are its key.
const ENTRY: usize = 16;
const KEY: usize = 8;

/// The Polyglot book at the beginning of a part of flash; or an empty one if nothing lies there, or what lies there is no
/// book, and then what to say of it.
///
/// A book does not say how long it is: it ends with the region, or where flash is erased. Flash that has never been
/// anything holds no book either, be it all ones or all zeros.
#[must_use]
pub fn book(region: &[u8]) -> (&[u8], Option<Message>) {
    let nothing = |entry: &[u8]| entry.iter().all(|&byte| byte == 0xff) || entry.iter().all(|&byte| byte == 0);
    let entries = region.chunks_exact(ENTRY).take_while(|entry| !nothing(entry));
    let sorted = entries.clone().map(|entry| &entry[..KEY]).is_sorted();
    if !sorted {
        return (&[], Some(say(format_args!("the book in flash is not used: its entries are not sorted by key"))));
    }
    (&region[..entries.count() * ENTRY], None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_ends_where_flash_is_erased() {
        let mut region = [0xff; 8 * ENTRY];
        assert_eq!(book(&region), (&[][..], None));
        assert_eq!(book(&[0; 64]), (&[][..], None));
        for (number, entry) in region.chunks_exact_mut(ENTRY).take(3).enumerate() {
            entry[..KEY].copy_from_slice(&(number as u64 / 2 + 7).to_be_bytes());
            entry[KEY..].fill(1);
        }
        assert_eq!(book(&region).0.len(), 3 * ENTRY);
        region[0] = 1;
        let (entries, complaint) = book(&region);
        assert!(entries.is_empty() && complaint.is_some_and(|complaint| complaint.contains("not sorted")));
    }
}
