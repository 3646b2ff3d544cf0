//! Bytes read ahead of a command that waits for a search to end.

/// How far is read ahead.
const LENGTH: usize = 256;

/// Bytes that are read again once the waiting command has taken effect. Meanwhile they are looked through for `stop`
/// and `quit`, which no search may keep waiting.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookahead(heapless::Deque<u8, LENGTH>);

impl Lookahead {
    /// Whether no more can be kept.
    pub(super) fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// Keeps a byte; there must be room.
    pub(super) fn push(&mut self, byte: u8) {
        let fits = self.0.push_back(byte);
        debug_assert!(fits.is_ok());
    }

    /// Takes the first byte back.
    pub(super) fn take(&mut self) -> Option<u8> {
        self.0.pop_front()
    }

    /// Whether one of the whole lines kept says `stop` or `quit`.
    pub(super) fn says_stop(&self) -> bool {
        let mut line: heapless::Vec<u8, 4> = heapless::Vec::new();
        let mut is_longer = false;
        for &byte in &self.0 {
            match byte {
                b'\n' | b'\r' => {
                    if !is_longer && matches!(line.as_slice(), b"stop" | b"quit") {
                        return true;
                    }
                    line.clear();
                    is_longer = false;
                }
                b' ' | b'\t' => {}
                _ => is_longer |= line.push(byte).is_err(),
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says_stop(text: &str) -> bool {
        let mut ahead = Lookahead::default();
        text.bytes().for_each(|byte| ahead.push(byte));
        ahead.says_stop()
    }

    #[test]
    fn only_a_whole_line_says_stop() {
        for text in ["stop\n", "isready\n stop \r\nx", "position startpos moves e2e4\nquit\r"] {
            assert!(says_stop(text), "{text:?}");
        }
        for text in ["", "stop", "sto\np\n", "stopped\n", "don't stop\n"] {
            assert!(!says_stop(text), "{text:?}");
        }
    }

    #[test]
    fn what_goes_in_comes_out() {
        let mut ahead = Lookahead::default();
        while !ahead.is_full() {
            ahead.push(b'x');
        }
        assert_eq!(core::iter::from_fn(|| ahead.take()).count(), LENGTH);
    }
}
