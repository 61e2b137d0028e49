//! Packages from lock files in ignored folders, and the binary that tests run.

use crate::{builds, execute};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the command `keyfold`, unless everything is built, and returns where it is.
pub(crate) fn keyfold(root: &Path) -> Result<PathBuf, String> {
    builds::build(root, "keyfold")?;
    Ok(target(root).join("debug").join("keyfold"))
}

/// The folder of what is built.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Runs a script of a package, with the binary for its tests.
pub(crate) fn npm(folder: &Path, script: &str, binary: &Path) -> Result<(), String> {
    execute(&mut npm_run(folder, script, binary))
}

/// The command that runs a script of a package, with the binary for its tests.
pub(crate) fn npm_run(folder: &Path, script: &str, binary: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder)
        .args(["run", "--silent", script])
        .env("KEYFOLD_BIN", binary);
    npm
}

/// Installs and builds what the end-to-end tests and the applications use, so that they can run beside each other.
/// Returns the test program whose path [`builds::BUILT`] hands to them.
pub(crate) fn shared(root: &Path) -> Result<PathBuf, String> {
    let random_models = builds::all(root)?;
    let binary = keyfold(root)?;
    typescript(root, &binary)?;
    python(&root.join("clients").join("python"))?;
    python(&root.join("e2e"))?;
    node(&root.join("e2e"))?;
    Ok(random_models)
}

/// Builds the package for TypeScript, unless it is built of these sources already.
pub(crate) fn typescript(root: &Path, binary: &Path) -> Result<(), String> {
    let folder = root.join("clients").join("typescript");
    node(&folder)?;
    npm(&folder, "build", binary)
}

/// Whether what `lock` asks for is installed; `stamp` is a copy of the lock it was installed from.
fn is_current(lock: &Path, stamp: &Path) -> bool {
    matches!((std::fs::read(lock), std::fs::read(stamp)), (Ok(lock), Ok(stamp)) if lock == stamp)
}

fn stamped(lock: &Path, stamp: &Path) -> Result<(), String> {
    std::fs::copy(lock, stamp)
        .map(drop)
        .map_err(|error| format!("cannot write {}: {error}", stamp.display()))
}

/// The Python of a folder, with what its `requirements.txt` asks for.
pub(crate) fn python(folder: &Path) -> Result<PathBuf, String> {
    let venv = folder.join(".venv");
    let python = venv.join("bin").join("python");
    let (lock, stamp) = (folder.join("requirements.txt"), venv.join("installed.txt"));
    if !is_current(&lock, &stamp) {
        execute(
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&venv),
        )?;
        let mut install = Command::new(&python);
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--requirement",
        ]);
        execute(install.arg(&lock))?;
        stamped(&lock, &stamp)?;
    }
    Ok(python)
}

/// Installs what the `package-lock.json` of a folder asks for.
pub(crate) fn node(folder: &Path) -> Result<(), String> {
    let (lock, stamp) = (
        folder.join("package-lock.json"),
        folder.join("node_modules").join("installed.json"),
    );
    if is_current(&lock, &stamp) {
        return Ok(());
    }
    execute(Command::new("npm").current_dir(folder).args([
        "ci",
        "--no-audit",
        "--no-fund",
        "--silent",
    ]))?;
    stamped(&lock, &stamp)
}
