//! A fresh clone of the repository, in which the applications are started.
//!
//! It is `git clone` of the commit that is checked out, over which the changes lie that are not committed
//! yet: files that were changed, added or deleted, but none that git ignores. So what an application needs
//! and nobody has committed, or would commit, is missing there.

use crate::execute;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Clones the repository into a folder, which is emptied first. The packages for clients are those of the
/// repository, which are built already.
pub(crate) fn clone(root: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: Error| format!("cannot make {}: {error}", to.display());
    if to.exists() {
        std::fs::remove_dir_all(to).map_err(failed)?;
    }
    execute(
        Command::new("git")
            .args(["clone", "--quiet", "--depth", "1", "--no-tags"])
            .arg(format!("file://{}", root.display()))
            .arg(to),
    )?;
    for file in uncommitted(root)? {
        lay(&root.join(&file), &to.join(&file))
            .map_err(|error| format!("cannot copy {}: {error}", file.display()))?;
    }
    let clients = to.join("clients");
    std::fs::remove_dir_all(&clients).map_err(failed)?;
    std::os::unix::fs::symlink(root.join("clients"), clients).map_err(failed)
}

/// The files that differ from those of the commit, and those that git would add.
fn uncommitted(root: &Path) -> Result<Vec<PathBuf>, String> {
    let changed = ["diff", "--name-only", "--no-renames", "-z", "HEAD"];
    let added = ["ls-files", "-z", "--others", "--exclude-standard"];
    let mut files = listed(root, &changed)?;
    files.extend(listed(root, &added)?);
    Ok(files)
}

fn listed(root: &Path, arguments: &[&str]) -> Result<Vec<PathBuf>, String> {
    let listed = Command::new("git")
        .current_dir(root)
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run git: {error}"))?;
    if !listed.status.success() {
        let why = String::from_utf8_lossy(&listed.stderr);
        return Err(format!("git lists no files: {why}"));
    }
    let text = String::from_utf8(listed.stdout)
        .map_err(|_| "git lists a file whose name is no UTF-8".to_owned())?;
    Ok(text.split_terminator('\0').map(PathBuf::from).collect())
}

/// Makes a file of the clone as it is here, or deletes it.
fn lay(from: &Path, into: &Path) -> Result<(), Error> {
    if !from.exists() {
        // One that was added and deleted again is in neither.
        return match into.exists() {
            true => std::fs::remove_file(into),
            false => Ok(()),
        };
    }
    into.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::copy(from, into).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(root: &Path, arguments: &[&str]) {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        let mut git = Command::new("git");
        execute(git.current_dir(root).args(settings).args(arguments)).unwrap();
    }

    #[test]
    fn a_clone_has_what_is_committed_and_what_would_be() {
        let folder = std::env::temp_dir().join(format!("keyfold-clone-{}", std::process::id()));
        let (root, to) = (folder.join("root"), folder.join("clone"));
        std::fs::create_dir_all(root.join("clients")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(root.join(file), text).unwrap();
        git(&root, &["init", "--quiet"]);
        write(".gitignore", "ignored\n");
        for file in ["committed", "changed", "deleted", "staged", "clients/one"] {
            write(file, "before");
        }
        git(&root, &["add", "."]);
        git(&root, &["commit", "--quiet", "--message", "Begin"]);
        write("changed", "now");
        write("staged", "now");
        git(&root, &["add", "staged"]);
        std::fs::remove_file(root.join("deleted")).unwrap();
        std::fs::create_dir(root.join("new")).unwrap();
        write("new/added", "now");
        write("ignored", "now");
        for _ in 0..2 {
            clone(&root, &to).unwrap();
            let read = |file: &str| std::fs::read_to_string(to.join(file)).ok();
            let found = ["committed", "changed", "staged", "new/added", "clients/one"].map(read);
            let wanted =
                ["before", "now", "now", "now", "before"].map(|text| Some(text.to_owned()));
            assert_eq!(found, wanted);
            assert_eq!(["deleted", "ignored"].map(read), [None, None]);
            // It is a repository of its own.
            assert_eq!(
                listed(&to, &["ls-files", "-z", "committed"]).unwrap().len(),
                1
            );
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
