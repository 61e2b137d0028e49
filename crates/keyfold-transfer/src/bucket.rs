//! A bucket, which is a folder of files.

use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A bucket cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The bucket has no folder.
    #[error("there is no folder for the bucket {0}")]
    NoSuchBucket(String),
    /// The name of a bucket or key is invalid, or leads out of the folder.
    #[error("`{0}` is no name of a bucket or key")]
    Name(String),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// An export is not as it was written; the text is a sentence.
    #[error("{0}")]
    Export(String),
}

impl TransferError {
    /// Wraps an error with its file.
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

/// Whether a path is of a kind itself, and not a link to one.
fn is_real(path: &Path, is_kind: fn(&Metadata) -> bool) -> bool {
    path.symlink_metadata().is_ok_and(|about| is_kind(&about))
}

/// Waits until the names in a folder are on the disk, where the system opens folders.
///
/// # Errors
/// `File` when the folder cannot be synced.
pub fn sync_folder(folder: &Path) -> Result<(), TransferError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(TransferError::file(folder))?;
    }
    Ok(())
}

/// Opens a regular file itself, and no other file to which a link leads.
pub(crate) fn open_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32,
    );
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    Ok(file)
}

/// Whether no part of a key leads out of the bucket.
fn is_inside(key: &str) -> bool {
    !key.contains('\\')
        && !key.contains('\0')
        && key.split('/').all(|part| part != ".." && part != ".")
}

impl Bucket {
    /// Opens an existing bucket.
    ///
    /// # Errors
    /// `Name` when the name is invalid, `NoSuchBucket` when the bucket is absent.
    pub fn open(buckets: &Path, name: &str) -> Result<Bucket, TransferError> {
        let bucket = Bucket::named(buckets, name)?;
        if bucket.folder.is_dir() {
            Ok(bucket)
        } else {
            Err(TransferError::NoSuchBucket(name.to_owned()))
        }
    }

    /// Opens a bucket, and creates it if it is absent.
    ///
    /// # Errors
    /// `Name` when the name is invalid, `File` when the bucket cannot be created.
    pub fn open_or_create(buckets: &Path, name: &str) -> Result<Bucket, TransferError> {
        let bucket = Bucket::named(buckets, name)?;
        std::fs::create_dir_all(&bucket.folder).map_err(TransferError::file(&bucket.folder))?;
        Ok(bucket)
    }

    /// A folder as a bucket, which is created if it is absent.
    ///
    /// # Errors
    /// `File` when the folder cannot be created.
    pub fn at(folder: &Path) -> Result<Bucket, TransferError> {
        std::fs::create_dir_all(folder).map_err(TransferError::file(folder))?;
        Ok(Bucket {
            folder: folder.to_owned(),
        })
    }

    /// Waits until the names in a folder of the bucket, and in those above it, are on the disk.
    ///
    /// # Errors
    /// `Name` when the key would lead out of the bucket, `File` when a folder cannot be synced.
    pub(crate) fn sync_folders(&self, key: &str) -> Result<(), TransferError> {
        let path = self.path(key)?;
        for folder in path.ancestors() {
            sync_folder(folder)?;
            if folder == self.folder {
                break;
            }
        }
        Ok(())
    }

    fn named(buckets: &Path, name: &str) -> Result<Bucket, TransferError> {
        if name.is_empty() || name.contains('/') || !is_inside(name) {
            return Err(TransferError::Name(name.to_owned()));
        }
        Ok(Bucket {
            folder: buckets.join(name),
        })
    }

    /// Creates a folder of the bucket with its parents. Links are not followed.
    ///
    /// # Errors
    /// `Name` when the key would lead out of the bucket, `File` when the folder cannot be created.
    pub(crate) fn create_folder(&self, key: &str) -> Result<PathBuf, TransferError> {
        let path = self.path(key)?;
        let mut folder = self.folder.clone();
        for part in path
            .strip_prefix(&self.folder)
            .unwrap_or(&path)
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
        Ok(path)
    }

    /// Creates an object, which must not exist. Links are not followed.
    ///
    /// # Errors
    /// `Name` when the key would lead out of the bucket, `File` when the object exists or cannot be
    /// created.
    pub(crate) fn create(&self, key: &str) -> Result<(PathBuf, File), TransferError> {
        let path = self.path(key)?;
        let created = OpenOptions::new().write(true).create_new(true).open(&path);
        let file = created.map_err(TransferError::file(&path))?;
        Ok((path, file))
    }

    /// Opens an object that [`Bucket::objects`] found. Links are not followed.
    pub(crate) fn read(&self, path: &Path) -> std::io::Result<File> {
        let within = path.strip_prefix(&self.folder).unwrap_or(path);
        let mut folder = self.folder.clone();
        for part in within.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            if !is_real(&folder, Metadata::is_dir) {
                return Err(std::io::Error::other("a link leads to it"));
            }
        }
        open_file(path)
    }

    /// The path of an object.
    ///
    /// # Errors
    /// `Name` when the key would lead out of the bucket.
    fn path(&self, key: &str) -> Result<PathBuf, TransferError> {
        let key = key.trim_start_matches('/');
        if key.is_empty() || !is_inside(key) {
            return Err(TransferError::Name(key.to_owned()));
        }
        Ok(self.folder.join(key))
    }

    /// Lists the objects whose keys start with a prefix, in the order of their paths. Links and
    /// their targets are no objects.
    ///
    /// # Errors
    /// `File` when a folder cannot be read.
    pub(crate) fn objects(&self, prefix: &str) -> Result<Vec<PathBuf>, TransferError> {
        let prefix = prefix.trim_start_matches('/');
        let (mut found, mut folders) = (Vec::new(), vec![self.folder.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).map_err(TransferError::file(&folder))? {
                let entry = entry.map_err(TransferError::file(&folder))?;
                let path = entry.path();
                // The kind of the entry itself, not of a link's target.
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
        let root = tempfile::tempdir().unwrap();
        let outside = root.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret"), "secret").unwrap();
        let bucket = Bucket::open_or_create(root.path(), "b").unwrap();
        symlink(&outside, bucket.folder.join("folder")).unwrap();
        symlink(outside.join("secret"), bucket.folder.join("file")).unwrap();
        symlink(bucket.folder.join("self"), bucket.folder.join("self")).unwrap();
        std::fs::write(bucket.folder.join("own"), "").unwrap();
        assert_eq!(bucket.objects("").unwrap(), [bucket.folder.join("own")]);
        for path in ["file", "self", "folder/secret"] {
            assert!(bucket.read(&bucket.folder.join(path)).is_err(), "{path}");
        }
        assert!(bucket.create_folder("folder/x").is_err());
        assert!(bucket.create("file").is_err());
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
        assert!(bucket.create_folder("a/b/c").is_ok());
    }

    #[test]
    fn no_name_leads_out_of_a_bucket() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "..", "a/b", ".", "a\\b"] {
            assert!(
                matches!(
                    Bucket::open_or_create(folder.path(), name),
                    Err(TransferError::Name(_))
                ),
                "{name}"
            );
        }
        let bucket = Bucket::open_or_create(folder.path(), "b").unwrap();
        for key in ["../x", "a/../../x", "", "/"] {
            assert!(bucket.path(key).is_err(), "{key}");
        }
        assert!(bucket.path("a/b..c").is_ok());
        assert!(matches!(
            Bucket::open(folder.path(), "absent"),
            Err(TransferError::NoSuchBucket(_))
        ));
    }
}
