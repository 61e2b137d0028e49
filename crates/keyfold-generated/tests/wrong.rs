//! Wrong programs on generated clients do not compile, and the compiler points at the mistake.
//!
//! All mistakes are in one file, since they are found by the same phase of the compiler: one run of it
//! shows all of them.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking, and the compiler is a program"
)]

use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The start of the comment behind a line with a mistake.
const MARK: &str = " //~ ";
/// The least number of wrong programs.
const PROGRAMS_MIN: usize = 60;

/// The lines of JSON that a program writes.
fn lines(output: &[u8]) -> impl Iterator<Item = Json> {
    let lines = std::str::from_utf8(output).unwrap().lines();
    lines.filter_map(|line| serde_json::from_str(line).ok())
}

/// The library with the clients, as Cargo built it beside this test: the newest, where there are
/// several.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let files = std::fs::read_dir(test.parent().unwrap()).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libkeyfold_generated-") && name.ends_with(".rlib")
    };
    let made = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    files.filter(is_library).max_by_key(made).unwrap()
}

/// A message whose types are written without their modules.
fn without_paths(message: &str) -> String {
    let modules = [
        "keyfold_generated::shop::",
        "keyfold_generated::case_answers::",
        "keyfold_generated::",
        "keyfold::typed::",
        "keyfold::",
        "std::result::",
    ];
    let shown = message.to_owned();
    modules
        .iter()
        .fold(shown, |shown, module| shown.replace(module, ""))
}

/// The errors of a program: their lines, with code and message.
fn errors(program: &Path) -> Vec<(u64, String)> {
    let mut rustc = Command::new("rustc");
    rustc
        .args(["--edition", "2024", "--crate-type", "lib"])
        .args(["--emit", "metadata", "--error-format", "json", "-o"])
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong.rmeta"))
        .arg(program);
    let library = library();
    let folder = library.parent().unwrap().display();
    rustc
        .arg("--extern")
        .arg(format!("keyfold_generated={}", library.display()))
        .arg("-L")
        .arg(format!("dependency={folder}"));
    let done = rustc.output().unwrap();
    assert!(!done.status.success(), "the wrong programs compile");
    let mut errors = Vec::new();
    for error in lines(&done.stderr) {
        let code = error.pointer("/code/code").and_then(Json::as_str);
        let (Some(code), Some("error")) = (code, error.get("level").and_then(Json::as_str)) else {
            continue;
        };
        let spans = error.get("spans").and_then(Json::as_array).unwrap();
        let primary = spans
            .iter()
            .find(|span| span["is_primary"] == true)
            .unwrap();
        let message = match error["message"].as_str().unwrap() {
            "mismatched types" => primary["label"].as_str().unwrap(),
            message => message,
        };
        let message = without_paths(message);
        errors.push((
            primary["line_start"].as_u64().unwrap(),
            format!("{code} {message}"),
        ));
    }
    errors
}

#[test]
fn the_compiler_points_at_each_mistake() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong/programs.rs");
    let text = std::fs::read_to_string(&program).unwrap();
    let marked = (1_u64..).zip(text.lines());
    let marked = marked.filter_map(|(number, line)| Some((number, line.split_once(MARK)?.1)));
    let expected: BTreeMap<u64, &str> = marked.collect();
    assert!(expected.len() >= PROGRAMS_MIN, "{}", expected.len());
    let found = errors(&program);
    for (number, error) in &found {
        let expected = expected.get(number).unwrap_or(&"no mistake");
        assert!(
            error.starts_with(expected),
            "line {number}: {error}, expected {expected}"
        );
    }
    let found: BTreeSet<u64> = found.into_iter().map(|(number, _)| number).collect();
    let silent: Vec<_> = expected
        .iter()
        .filter(|(number, _)| !found.contains(number))
        .collect();
    assert!(silent.is_empty(), "these compile: {silent:?}");
}
