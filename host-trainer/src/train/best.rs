//! The best network so far, in a file that several runs may share.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use safetensors::SafeTensors;

use quantize::whole;

/// The metadata that says how good a file's network is.
const LOSS: &str = "validation-loss";
/// The metadata that says by which positions, and which loss.
const JUDGE: &str = "validation-set";

/// A file that only a better network replaces.
#[derive(Debug)]
pub struct Best {
    path: PathBuf,
    judge: String,
}

impl Best {
    /// A file that is there or not yet. `judge` is a number for what networks are judged by.
    ///
    /// # Errors
    /// If the file's network was judged by something else, so that its loss cannot be compared.
    pub fn new(path: &Path, judge: u64) -> anyhow::Result<Best> {
        let best = Best { path: path.to_owned(), judge: format!("{judge:016x}") };
        best.loss()?;
        Ok(best)
    }

    /// The loss of the network in the file, if there is one.
    fn loss(&self) -> anyhow::Result<Option<f32>> {
        let name = self.path.display();
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
        };
        let (_, header) = SafeTensors::read_metadata(&bytes).with_context(|| format!("{name} is no safetensors"))?;
        let metadata = header.metadata().as_ref();
        let said = |key: &str| metadata.and_then(|metadata| metadata.get(key));
        let loss = said(LOSS).and_then(|loss| loss.parse().ok());
        ensure!(
            loss.is_some() && said(JUDGE) == Some(&self.judge),
            "{name} holds a network that was judged by other positions or another loss than this run's, so nobody can \
             say which is better: name another file"
        );
        Ok(loss)
    }

    /// What a network's metadata should say, so that the next one can be compared with it.
    pub fn metadata(&self, loss: f32) -> [(&'static str, String); 2] {
        [(LOSS, loss.to_string()), (JUDGE, self.judge.clone())]
    }

    /// Writes a network of this loss, unless the file's is as good.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn offer(&self, loss: f32, network: impl FnOnce() -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
        if self.loss()?.is_none_or(|best| loss < best) {
            whole::write(&self.path, &network()?).with_context(|| format!("cannot write {}", self.path.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::export::Exchange;

    fn offer(best: &Best, loss: f32) {
        let network = || {
            let mut exchange = Exchange::default();
            best.metadata(loss).into_iter().for_each(|(key, value)| exchange.say(key, value));
            exchange.bytes()
        };
        best.offer(loss, network).expect("written");
    }

    #[test]
    fn only_a_better_network_replaces_the_best() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("best.safetensors");
        let best = Best::new(&path, 7).expect("none yet");
        for (loss, kept) in [(2.0, 2.0), (2.5, 2.0), (1.5, 1.5)] {
            offer(&best, loss);
            assert_eq!(best.loss().expect("read"), Some(kept));
        }
        // Another run comes later.
        let again = Best::new(&path, 7).expect("the same judge");
        offer(&again, 1.75);
        assert_eq!(again.loss().expect("read"), Some(1.5));
        let fault = Best::new(&path, 8).expect_err("another judge").to_string();
        assert!(fault.contains("judged by other positions"), "{fault}");
    }
}
