//! The files that a crash leaves: synced names with synced contents, and any part of the other
//! changes.

use crate::synced::{Synced, list};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

/// The unit in which the device writes, in bytes.
const SECTOR: usize = 512;

/// The fate of changes that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// Only the process crashed: they are kept. A second machine that watches the files left takes
    /// them as synced; a test whose machine may crash later goes on with the first one.
    Kept,
    /// The machine crashed: they are lost.
    Lost,
    /// The machine crashed: some names and some sectors of them are kept.
    Torn,
}

/// The inode of a name: when its folder was last synced, and now.
struct Inodes {
    synced: Option<u64>,
    now: Option<u64>,
}

impl Inodes {
    fn after_crash(&self, tail: Tail, coin: &mut dyn FnMut() -> bool) -> Option<u64> {
        let is_new = match tail {
            Tail::Kept => true,
            Tail::Lost => false,
            Tail::Torn => self.now != self.synced && coin(),
        };
        if is_new { self.now } else { self.synced }
    }
}

/// Makes the folder `into` with the files of `folder` after a crash.
pub(crate) fn leave(
    synced: &Synced,
    folder: &Path,
    tail: Tail,
    into: &Path,
    coin: &mut dyn FnMut() -> bool,
) -> io::Result<()> {
    fs::create_dir(into)?;
    let now = if folder.exists() {
        list(folder)?
    } else {
        BTreeMap::new()
    };
    let none = BTreeMap::new();
    let before = match folder.metadata() {
        Ok(metadata) => synced.names(metadata.ino()).unwrap_or(&none),
        // It was removed. No store removes its own folder.
        Err(_) => &none,
    };
    let names: BTreeSet<&OsString> = before.keys().chain(now.keys()).collect();
    for name in names {
        let inodes = Inodes {
            synced: before.get(name).copied(),
            now: now.get(name).copied(),
        };
        let Some(inode) = inodes.after_crash(tail, coin) else {
            continue;
        };
        let path = folder.join(name);
        let file = match synced.open_file(inode).map(File::try_clone) {
            Some(file) => file?,
            // It was removed before any capture.
            None if !path.exists() => continue,
            None => File::open(&path)?,
        };
        if file.metadata()?.is_dir() {
            leave(synced, &path, tail, &into.join(name), coin)?;
        } else {
            let left = content(synced.content(inode), &file, tail, coin)?;
            fs::write(into.join(name), left)?;
        }
    }
    Ok(())
}

/// The content of a file after a crash. `synced`: its synced content.
fn content(
    synced: &[u8],
    file: &File,
    tail: Tail,
    coin: &mut dyn FnMut() -> bool,
) -> io::Result<Vec<u8>> {
    let mut now = vec![0; usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut now, 0)?;
    match tail {
        Tail::Kept => Ok(now),
        Tail::Lost => Ok(synced.to_vec()),
        Tail::Torn => {
            let length = if now.len() != synced.len() && coin() {
                now.len()
            } else {
                synced.len()
            };
            // Bytes that the file has grown by and that were not written are zero.
            let mut left = synced.to_vec();
            left.resize(length, 0);
            for (at, sector) in left.chunks_mut(SECTOR).enumerate() {
                let from = at * SECTOR;
                let Some(written) = now.get(from..(from + sector.len()).min(now.len())) else {
                    break;
                };
                if *written != sector[..written.len()] && coin() {
                    sector[..written.len()].copy_from_slice(written);
                }
            }
            Ok(left)
        }
    }
}
