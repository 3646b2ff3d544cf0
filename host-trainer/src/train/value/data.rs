//! Files of training positions: 32-byte records of `bulletformat`, one behind the other.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, ensure};

use super::{
    examples::{Example, RECORD, parse},
    settings::Settings,
};
use crate::train::kind::Data;

/// An open file of positions. It is read in pieces, so it may be larger than memory.
#[derive(Debug)]
pub struct DataFile {
    path: PathBuf,
    file: File,
    positions: usize,
}

impl DataFile {
    /// Opens a file and counts its positions.
    pub fn open(path: &Path) -> anyhow::Result<DataFile> {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let bytes = file.metadata().with_context(|| format!("cannot ask for the size of {name}"))?.len();
        ensure!(bytes > 0, "{name} is empty");
        ensure!(
            bytes.is_multiple_of(RECORD as u64),
            "{name} has {bytes} bytes, which is no multiple of {RECORD}: it is cut off, or it is no file of positions"
        );
        let positions = usize::try_from(bytes / RECORD as u64).with_context(|| format!("{name} is too large"))?;
        Ok(DataFile { path: path.to_owned(), file, positions })
    }

    /// How many positions the file has.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// Reads so many positions from `first` on, and adds them to a list.
    pub fn read(&mut self, first: usize, count: usize, examples: &mut Vec<Example>) -> anyhow::Result<()> {
        let name = self.path.display();
        let mut bytes = vec![0; count * RECORD];
        self.file
            .seek(SeekFrom::Start(first as u64 * RECORD as u64))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .with_context(|| format!("cannot read {name}"))?;
        for (index, record) in bytes.as_chunks().0.iter().enumerate() {
            let example =
                Example::new(&parse(record)).with_context(|| format!("{name}, position {}", first + index + 1))?;
            examples.push(example);
        }
        Ok(())
    }

    /// Reads at most so many positions, taken in blocks from all over the file.
    pub fn sample(&mut self, most: usize) -> anyhow::Result<Vec<Example>> {
        const BLOCK: usize = 64;
        let blocks = self.positions.div_ceil(BLOCK);
        let wanted = most.div_ceil(BLOCK).min(blocks);
        let mut examples = Vec::with_capacity(wanted * BLOCK);
        for pick in 0..wanted {
            let first = pick * blocks / wanted * BLOCK;
            self.read(first, BLOCK.min(self.positions - first), &mut examples)?;
        }
        examples.truncate(most);
        Ok(examples)
    }
}

/// The positions of one step.
#[derive(Debug)]
pub struct Batch {
    /// The positions.
    pub examples: Arc<Vec<Example>>,
    /// What the net should expect of each, between 0 and 1.
    pub targets: Vec<f32>,
}

impl Batch {
    /// Positions and their targets, for a share of results and a scale as [`Example::target`] has them.
    pub fn new(examples: Vec<Example>, wdl: f32, scale: f32) -> Batch {
        let targets = examples.iter().map(|example| example.target(wdl, scale)).collect();
        Batch { examples: Arc::new(examples), targets }
    }
}

/// The positions to learn from, with what a run makes of their scores and results.
#[derive(Debug)]
pub struct TrainingData {
    file: DataFile,
    /// The share of results in the targets, at the beginning and at the end.
    wdl: [f32; 2],
    /// Centipawns of one unit of log odds.
    scale: f32,
}

impl TrainingData {
    /// A file of positions, for these settings.
    pub fn new(file: DataFile, settings: &Settings) -> TrainingData {
        TrainingData { file, wdl: [settings.wdl as f32, settings.wdl_end as f32], scale: settings.known_scale() }
    }
}

impl Data for TrainingData {
    type Batch = Batch;

    fn positions(&self) -> usize {
        self.file.positions()
    }

    fn batch(&mut self, pieces: impl Iterator<Item = (usize, usize)>, course: f32) -> anyhow::Result<Batch> {
        let mut examples = Vec::new();
        for (first, count) in pieces {
            self.file.read(first, count, &mut examples)?;
        }
        let [begin, end] = self.wdl;
        Ok(Batch::new(examples, begin + (end - begin) * course, self.scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn faults_of_a_file_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data.bullet");
        let fault = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("written");
            DataFile::open(&path).map(|file| file.positions()).expect_err("a fault").to_string()
        };
        assert!(fault(&[]).ends_with("is empty"));
        assert!(fault(&[0; 40]).contains("has 40 bytes, which is no multiple of 32"));

        fs::write(&path, [0; 64]).expect("written");
        let fault = DataFile::open(&path).and_then(|mut file| file.sample(2)).expect_err("a board without kings");
        assert!(format!("{fault:#}").contains("position 1: each side must have one king"), "{fault:#}");
    }
}
