//! Cutting a byte stream into words and line ends.

/// The longest word that is kept: a path. (A FEN's piece placement has 71 bytes at most.)
const LONGEST: usize = 256;

/// What a byte has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Nothing.
    Nothing,
    /// A word.
    Word,
    /// A line, and before it perhaps a word.
    Line,
}

/// Collects the bytes of the present word.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {
    word: heapless::Vec<u8, LONGEST>,
    /// Whether bytes of the word had to be dropped.
    too_long: bool,
}

impl Tokens {
    /// Takes a byte. A carriage return is white space, so CRLF ends a line once; alone it ends one as well.
    pub(super) fn feed(&mut self, byte: u8) -> Cut {
        match byte {
            b'\n' | b'\r' => Cut::Line,
            b' ' | b'\t' if self.word.is_empty() => Cut::Nothing,
            b' ' | b'\t' => Cut::Word,
            _ => {
                self.too_long |= self.word.push(byte).is_err();
                Cut::Nothing
            }
        }
    }

    /// The word; empty if there is none. One that is too long is cut short.
    pub(super) fn word(&self) -> &[u8] {
        &self.word
    }

    /// Whether the word was too long to be kept.
    pub(super) const fn is_too_long(&self) -> bool {
        self.too_long
    }

    /// Forgets the word.
    pub(super) fn clear(&mut self) {
        self.word.clear();
        self.too_long = false;
    }
}
