//! The places of generated clients: a file in the language, or a folder.

use keyfold_codegen::generate::Target;
use keyfold_model::Model;
use std::path::{Path, PathBuf};

/// The endings of source files that are none of another language's folders.
const ENDINGS: [&str; 11] = [
    "ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx", "py", "pyi", "rs",
];

/// The file of a client: the named one, or in a folder the one with the model's name.
pub(crate) fn of(model: &Model, target: Target, path: &Path) -> PathBuf {
    if is_file(target, path) {
        path.to_owned()
    } else {
        path.join(target.file_name(model))
    }
}

/// Refuses the name of a source file that is none of the client's language: it would become a folder.
///
/// # Errors
/// A sentence.
pub(crate) fn check(target: Target, path: &Path) -> Result<(), String> {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let is_source = ending.is_some_and(|ending| ENDINGS.contains(&&*ending.to_lowercase()));
    if !is_source || is_file(target, path) || path.is_dir() {
        return Ok(());
    }
    let word = target.word();
    Err(format!(
        "{} is no file of a client in {word}, whose name ends in .{}; name such a file, or a folder",
        path.display(),
        target.ending()
    ))
}

/// Whether a name is that of a file in the client's language.
fn is_file(target: Target, path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending == target.ending())
}
