//! Reads the files of a model: the first one, and those that it uses. The compiler does not: it is
//! handed their texts. Programs, the command and build scripts read them here alike.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of this crate that reads files"
)]

use crate::sources::{Loaded, Sources};
use std::io;
use std::path::Path;

/// Reads a file with a model, and the files that it uses. A used file that cannot be read, or that
/// lies outside of the folder of the first one, is an error of the compiler.
///
/// Links are followed: the first file's own folder is that of the file it leads to, and a file under
/// two names is one file.
///
/// # Errors
/// Those of reading the first file.
pub fn read(path: &Path) -> io::Result<Sources> {
    let text = std::fs::read_to_string(path)?;
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

/// The file of a name below a folder, or the reason why it cannot be read.
fn used(folder: &Path, name: &str) -> Result<Loaded, String> {
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
        text: std::fs::read_to_string(&target).map_err(failed)?,
        identity: identity(&target),
    })
}

fn identity(path: &Path) -> String {
    path.display().to_string()
}
