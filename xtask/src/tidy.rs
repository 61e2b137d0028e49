//! The house rules that a program can check: module headers, file and function sizes, who may
//! depend on whom, banned names, copies that are the same, and that no file names a machine.

use crate::{copies, ids, modules, say};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest file without its tests, in lines. Tables of data excepted below.
const FILE_LINES_MAX: usize = 700;
/// Longest file of tests, in lines: one more file of tests is one more program to link.
const TEST_FILE_LINES_MAX: usize = 800;
/// Longest function, in lines.
const FUNCTION_LINES_MAX: usize = 70;
/// The beginning of files that `keyfold generate rust` writes, which is held to rules of its own.
const GENERATED: &str = "// Made by keyfold";
/// Module names that say nothing.
const BANNED_NAMES: &[&str] = &[
    "utils", "util", "helpers", "helper", "common", "misc", "manager",
];
/// Functions that are tables: one line for each case.
const TABLE_FUNCTIONS: &[&str] = &["fmt"];

/// What each crate may depend on, top to bottom; nothing points up.
const ALLOWED: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("codec", &["types"]),
    ("expr", &["types", "codec"]),
    ("api", &["types", "codec", "expr"]),
    ("store", &["threads"]),
    ("sigv4", &[]),
    ("wire", &["types", "codec", "api"]),
    ("transfer", &["types", "codec", "wire"]),
    (
        "engine",
        &["types", "codec", "expr", "api", "store", "transfer"],
    ),
    ("server", &["types", "api", "wire", "engine", "sigv4"]),
    ("model", &["types"]),
    ("codegen", &["types", "wire", "model"]),
    ("lsp", &["model", "codegen"]),
    ("build", &["model", "codegen"]),
    ("lower", &["types", "api", "model", "wire"]),
    (
        "client",
        &[
            "types", "codec", "api", "engine", "model", "lower", "wire", "sigv4",
        ],
    ),
    (
        "workbench",
        &[
            "types", "codec", "api", "model", "codegen", "lsp", "lower", "client", "wire",
        ],
    ),
    (
        "stream",
        &["types", "codec", "api", "model", "lower", "client", "wire"],
    ),
    (
        "motion",
        &[
            "types", "codec", "api", "lower", "client", "stream", "transfer", "wire",
        ],
    ),
    (
        "evolve",
        &[
            "types", "codec", "api", "model", "lower", "client", "stream", "motion",
        ],
    ),
    (
        "relational",
        &[
            "types", "api", "model", "lower", "client", "stream", "motion",
        ],
    ),
    (
        "keyfold",
        &[
            "types", "api", "engine", "model", "lower", "client", "stream", "wire",
        ],
    ),
    (
        "prove",
        &[
            "types",
            "api",
            "engine",
            "model",
            "lower",
            "client",
            "codegen",
            "stream",
            "relational",
            "wire",
        ],
    ),
    (
        "cli",
        &[
            "types",
            "api",
            "engine",
            "server",
            "model",
            "codegen",
            "lsp",
            "workbench",
            "client",
            "prove",
            "stream",
            "threads",
            "motion",
            "evolve",
            "relational",
            "wire",
        ],
    ),
    ("workload", &["api", "engine", "wire"]),
    ("bench", &["api", "wire", "engine", "threads", "workload"]),
    (
        "fuzz",
        &[
            "types", "codec", "api", "engine", "wire", "sigv4", "model", "lsp",
        ],
    ),
    ("generated", &["build"]),
    ("testkit", &["types"]),
    ("threads", &[]),
    ("faults", &[]),
];

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut faults = Vec::new();
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
    {
        check_source(root, path, &mut faults)?;
    }
    check_dependencies(root, &mut faults)?;
    modules::check(root, &mut faults)?;
    copies::check(root, &mut faults)?;
    ids::check(root, &mut faults)?;
    check_paths(root, &mut faults)?;
    if faults.is_empty() {
        say(&format!("{} files follow the house rules", files.len()));
        return Ok(());
    }
    faults.iter().for_each(|fault| say(fault));
    Err(format!("{} faults", faults.len()))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            // Builds of workspaces of their own are no sources.
            if !path.ends_with("target") {
                collect(&path, files);
            }
        } else {
            files.push(path);
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn check_source(root: &Path, path: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    let text = read(path)?;
    if text.starts_with(GENERATED) {
        return Ok(());
    }
    let shown = path
        .strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string();
    if !text.starts_with("//!") {
        faults.push(format!(
            "{shown}: starts with a header `//!` that says what it is for"
        ));
    }
    let name = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let in_tests = shown.contains("/tests/");
    if BANNED_NAMES.contains(&name.as_str()) && !in_tests {
        faults.push(format!(
            "{shown}: `{name}` says nothing; name the module for what it holds"
        ));
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or(&text);
    let lines = code.lines().count();
    let most = if in_tests {
        TEST_FILE_LINES_MAX
    } else {
        FILE_LINES_MAX
    };
    if lines > most {
        faults.push(format!(
            "{shown}: {lines} lines without tests; split it at {most}"
        ));
    }
    if !in_tests {
        check_functions(&shown, code, faults);
    }
    Ok(())
}

/// Functions by their indentation: rustfmt puts the closing brace where the `fn` line began.
fn check_functions(shown: &str, code: &str, faults: &mut Vec<String>) {
    let mut open: Option<(usize, usize, String)> = None;
    for (at, line) in code.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        match &open {
            // A declaration without a body, whose signature takes several lines.
            Some((_, depth, _)) if line.ends_with(';') && indent == *depth => open = None,
            Some((start, depth, name)) if line.trim() == "}" && indent == *depth => {
                let lines = at - start + 1;
                if lines > FUNCTION_LINES_MAX && !TABLE_FUNCTIONS.contains(&name.as_str()) {
                    let place = start + 1;
                    faults.push(format!(
                        "{shown}:{place}: `{name}` has {lines} lines; split it at {FUNCTION_LINES_MAX}"
                    ));
                }
                open = None;
            }
            Some(_) => {}
            None => {
                let name = line.split_once("fn ").and_then(|(before, after)| {
                    let starts = before
                        .split_whitespace()
                        .all(|word| word.starts_with("pub") || matches!(word, "const" | "async"));
                    let name: String = after
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    (starts && !name.is_empty() && !line.ends_with(['}', ';'])).then_some(name)
                });
                open = name.map(|name| (at, indent, name));
            }
        }
    }
}

fn check_dependencies(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let entries =
        std::fs::read_dir(root.join("crates")).map_err(|error| format!("no crates: {error}"))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let folder = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let name = folder.strip_prefix("keyfold-").unwrap_or(&folder);
        let Some(may) = allowed.get(name) else {
            faults.push(format!(
                "crates/{folder}: not in the table of xtask/src/tidy.rs and ARCHITECTURE.md"
            ));
            continue;
        };
        let manifest = read(&path.join("Cargo.toml"))?;
        let shipped = manifest
            .split("[dev-dependencies]")
            .next()
            .unwrap_or(&manifest);
        for line in shipped.lines() {
            let Some(other) = line
                .strip_prefix("keyfold-")
                .and_then(|rest| rest.split(['.', ' ', '=']).next())
            else {
                continue;
            };
            if !may.contains(&other) {
                faults.push(format!(
                    "crates/{folder}: must not depend on keyfold-{other}"
                ));
            }
        }
    }
    Ok(())
}

/// Nothing committed names a machine's folders.
fn check_paths(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    let mut files = Vec::new();
    for folder in ["crates", "docs", "models", "xtask", ".ci"] {
        collect(&root.join(folder), &mut files);
    }
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "COMPAT.md",
        "CHANGELOG.md",
        "e2e/package-lock.json",
        "Cargo.lock",
    ] {
        files.push(root.join(name));
    }
    let machine = ["/ro", "ot/"].concat();
    let home = ["/ho", "me/"].concat();
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        for needle in [&machine, &home] {
            if text.contains(needle.as_str()) {
                faults.push(format!(
                    "{}: names the folder {needle} of a machine",
                    path.display()
                ));
            }
        }
    }
    Ok(())
}
