//! Shuffling more records than fit into memory.
//!
//! Each record goes to a bucket file drawn at random; then each bucket is shuffled in memory and the buckets follow each
//! other. That is the order of independent random keys (the bucket, then the place in it), so all orders are equally
//! likely.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};

use super::bullet::{RECORD_BYTES, Record};
use crate::{arena::random::SplitMix64, stop::Stop};

/// Files that may be open at a time.
const MOST_BUCKETS: u64 = 400;
/// Bytes that are gathered before a bucket's file is written to.
const BUFFER_BYTES: usize = 1 << 16;

/// Records on their way to a random order.
#[derive(Debug)]
pub struct Shuffle {
    paths: Vec<PathBuf>,
    buckets: Vec<BufWriter<File>>,
    random: SplitMix64,
    records: u64,
}

impl Shuffle {
    /// Makes bucket files in `folder`, which must be there, so that each of `most_records` records would fit into
    /// `memory` bytes with its bucket. The order depends on the seed, on the number of buckets and on the order in which
    /// the records come.
    ///
    /// # Errors
    /// If the memory is too little for so many records, or a file cannot be made.
    pub fn new(folder: &Path, most_records: u64, memory: u64, seed: u64) -> anyhow::Result<Shuffle> {
        // Buckets differ in size by chance: an eighth on top is room enough, if they are not tiny.
        let bytes = most_records.saturating_mul(RECORD_BYTES as u64 * 9 / 8);
        let count = bytes.div_ceil(memory.max(1)).max(1);
        ensure!(
            count <= MOST_BUCKETS,
            "up to {most_records} positions cannot be shuffled in {} MB: give --memory {} or more",
            memory >> 20,
            bytes.div_ceil(MOST_BUCKETS << 20)
        );
        let paths: Vec<PathBuf> = (0..count).map(|bucket| folder.join(format!("bucket-{bucket}"))).collect();
        let buckets = paths
            .iter()
            .map(|path| Ok(BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?)))
            .collect::<io::Result<_>>()
            .with_context(|| format!("cannot make the bucket files in {}", folder.display()))?;
        Ok(Shuffle { paths, buckets, random: SplitMix64::new(seed), records: 0 })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, record: &Record) -> io::Result<()> {
        self.records += 1;
        let bucket = self.random.next_u64() % self.buckets.len() as u64;
        self.buckets[bucket as usize].write_all(record)
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Writes all records in random order and removes the bucket files. `false` if someone wanted to stop before the end.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn finish(mut self, out: &mut impl Write, stop: &Stop) -> anyhow::Result<bool> {
        for bucket in self.buckets.drain(..) {
            bucket.into_inner().map_err(io::IntoInnerError::into_error).context("cannot write a bucket file")?;
        }
        for path in &self.paths {
            if stop.is_raised() {
                return Ok(false);
            }
            let mut bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let (records, _) = bytes.as_chunks_mut::<RECORD_BYTES>();
            self.random.shuffle(records);
            out.write_all(records.as_flattened())?;
            fs::remove_file(path)?;
        }
        out.flush()?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u64) -> Record {
        let mut record = [0; RECORD_BYTES];
        record[..8].copy_from_slice(&number.to_le_bytes());
        record
    }

    fn shuffled(count: u64, memory: u64, seed: u64) -> Vec<u64> {
        let folder = tempfile::tempdir().unwrap();
        let mut shuffle = Shuffle::new(folder.path(), count, memory, seed).unwrap();
        for number in 0..count {
            shuffle.add(&record(number)).unwrap();
        }
        assert_eq!(shuffle.records(), count);
        let mut out = Vec::new();
        assert!(shuffle.finish(&mut out, &Stop::new()).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "bucket files are left");
        let (records, rest) = out.as_chunks::<RECORD_BYTES>();
        assert!(rest.is_empty());
        records.iter().map(|record| u64::from_le_bytes(std::array::from_fn(|i| record[i]))).collect()
    }

    #[test]
    fn everything_comes_out_once_whatever_the_memory() {
        for memory in [1 << 20, 40_000, 8_000] {
            let mut numbers = shuffled(20_000, memory, 1);
            assert!(!numbers.is_sorted());
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..20_000));
        }
    }

    #[test]
    fn the_seed_sets_the_order() {
        assert_eq!(shuffled(1000, 8_000, 1), shuffled(1000, 8_000, 1));
        assert_ne!(shuffled(1000, 8_000, 1), shuffled(1000, 8_000, 2));
    }

    #[test]
    fn all_orders_come_up_alike() {
        let mut counts = std::collections::HashMap::new();
        for seed in 0..1200 {
            *counts.entry(shuffled(3, 60, seed)).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        // 200 expected, with a standard deviation of 13.
        assert!(counts.values().all(|count| (140..260).contains(count)), "{counts:?}");
    }

    #[test]
    fn too_little_memory_says_what_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let error = Shuffle::new(folder.path(), 1 << 30, 1 << 20, 1).unwrap_err().to_string();
        assert_eq!(error, "up to 1073741824 positions cannot be shuffled in 1 MB: give --memory 93 or more");
        assert!(Shuffle::new(folder.path(), 1 << 30, 97 << 20, 1).is_ok());
    }

    #[test]
    fn a_wish_to_stop_is_heard() {
        let folder = tempfile::tempdir().unwrap();
        let stop = Stop::new();
        stop.raise();
        let shuffle = Shuffle::new(folder.path(), 1, 1 << 20, 1).unwrap();
        assert!(!shuffle.finish(&mut Vec::new(), &stop).unwrap());
    }
}
