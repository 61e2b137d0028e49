//! End-to-end tests with real clients, and those of our clients in other languages. Their packages
//! come from lock files into ignored folders; a tool that is missing fails the tests.

use crate::execute;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tests with the SDK for JavaScript, and in a browser.
const JAVASCRIPT: [&str; 6] = [
    "sdk.test.mjs",
    "presigned.test.mjs",
    "pages.test.mjs",
    "documents.test.mjs",
    "generated.test.mjs",
    "runtimes.test.mjs",
];

/// The number of random models that are proved through each client.
const RANDOM_MODELS: &str = "40";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("e2e");
    let python = python(&folder)?;
    node(&folder)?;
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    execute(
        build
            .current_dir(root)
            .args(["build", "--quiet", "--package", "keyfold-cli"]),
    )?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let binary = target.join("debug").join("keyfold");
    let models = random_models(root, &target)?;
    let mut boto3 = Command::new(&python);
    boto3
        .current_dir(&folder)
        .args(["-m", "unittest", "--verbose"])
        .env("KEYFOLD_BIN", &binary);
    execute(&mut boto3)?;
    let mut javascript = Command::new("node");
    javascript
        .current_dir(&folder)
        .args(["--test", "--test-timeout=120000"])
        .args(JAVASCRIPT);
    execute(
        javascript
            .env("KEYFOLD_BIN", &binary)
            .env("KEYFOLD_MODELS", &models)
            .env("NODE_NO_WARNINGS", "1"),
    )?;
    typescript(&root.join("clients").join("typescript"), &binary)?;
    shop(&root.join("examples").join("shop-typescript"), &binary)?;
    python_package(&root.join("clients").join("python"), &binary, &models)?;
    python_example(root, &binary)?;
    languages(root, &python, (&binary, &models))
}

/// The clients of all languages side by side, by the programs that the tests above have built: equal
/// requests, and what one writes, the others read.
fn languages(root: &Path, python: &Path, (binary, models): (&Path, &Path)) -> Result<(), String> {
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    let example = ["--package", "keyfold-prove", "--example", "calls"];
    build
        .current_dir(root)
        .args(["build", "--quiet"])
        .args(example);
    execute(&mut build)?;
    let mut tests = Command::new(python);
    tests
        .current_dir(root.join("e2e"))
        .args(["-m", "unittest", "--verbose", "parity", "across"])
        .env("KEYFOLD_MODELS", models)
        .env("KEYFOLD_BIN", binary);
    execute(&mut tests)
}

/// The package for TypeScript: its types, its tests, and the proof of each model and of random ones
/// through it.
fn typescript(folder: &Path, binary: &Path) -> Result<(), String> {
    node(folder)?;
    for script in ["check", "test"] {
        let mut npm = Command::new("npm");
        npm.current_dir(folder)
            .args(["run", "--silent", script])
            .env("KEYFOLD_BIN", binary);
        execute(&mut npm)?;
    }
    // Tests of a package run in its folder.
    prove_random_models(folder, "node ../../clients/typescript/built/lockstep.mjs")
}

/// The example of a program on the package for TypeScript, which is built by now.
fn shop(folder: &Path, binary: &Path) -> Result<(), String> {
    node(folder)?;
    let mut npm = Command::new("npm");
    npm.current_dir(folder)
        .args(["run", "--silent", "test"])
        .env("KEYFOLD_BIN", binary);
    execute(&mut npm)
}

/// The package for Python: its tests, which prove each model through it, and the proof of random
/// models.
fn python_package(folder: &Path, binary: &Path, models: &Path) -> Result<(), String> {
    let mut tests = Command::new(python(folder)?);
    tests
        .current_dir(folder)
        .args(["-m", "pytest", "--quiet"])
        .env("KEYFOLD_MODELS", models)
        .env("KEYFOLD_BIN", binary);
    execute(&mut tests)?;
    let package = "../../clients/python";
    let through = format!("{package}/.venv/bin/python {package}/tests/lockstep.py");
    prove_random_models(folder, &through)?;
    prove_random_models(folder, &format!("{through} --async"))
}

/// The example in Python: its tests, on the package's sources and with its tools.
fn python_example(root: &Path, binary: &Path) -> Result<(), String> {
    let package = root.join("clients").join("python");
    let sources = package.join("src");
    let mut tests = Command::new(python(&package)?);
    tests
        .current_dir(root.join("examples").join("myapp-python"))
        .args(["-m", "pytest", "--quiet"])
        .env("PYTHONPATH", &sources)
        .env("MYPYPATH", &sources)
        .env("KEYFOLD_BIN", binary);
    execute(&mut tests)
}

/// Proves random models through the client that a command starts.
fn prove_random_models(folder: &Path, through: &str) -> Result<(), String> {
    let mut random = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    random
        .current_dir(folder)
        .args(["test", "--quiet", "--package", "keyfold-prove"])
        .args(["--test", "random_models"])
        .env("RANDOM_MODELS", RANDOM_MODELS)
        .env("THROUGH", through);
    execute(&mut random)
}

/// The random models that are drawn for generated clients; some hundred are refused by the compiler.
const MODELS_DRAWN: &str = "300";

/// A folder of random models, for tests of what is generated of models.
fn random_models(root: &Path, target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("random-models");
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut draw = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    let test = ["--package", "keyfold-prove", "--test", "random_models"];
    draw.current_dir(root)
        .args(["test", "--quiet"])
        .args(test)
        .env("RANDOM_MODELS", MODELS_DRAWN)
        .env("RANDOM_MODELS_DIR", &folder);
    execute(&mut draw)?;
    Ok(folder)
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

fn python(folder: &Path) -> Result<PathBuf, String> {
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

fn node(folder: &Path) -> Result<(), String> {
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
