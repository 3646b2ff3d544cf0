//! Files that are there whole or not at all, whenever the program is killed.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Writes a file beside its place and then moves it there, over what was there before.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = OsString::from(path);
    beside.push(".part");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    // A rename may reach the disk before the bytes do.
    file.sync_all()?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_takes_the_place_of_the_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        for text in ["one", "and two"] {
            write(&path, text.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("read"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
}
