//! The synced state of a folder: the contents and names that survive a crash of the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The unit in which the system's page cache is written, in bytes.
const PAGE: usize = 4096;

/// The synced contents of files and names of folders, by inode number.
#[derive(Debug, Default)]
pub(crate) struct Synced {
    /// The content of each file after a crash.
    contents: BTreeMap<u64, Vec<u8>>,
    /// The names in each folder after a crash, with their inodes.
    names: BTreeMap<u64, BTreeMap<OsString, u64>>,
    /// Open files, so that no inode number is reused.
    open_files: BTreeMap<u64, File>,
    /// Pages that a failed sync did not write. A later sync writes them only if they are written
    /// again.
    lost_pages: BTreeMap<u64, BTreeSet<usize>>,
    /// The number of captures so far.
    captures: u64,
    /// The newest capture of each inode that was recorded. Of two syncs at the same time the one that
    /// began earlier may end later, and takes nothing back.
    newest: BTreeMap<u64, u64>,
}

/// The content of a file, or the names in a folder, when a sync begins: what is written meanwhile
/// may not be synced.
pub(crate) struct Capture {
    /// Ascends with the captures of a watched folder.
    number: u64,
    inode: u64,
    content: Vec<u8>,
    /// None for a file.
    names: Option<BTreeMap<OsString, u64>>,
    open_files: Vec<(u64, File)>,
}

impl Capture {
    pub(crate) fn of(path: &Path, number: u64) -> io::Result<Capture> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let mut capture = Capture {
            number,
            inode: metadata.ino(),
            content: Vec::new(),
            names: None,
            open_files: Vec::new(),
        };
        if metadata.is_dir() {
            let names = list(path)?;
            for (name, inode) in &names {
                let file = File::open(path.join(name)).ok();
                capture.open_files.extend(file.map(|file| (*inode, file)));
            }
            capture.names = Some(names);
        } else {
            file.read_to_end(&mut capture.content)?;
        }
        capture.open_files.push((metadata.ino(), file));
        Ok(capture)
    }
}

impl Synced {
    /// The state of a folder that is synced as it is.
    pub(crate) fn of(folder: &Path) -> io::Result<Synced> {
        loop {
            let mut synced = Synced::default();
            match synced.add_all(folder) {
                Ok(()) => return Ok(synced),
                // A program that works in the folder has deleted a file since the folder was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound && folder.exists() => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn add_all(&mut self, folder: &Path) -> io::Result<()> {
        let capture = Capture::of(folder, self.next_capture())?;
        self.sync_succeeded(capture);
        for name in list(folder)?.keys() {
            let path = folder.join(name);
            if path.is_dir() {
                self.add_all(&path)?;
            } else {
                let capture = Capture::of(&path, self.next_capture())?;
                self.sync_succeeded(capture);
            }
        }
        Ok(())
    }

    /// The number of the next capture.
    pub(crate) fn next_capture(&mut self) -> u64 {
        self.captures += 1;
        self.captures
    }

    /// Records a sync that succeeded.
    pub(crate) fn sync_succeeded(&mut self, capture: Capture) {
        for (inode, file) in capture.open_files {
            self.open_files.entry(inode).or_insert(file);
        }
        let newest = self.newest.entry(capture.inode).or_insert(0);
        if capture.number < *newest {
            return;
        }
        *newest = capture.number;
        match capture.names {
            Some(names) => drop(self.names.insert(capture.inode, names)),
            None => self.set_content(capture.inode, capture.content),
        }
    }

    /// Sets a file's synced content, except for the lost pages, which stay as they were.
    fn set_content(&mut self, inode: u64, mut content: Vec<u8>) {
        let before = self.content(inode);
        for page in self.lost_pages.get(&inode).into_iter().flatten() {
            for at in page * PAGE..((page + 1) * PAGE).min(content.len()) {
                content[at] = before.get(at).copied().unwrap_or(0);
            }
        }
        self.contents.insert(inode, content);
    }

    /// Records a sync that failed: the system drops the pages that it could not write, and does not
    /// try again.
    pub(crate) fn sync_failed(&mut self, capture: &Capture) {
        if capture.names.is_some() {
            return;
        }
        let on_device = self.content(capture.inode);
        let is_on_device = |at: usize, page: &[u8]| {
            let synced = on_device.get(at * PAGE..);
            synced.is_some_and(|synced| synced.starts_with(page))
        };
        let pages = capture.content.chunks(PAGE).enumerate();
        let lost: Vec<usize> = pages
            .filter(|(at, page)| !is_on_device(*at, page))
            .map(|(at, _)| at)
            .collect();
        self.lost_pages
            .entry(capture.inode)
            .or_default()
            .extend(lost);
    }

    /// Records bytes written to a file: the next sync writes their pages.
    pub(crate) fn written(&mut self, inode: u64, at: usize, count: usize) {
        if let Some(lost) = self.lost_pages.get_mut(&inode) {
            let pages = at / PAGE..(at + count).div_ceil(PAGE);
            lost.retain(|page| !pages.contains(page));
        }
    }

    /// Whether there are lost pages that were not written again.
    pub(crate) fn has_lost_pages(&self) -> bool {
        self.lost_pages.values().any(|lost| !lost.is_empty())
    }

    /// The synced content of a file; empty when it was never synced.
    pub(crate) fn content(&self, inode: u64) -> &[u8] {
        self.contents.get(&inode).map_or(&[], Vec::as_slice)
    }

    /// The synced names in a folder; `None` when it was never synced.
    pub(crate) fn names(&self, inode: u64) -> Option<&BTreeMap<OsString, u64>> {
        self.names.get(&inode)
    }

    /// A file that was captured, which may have been removed since.
    pub(crate) fn open_file(&self, inode: u64) -> Option<&File> {
        self.open_files.get(&inode)
    }
}

/// The names in a folder, with their inodes. A name may vanish meanwhile: that of a temporary file
/// whose `rename` is not intercepted.
pub(crate) fn list(folder: &Path) -> io::Result<BTreeMap<OsString, u64>> {
    let mut names = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.metadata() {
            Ok(metadata) => drop(names.insert(entry.file_name(), metadata.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(names)
}
