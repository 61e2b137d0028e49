//! Reads the files of a model: the first one, and those that it uses. The compiler does not: it is
//! handed their texts. Programs, the command and build scripts read them here alike.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the one place of this crate that reads files"
)]

use crate::sources::{Loaded, Sources};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The most bytes of a file of a model, a hundred times those of a model of 5,000 entities.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Reads a file with a model, and the files that it uses. A used file that cannot be read, or that
/// lies outside of the folder of the first one, is an error of the compiler.
///
/// Links are followed: the first file's own folder is that of the file it leads to, and a file under
/// two names is one file.
///
/// # Errors
/// Those of reading the first file.
pub fn read(path: &Path) -> io::Result<Sources> {
    let text = text_of(path)?;
    // What has no path, like a pipe, uses no files of its folder.
    let own = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let load = |shown: &Path| {
        let root = Loaded {
            text: text.clone(),
            identity: identity(&own),
        };
        let folder = own.parent().unwrap_or(Path::new(""));
        Sources::load(&shown.display().to_string(), root, |name| {
            used(folder, name)
        })
    };
    let sources = load(path);
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
    // The used files lie beside the file that the link leads to.
    Ok(if is_link && sources.files().len() > 1 {
        load(&own)
    } else {
        sources
    })
}

/// The file of a name below a folder.
///
/// # Errors
/// The reason why it cannot be read, or why no model of the folder may use it.
pub fn used(folder: &Path, name: &str) -> Result<Loaded, String> {
    let path = folder.join(name);
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    let target = std::fs::canonicalize(&path).map_err(failed)?;
    if !target.starts_with(folder) {
        let target = target.display();
        return Err(format!(
            "{} leads to {target}, outside of the model's folder",
            path.display()
        ));
    }
    if !std::fs::metadata(&target).map_err(failed)?.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    Ok(Loaded {
        text: text_of(&target).map_err(failed)?,
        identity: identity(&target),
    })
}

/// The text of a file of a model. A file that is too large is refused before it fills the memory:
/// it is no model.
fn text_of(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(FILE_BYTES_MAX + 1);
    io::BufReader::new(read).read_to_string(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        let message = format!(
            "it has more than {FILE_BYTES_MAX} bytes, which is the most that a file of a model has"
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

fn identity(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_end_is_refused() {
        let place = std::env::temp_dir().join(format!("keyfold-files-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let (first, used) = (place.join("first.keyfold"), place.join("used.keyfold"));
        std::fs::write(&first, "model m 1\nowner a\nuse \"used.keyfold\"\n").unwrap();
        for file in [&used, &first] {
            // A sparse file: it takes no place on the disk.
            File::create(file)
                .unwrap()
                .set_len(FILE_BYTES_MAX + 1)
                .unwrap();
            let refused = match read(&first) {
                Err(error) => error.to_string(),
                Ok(sources) => format!("{:?}", crate::compile_sources(&sources).diagnostics),
            };
            assert!(refused.contains("the most that a file"), "{refused}");
        }
        std::fs::remove_dir_all(&place).unwrap();
    }
}
