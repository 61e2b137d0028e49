//! The house rule about files that stand in several applications: their copies are the same.
//!
//! Each application in TypeScript or Python can be taken out of the repository, so that none imports from another one.

use std::path::Path;

/// The folders of the applications in Python, and of their tests.
const PYTHON: &[&str] = &["bookmarks/bookmarks", "myapp/myapp", "orders/orders"];
const PYTHON_TESTS: &[&str] = &["bookmarks/tests", "myapp/tests", "orders/tests"];
const TYPESCRIPT: &[&str] = &["santa/src", "shop/src"];
const JAVASCRIPT_TESTS: &[&str] = &["web/test", "santa/test", "shop/test"];
/// The applications in Python with pages that a browser is needed for.
const PYTHON_PAGES: &[&str] = &["bookmarks/tests", "orders/tests"];

/// The files, and the folders in `examples` that have them.
const COPIES: &[(&str, &[&str])] = &[
    ("said.py", PYTHON),
    ("names.py", PYTHON),
    ("described.py", PYTHON_TESTS),
    ("said.ts", TYPESCRIPT),
    ("unread.ts", TYPESCRIPT),
    ("names.ts", TYPESCRIPT),
    ("cost.ts", TYPESCRIPT),
    ("weighed.mjs", JAVASCRIPT_TESTS),
    ("weighed.py", PYTHON_PAGES),
];

/// Adds a fault for each copy that differs from the first one.
///
/// # Errors
/// When a copy cannot be read.
pub(crate) fn check(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    for (name, folders) in COPIES {
        let mut first: Option<(&str, String)> = None;
        for folder in *folders {
            let path = root.join("examples").join(folder).join(name);
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            match &first {
                None => first = Some((folder, text)),
                Some((of, other)) if *other != text => faults.push(format!(
                    "examples/{folder}/{name}: differs from its copy in examples/{of}; change both"
                )),
                Some(_) => {}
            }
        }
    }
    Ok(())
}
