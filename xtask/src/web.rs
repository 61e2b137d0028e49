//! The page of `keyfold workbench`: built from `web/` into the crate that embeds it, and tested in a
//! browser. Its packages come from a lock file into an ignored folder.

use crate::execute;
use crate::install::{node, npm_run};
use std::path::Path;

/// Builds the page, compressed.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let folder = root.join("web");
    node(&folder)?;
    // No binary has a part in it.
    execute(&mut npm_run(&folder, "build", Path::new("")))
}

/// Other places at which a part of the tests runs again: a server with credentials and TLS, a data folder, and another
/// engine.
const ELSEWHERE: [&str; 3] = ["secure", "folder", "moto"];

/// Whether the page is what `web/` builds, and its tests. The packages of the end-to-end tests are there.
pub(crate) fn test(root: &Path, binary: &Path) -> Result<(), String> {
    let folder = root.join("web");
    node(&folder)?;
    for script in ["check", "test"] {
        execute(&mut npm_run(&folder, script, binary))?;
    }
    for place in ELSEWHERE {
        let mut tests = npm_run(&folder, "elsewhere", binary);
        execute(tests.env("KEYFOLD_WEB_PLACE", place))?;
    }
    Ok(())
}
