//! A folder that stands for a bucket.

use std::path::{Path, PathBuf};

/// Why files could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// There is no folder for the bucket.
    #[error("there is no folder for the bucket {0}")]
    NoSuchBucket(String),
    /// The bucket or key would lead out of the folder.
    #[error("`{0}` is no name of a bucket or key")]
    Name(String),
    /// A file could not be written or read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl TransferError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> TransferError + '_ {
        move |source| TransferError::File { path: path.to_owned(), source }
    }
}

/// A bucket: a folder of its name below the folder of all buckets.
#[derive(Debug, Clone)]
pub struct Bucket {
    folder: PathBuf,
}

/// Whether every part of a key is an ordinary name.
fn is_inside(key: &str) -> bool {
    !key.contains('\\') && !key.contains('\0') && key.split('/').all(|part| part != ".." && part != ".")
}

impl Bucket {
    /// The bucket of a name, made if it is absent and `make` says so.
    ///
    /// # Errors
    /// `Name` when the name is none, `NoSuchBucket` when it is absent and not to be made.
    pub fn open(buckets: &Path, name: &str, make: bool) -> Result<Bucket, TransferError> {
        if name.is_empty() || name.contains('/') || !is_inside(name) {
            return Err(TransferError::Name(name.to_owned()));
        }
        let folder = buckets.join(name);
        if make {
            std::fs::create_dir_all(&folder).map_err(TransferError::file(&folder))?;
        } else if !folder.is_dir() {
            return Err(TransferError::NoSuchBucket(name.to_owned()));
        }
        Ok(Bucket { folder })
    }

    /// Where an object is.
    ///
    /// # Errors
    /// `Name` when the key would lead out of the bucket.
    pub fn path(&self, key: &str) -> Result<PathBuf, TransferError> {
        let key = key.trim_start_matches('/');
        if key.is_empty() || !is_inside(key) {
            return Err(TransferError::Name(key.to_owned()));
        }
        Ok(self.folder.join(key))
    }

    /// The objects whose keys start with a prefix, in the order of their keys.
    ///
    /// # Errors
    /// `File` when a folder cannot be read.
    pub fn objects(&self, prefix: &str) -> Result<Vec<PathBuf>, TransferError> {
        let prefix = prefix.trim_start_matches('/');
        let (mut found, mut folders) = (Vec::new(), vec![self.folder.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).map_err(TransferError::file(&folder))? {
                let path = entry.map_err(TransferError::file(&folder))?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path
                    .strip_prefix(&self.folder)
                    .is_ok_and(|key| key.to_string_lossy().starts_with(prefix))
                {
                    found.push(path);
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leads_out_of_a_bucket() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "..", "a/b", ".", "a\\b"] {
            assert!(matches!(Bucket::open(folder.path(), name, true), Err(TransferError::Name(_))), "{name}");
        }
        let bucket = Bucket::open(folder.path(), "b", true).unwrap();
        for key in ["../x", "a/../../x", "", "/"] {
            assert!(bucket.path(key).is_err(), "{key}");
        }
        assert!(bucket.path("a/b..c").is_ok());
        assert!(matches!(Bucket::open(folder.path(), "absent", false), Err(TransferError::NoSuchBucket(_))));
    }
}
