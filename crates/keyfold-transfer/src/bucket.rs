//! A folder that stands for a bucket.

use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
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
        move |source| TransferError::File {
            path: path.to_owned(),
            source,
        }
    }
}

/// A bucket: a folder of its name below the folder of all buckets.
#[derive(Debug, Clone)]
pub struct Bucket {
    folder: PathBuf,
}

/// Whether a path leads to something of a kind, and not to a link to it.
fn is_real(path: &Path, is_kind: fn(&Metadata) -> bool) -> bool {
    path.symlink_metadata().is_ok_and(|about| is_kind(&about))
}

/// Whether every part of a key is an ordinary name.
fn is_inside(key: &str) -> bool {
    !key.contains('\\')
        && !key.contains('\0')
        && key.split('/').all(|part| part != ".." && part != ".")
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

    /// Makes a folder of the bucket, and those it is in. Links are not followed.
    ///
    /// # Errors
    /// `Name` when the key would lead out of the bucket, `File` when the folder cannot be made.
    pub fn make_folder(&self, key: &str) -> Result<PathBuf, TransferError> {
        let whole = self.path(key)?;
        let mut folder = self.folder.clone();
        for part in whole
            .strip_prefix(&self.folder)
            .unwrap_or(&whole)
            .components()
        {
            folder.push(part);
            match std::fs::create_dir(&folder) {
                Ok(()) => {}
                Err(error)
                    if error.kind() == ErrorKind::AlreadyExists
                        && is_real(&folder, Metadata::is_dir) => {}
                Err(error) => return Err(TransferError::file(&folder)(error)),
            }
        }
        Ok(whole)
    }

    /// Makes an object, which must not be there: no link is followed.
    ///
    /// # Errors
    /// `Name` when the key would lead out of the bucket, `File` when the object is there or cannot
    /// be made.
    pub fn make(&self, key: &str) -> Result<(PathBuf, File), TransferError> {
        let path = self.path(key)?;
        let made = OpenOptions::new().write(true).create_new(true).open(&path);
        let file = made.map_err(TransferError::file(&path))?;
        Ok((path, file))
    }

    /// Opens an object that [`Bucket::objects`] found. Links are not followed.
    pub(crate) fn read(&self, path: &Path) -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32,
        );
        let within = path.strip_prefix(&self.folder).unwrap_or(path);
        let mut folder = self.folder.clone();
        for part in within.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            if !is_real(&folder, Metadata::is_dir) {
                return Err(std::io::Error::other("a link leads to it"));
            }
        }
        let file = options.open(path)?;
        if !file.metadata()?.is_file() {
            return Err(std::io::Error::other("it is no file"));
        }
        Ok(file)
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

    /// The objects whose keys start with a prefix, in the order of their keys. What is no file, or
    /// is reached by a link, is none.
    ///
    /// # Errors
    /// `File` when a folder cannot be read.
    pub fn objects(&self, prefix: &str) -> Result<Vec<PathBuf>, TransferError> {
        let prefix = prefix.trim_start_matches('/');
        let (mut found, mut folders) = (Vec::new(), vec![self.folder.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).map_err(TransferError::file(&folder))? {
                let entry = entry.map_err(TransferError::file(&folder))?;
                let path = entry.path();
                // Of the entry itself, not of what a link leads to.
                let kind = entry.file_type().map_err(TransferError::file(&path))?;
                let starts = |key: &Path| key.to_str().is_some_and(|key| key.starts_with(prefix));
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() && path.strip_prefix(&self.folder).is_ok_and(starts) {
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
    #[cfg(unix)]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let outside = place.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret"), "secret").unwrap();
        let bucket = Bucket::open(place.path(), "b", true).unwrap();
        symlink(&outside, bucket.folder.join("folder")).unwrap();
        symlink(outside.join("secret"), bucket.folder.join("file")).unwrap();
        symlink(bucket.folder.join("self"), bucket.folder.join("self")).unwrap();
        std::fs::write(bucket.folder.join("own"), "").unwrap();
        assert_eq!(bucket.objects("").unwrap(), [bucket.folder.join("own")]);
        for path in ["file", "self", "folder/secret"] {
            assert!(bucket.read(&bucket.folder.join(path)).is_err(), "{path}");
        }
        assert!(bucket.make_folder("folder/x").is_err());
        assert!(bucket.make("file").is_err());
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
        assert!(bucket.make_folder("a/b/c").is_ok());
    }

    #[test]
    fn nothing_leads_out_of_a_bucket() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "..", "a/b", ".", "a\\b"] {
            assert!(
                matches!(
                    Bucket::open(folder.path(), name, true),
                    Err(TransferError::Name(_))
                ),
                "{name}"
            );
        }
        let bucket = Bucket::open(folder.path(), "b", true).unwrap();
        for key in ["../x", "a/../../x", "", "/"] {
            assert!(bucket.path(key).is_err(), "{key}");
        }
        assert!(bucket.path("a/b..c").is_ok());
        assert!(matches!(
            Bucket::open(folder.path(), "absent", false),
            Err(TransferError::NoSuchBucket(_))
        ));
    }
}
