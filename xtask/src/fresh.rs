//! A fresh clone of the repository, in which the applications start as their READMEs say.
//!
//! The clone is made by git, so that a file which git lacks is missing. Packages of Node and of Python
//! are installed there. Rust programs are built there too, into the folder of what is built already:
//! files keep the times that they have here, and cargo builds what differs.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Clones a repository into an empty folder, with what is not committed yet.
pub(crate) fn clone(root: &Path, to: &Path) -> Result<(), String> {
    if to.exists() {
        std::fs::remove_dir_all(to)
            .map_err(|error| format!("cannot empty {}: {error}", to.display()))?;
    }
    let source = root.to_string_lossy();
    let target = to.to_string_lossy();
    git(root, &["clone", "--quiet", &source, &target])?;
    let status = ["status", "--porcelain", "--no-renames", "-z"];
    for changed in paths(root, &[&status[..], &["--untracked-files=all"]].concat())? {
        // Two letters for the state, and a space.
        let file = changed.get(3..).unwrap_or_default();
        transfer(&root.join(file), &to.join(file))
            .map_err(|error| format!("cannot copy {file}: {error}"))?;
    }
    for file in paths(to, &["ls-files", "-z", "--cached"])? {
        keep_time(&root.join(&file), &to.join(&file))
            .map_err(|error| format!("cannot date {file}: {error}"))?;
    }
    Ok(())
}

/// Makes a file as it is elsewhere, or deletes it where it is not there.
fn transfer(from: &Path, into: &Path) -> std::io::Result<()> {
    if !from.exists() {
        return std::fs::remove_file(into);
    }
    into.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::copy(from, into)?;
    keep_time(from, into)
}

/// Gives a file the time of its original.
fn keep_time(original: &Path, copy: &Path) -> std::io::Result<()> {
    // A file that is deleted and not committed is in neither folder.
    if !copy.is_file() {
        return Ok(());
    }
    let time = std::fs::metadata(original)?.modified()?;
    File::options().append(true).open(copy)?.set_modified(time)
}

/// The paths that git lists, each behind a zero.
fn paths(folder: &Path, arguments: &[&str]) -> Result<Vec<String>, String> {
    let listed = git(folder, arguments)?;
    Ok(listed.split_terminator('\0').map(str::to_owned).collect())
}

/// What git says in a folder.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run git: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!(
            "git {} fails: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// The one command that the README of an application names for its start, run in the clone.
pub(crate) fn command(root: &Path, name: &str, target: &Path) -> Result<Command, String> {
    let readme: PathBuf = root.join("examples").join(name).join("README.md");
    let text = std::fs::read_to_string(&readme)
        .map_err(|error| format!("cannot read {}: {error}", readme.display()))?;
    // The first block of commands.
    let line = text
        .lines()
        .skip_while(|line| *line != "```sh")
        .nth(1)
        .unwrap_or_default();
    let wanted = format!("cargo xtask examples run {name}");
    if line != wanted {
        return Err(format!("its README begins with {line:?}, not {wanted}"));
    }
    let mut shell = Command::new("sh");
    shell
        .current_dir(root)
        // The program takes the place of the shell, and gets its signals.
        .args(["-c", &format!("exec {line}")])
        .env("CARGO_TARGET_DIR", target);
    Ok(shell)
}
