//! End-to-end tests with real clients, and those of our clients in other languages. Their packages
//! come from lock files into ignored folders; a tool that is missing fails the tests.

use crate::install::{keyfold, node, npm, python, target};
use crate::{builds, execute};
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

/// The number of random models that are drawn and proved through each client; one of eight compiles.
const RANDOM_MODELS: &str = "120";

/// The number of rows of each entity of them.
const RANDOM_ITEMS: &str = "6";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("e2e");
    let python = python(&folder)?;
    node(&folder)?;
    let binary = keyfold(root)?;
    let models = drawn_models(root, &target(root))?;
    let mut boto3 = Command::new(&python);
    boto3
        .current_dir(&folder)
        .args(["-m", "unittest", "--verbose"])
        .env("KEYFOLD_BIN", &binary);
    let boto3 = execute(&mut boto3);
    let mut javascript = Command::new("node");
    javascript
        .current_dir(&folder)
        .args(["--test", "--test-timeout=120000"])
        .args(JAVASCRIPT);
    let javascript = execute(
        javascript
            .env("KEYFOLD_BIN", &binary)
            .env("KEYFOLD_MODELS", &models)
            .env("NODE_NO_WARNINGS", "1"),
    );
    // A run shows everything that is wrong.
    let all = [
        boto3,
        javascript,
        typescript(root, &binary),
        python_package(root, &binary, &models),
        editors(&root.join("editors"), &binary),
        crate::web::test(root, &binary),
        languages(root, &python, (&binary, &models)),
    ];
    let failed: Vec<String> = all.into_iter().filter_map(Result::err).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("; "))
    }
}

/// The programs of the documents, each in a project of its own that depends on the crate.
pub(crate) fn quick_starts(root: &Path) -> Result<(), String> {
    let binary = keyfold(root)?;
    let mut tests = Command::new("python3");
    tests
        .current_dir(root.join("e2e"))
        .args(["-m", "unittest", "--verbose", "rust_package"])
        .env("KEYFOLD_BIN", &binary);
    execute(&mut tests)
}

/// The clients of all languages side by side, by the programs that the tests above have built: equal
/// requests, what one writes, the others read, and who may read while a design changes.
fn languages(root: &Path, python: &Path, (binary, models): (&Path, &Path)) -> Result<(), String> {
    let mut tests = Command::new(python);
    tests
        .current_dir(root.join("e2e"))
        .args([
            "-m",
            "unittest",
            "--verbose",
            "parity",
            "across",
            "functions",
            "versions",
        ])
        .env("KEYFOLD_MODELS", models)
        .env("KEYFOLD_BIN", binary);
    execute(&mut tests)
}

/// The package for TypeScript: its types, its tests, and the proof of each model and of random ones
/// through it.
fn typescript(root: &Path, binary: &Path) -> Result<(), String> {
    let folder = root.join("clients").join("typescript");
    node(&folder)?;
    npm(&folder, "check", binary)?;
    npm(&folder, "test", binary)?;
    // Tests of a package run in its folder.
    prove_random_models(
        root,
        "node ../../clients/typescript/built/lockstep.mjs --generated",
    )
}

/// The package for Python: its tests, which prove each model through it, and the proof of random
/// models.
fn python_package(root: &Path, binary: &Path, models: &Path) -> Result<(), String> {
    let folder = root.join("clients").join("python");
    let mut tests = Command::new(python(&folder)?);
    tests
        .current_dir(&folder)
        .args(["-m", "pytest", "--quiet"])
        .env("KEYFOLD_MODELS", models)
        .env("KEYFOLD_BIN", binary);
    execute(&mut tests)?;
    let package = "../../clients/python";
    let through = format!("{package}/.venv/bin/python {package}/tests/lockstep.py --generated");
    prove_random_models(root, &through)?;
    prove_random_models(root, &format!("{through} --async"))
}

/// The language server with clients that people have: one in Python that checks the protocol, Neovim,
/// Emacs, and the extension of VS Code as it is packed.
fn editors(folder: &Path, binary: &Path) -> Result<(), String> {
    let tests = folder.join("tests");
    let mut clients = Command::new(python(&tests)?);
    clients
        .current_dir(&tests)
        .args(["-m", "pytest", "--quiet"])
        .env("KEYFOLD_BIN", binary);
    execute(&mut clients)?;
    let extension = folder.join("vscode");
    node(&extension)?;
    npm(&extension, "test", binary)
}

/// Proves random models through the client that a command starts.
fn prove_random_models(root: &Path, through: &str) -> Result<(), String> {
    let mut random = random_models(root)?;
    random
        .env("RANDOM_MODELS", RANDOM_MODELS)
        .env("RANDOM_ITEMS", RANDOM_ITEMS)
        .env("THROUGH", through);
    execute(&mut random)
}

/// The test of random models, in its package's folder, as cargo runs it.
fn random_models(root: &Path) -> Result<Command, String> {
    let folder = root.join("crates").join("keyfold-prove");
    let mut test = Command::new(builds::random_models(root)?);
    test.env("CARGO_MANIFEST_DIR", &folder)
        .current_dir(folder)
        .arg("--quiet");
    Ok(test)
}

/// The random models that are drawn for generated clients; some hundred are refused by the compiler.
const MODELS_DRAWN: &str = "300";

/// A folder of random models, for tests of what is generated of models.
fn drawn_models(root: &Path, target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("random-models");
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut draw = random_models(root)?;
    draw.env("RANDOM_MODELS", MODELS_DRAWN)
        .env("RANDOM_MODELS_DIR", &folder);
    execute(&mut draw)?;
    Ok(folder)
}
