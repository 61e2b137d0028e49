//! The remains of a crash: synced names with synced contents, and of everything else any part.

use crate::machine::{Synced, list};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

const SECTOR: usize = 512;

/// What became of changes that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// Only the process ended: everything is there.
    Kept,
    /// The machine ended: nothing of them is there.
    Lost,
    /// The machine ended: some names and some sectors are there.
    Torn,
}

/// Where one name leads to, before and after it was last synced.
struct Places {
    synced: Option<u64>,
    now: Option<u64>,
}

impl Places {
    fn chosen(&self, tail: Tail, coin: &mut dyn FnMut() -> bool) -> Option<u64> {
        let is_new = match tail {
            Tail::Kept => true,
            Tail::Lost => false,
            Tail::Torn => self.now != self.synced && coin(),
        };
        if is_new { self.now } else { self.synced }
    }
}

/// Puts into a new folder what is left of another.
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
        Ok(about) => synced.names.get(&about.ino()).unwrap_or(&none),
        // Removed, which no store does to a folder of its own.
        Err(_) => &none,
    };
    let names: BTreeSet<&OsString> = before.keys().chain(now.keys()).collect();
    for name in names {
        let places = Places {
            synced: before.get(name).copied(),
            now: now.get(name).copied(),
        };
        let Some(inode) = places.chosen(tail, coin) else {
            continue;
        };
        let path = folder.join(name);
        let file = match synced.held.get(&inode).map(File::try_clone) {
            Some(file) => file?,
            // Removed when nobody looked.
            None if !path.exists() => continue,
            None => File::open(&path)?,
        };
        if file.metadata()?.is_dir() {
            leave(synced, &path, tail, &into.join(name), coin)?;
        } else {
            let kept = synced.contents.get(&inode).map_or(&[][..], Vec::as_slice);
            fs::write(into.join(name), contents(kept, &file, tail, coin)?)?;
        }
    }
    Ok(())
}

fn contents(
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
            // What the file has grown by and was not written is zeros.
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
