//! Writing a file whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under another name beside its place, and gives it its own name once every byte is on the disk.
///
/// # Errors
/// If it cannot be written; what stood there before is untouched.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // A temporary file is its owner's alone; this one is for whomever the system lets.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name, too, must outlive a loss of power; a system that cannot sync a folder has done what it can.
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("net");
        write(&path, b"old").expect("written");
        write(&path, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"new");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        write(&folder.path().join("no").join("net"), b"new").expect_err("no such folder");
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).expect("a folder");
        write(&taken, b"new").expect_err("a folder is in the way");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
