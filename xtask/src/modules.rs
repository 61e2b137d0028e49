//! The order of modules inside crates: which file takes names from which, that no arrow points up,
//! and that files do not go round in circles.

use crate::scripts;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules of a crate from the ground up: each may use those before it and, inside one, each
/// other. Crates that are not listed have no order; circles are found in all.
const ORDERS: &[(&str, &[&str])] = &[(
    "keyfold-engine",
    &[
        "base", "table", "catalog", "core", "check", "read", "item", "state_at", "window", "jobs",
        "ops", "doctor", "access", "dispatch", "engine",
    ],
)];

/// Circles that are known, by a folder and a file of each: none may be added.
const CIRCLES: &[(&str, &str)] = &[];

/// A file's module: `read::page`, of `src/read/page.rs`.
type Module = String;

/// Which module takes names from which.
type Arrows = BTreeMap<Module, BTreeSet<Module>>;

/// Checks the crates of a repository, and what is written in TypeScript.
pub(crate) fn check(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    for place in ["crates", "examples", ""] {
        for folder in folders(&root.join(place))? {
            let name = shown_path(root, &folder);
            let mut files = BTreeMap::new();
            collect(&folder.join("src"), "", &mut files)?;
            let arrows = arrows(&files);
            let order = name.strip_prefix("crates/").unwrap_or_default();
            faults.extend(upward(order, &arrows));
            faults.extend(round(&name, &arrows));
            faults.extend(round(&name, &scripts::arrows(&folder.join("src"))?));
        }
    }
    let client = root.join("clients/typescript/src");
    faults.extend(round("clients/typescript", &scripts::arrows(&client)?));
    Ok(())
}

/// The folders of a folder, by name.
fn folders(place: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("cannot read {}: {error}", place.display());
    let entries = std::fs::read_dir(place).map_err(failed)?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    Ok(folders)
}

fn shown_path(root: &Path, folder: &Path) -> String {
    let own = folder.strip_prefix(root).unwrap_or(folder);
    own.display().to_string()
}

/// A fault for each circle of files that is not known.
fn round(of: &str, arrows: &Arrows) -> Vec<String> {
    let is_known = |circle: &BTreeSet<Module>| {
        CIRCLES
            .iter()
            .any(|(known, file)| *known == of && circle.iter().any(|one| one == file))
    };
    let mut all = circles(arrows);
    all.retain(|circle| !is_known(circle));
    all.iter()
        .map(|circle| {
            let arrows = shown(circle, arrows);
            format!("{of}: these files go round in a circle: {arrows}")
        })
        .collect()
}

/// The code of each module, without its tests.
fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<Module, String>,
) -> Result<(), String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{stem}::"), files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            let code = text
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap_or_default()
                .to_owned();
            let module = if stem == "mod" {
                prefix.trim_end_matches("::").to_owned()
            } else {
                format!("{prefix}{stem}")
            };
            files.insert(module, code);
        }
    }
    Ok(())
}

/// What each file says `use crate::..` and `use super::..` of, or names with its whole path.
fn arrows(files: &BTreeMap<Module, String>) -> Arrows {
    let mut all = Arrows::new();
    for (module, code) in files
        .iter()
        .filter(|(module, _)| !matches!(module.as_str(), "lib" | "main"))
    {
        let is_folder = files
            .keys()
            .any(|other| other.starts_with(&format!("{module}::")));
        // A folder's own file names its modules without saying where they are.
        let start = format!("{module}::");
        let inside = files.keys().filter(|other| other.starts_with(&start));
        let named =
            inside.filter(|other| calls(code, other.get(start.len()..).unwrap_or_default()));
        let named: Vec<Module> = named.cloned().collect();
        all.entry(module.clone()).or_default().extend(named);
        for path in paths(code) {
            let found = target(module, is_folder, &path).and_then(|path| resolve(&path, files));
            if let Some(found) = found.filter(|found| found != module) {
                all.entry(module.clone()).or_default().insert(found);
            }
        }
    }
    all
}

/// Whether code takes a name of a module: `step::Draft`.
fn calls(code: &str, module: &str) -> bool {
    let start = format!("{module}::");
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let code = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.into_iter().any(|line| {
        let mut places = line.match_indices(&start);
        places.any(|(at, _)| !line.get(..at).unwrap_or_default().ends_with(is_word))
    })
}

/// The paths in `use` declarations, one for each name, and those that begin with `crate::` or
/// `super::` elsewhere.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    for piece in lines.split("use ").skip(1) {
        let declaration = piece.split(';').next().unwrap_or_default();
        if declaration.starts_with("crate::")
            || declaration.starts_with("super::")
            || declaration.starts_with("self::")
        {
            expand(
                "",
                &declaration.split_whitespace().collect::<String>(),
                &mut found,
            );
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in lines.match_indices(start) {
            let rest = lines.get(at..).unwrap_or_default();
            let path: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                .collect();
            found.push(path.trim_end_matches(':').to_owned());
        }
    }
    found
}

/// `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(prefix: &str, text: &str, found: &mut Vec<String>) {
    let Some((head, group)) = text.split_once('{') else {
        found.push(format!("{prefix}{}", text.trim_end_matches("::self")));
        return;
    };
    let (mut depth, mut piece) = (0_usize, String::new());
    let inside = group.rsplit_once('}').map_or(group, |(inside, _)| inside);
    for letter in inside.chars().chain([',']) {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == ',' && depth == 0 {
            if !piece.is_empty() {
                expand(
                    &format!("{prefix}{head}"),
                    &std::mem::take(&mut piece),
                    found,
                );
            }
        } else {
            piece.push(letter);
        }
    }
}

/// A path from the crate's root; none for one that leaves it.
fn target(module: &str, is_folder: bool, path: &str) -> Option<String> {
    if let Some(path) = path.strip_prefix("crate::") {
        return Some(path.to_owned());
    }
    let mut base: Vec<&str> = module.split("::").collect();
    let mut rest = path;
    if !path.starts_with("super::") {
        // A module inside this one, or a crate, which is no file.
        return is_folder.then(|| format!("{module}::{}", path.trim_start_matches("self::")));
    }
    while let Some(above) = rest.strip_prefix("super::") {
        base.pop()?;
        rest = above;
    }
    base.push(rest);
    Some(base.join("::"))
}

/// The file that a path leads into: the longest beginning that is a module.
fn resolve(path: &str, files: &BTreeMap<Module, String>) -> Option<Module> {
    let parts: Vec<&str> = path.split("::").collect();
    (1..=parts.len())
        .rev()
        .map(|many| parts.get(..many).unwrap_or_default().join("::"))
        .find(|one| files.contains_key(one))
}

/// Arrows that point up in a crate's order.
fn upward(name: &str, arrows: &Arrows) -> Vec<String> {
    let Some((_, order)) = ORDERS.iter().find(|(of, _)| *of == name) else {
        return Vec::new();
    };
    let first = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    let place = |module: &str| order.iter().position(|row| *row == first(module));
    let mut faults = Vec::new();
    for (from, all) in arrows {
        for to in all {
            match (place(from), place(to)) {
                (Some(low), Some(high)) if high > low => faults.push(format!(
                    "crates/{name}: {from} takes names from {to}, which lies above it; the order is in xtask/src/modules.rs"
                )),
                (None, _) => faults.push(format!("crates/{name}: {from} is not in the order of xtask/src/modules.rs")),
                _ => {}
            }
        }
    }
    faults
}

/// Files that reach themselves, each circle once.
fn circles(arrows: &Arrows) -> Vec<BTreeSet<Module>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> = arrows
        .keys()
        .map(|from| (from.as_str(), reached(from, arrows)))
        .collect();
    let mut found: Vec<BTreeSet<Module>> = Vec::new();
    for (from, all) in &reach {
        if !all.contains(from) || found.iter().any(|circle| circle.contains(*from)) {
            continue;
        }
        let is_in = |to: &&&str| reach.get(**to).is_some_and(|back| back.contains(from));
        found.push(
            all.iter()
                .filter(is_in)
                .map(|one| (*one).to_owned())
                .collect(),
        );
    }
    found
}

/// Every file that can be reached from one.
fn reached<'a>(from: &str, arrows: &'a Arrows) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&'a str> = arrows
        .get(from)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            open.extend(arrows.get(next).into_iter().flatten().map(String::as_str));
        }
    }
    seen
}

/// The arrows of a circle.
fn shown(circle: &BTreeSet<Module>, arrows: &Arrows) -> String {
    let each = circle.iter().flat_map(|from| {
        let to = arrows
            .get(from)
            .into_iter()
            .flatten()
            .filter(|to| circle.contains(*to));
        to.map(move |to| format!("{from} -> {to}"))
    });
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> BTreeMap<Module, String> {
        all.iter()
            .map(|(module, code)| ((*module).to_owned(), (*code).to_owned()))
            .collect()
    }

    #[test]
    fn an_arrow_that_points_up_is_found_however_it_is_written() {
        for code in [
            "use crate::ops::put;",
            "use crate::{\n    table::Table,\n    ops::{put, get},\n};",
            "use super::ops::put;",
            "fn f() {\n    crate::ops::put::run();\n}",
        ] {
            let found = upward(
                "keyfold-engine",
                &arrows(&files(&[
                    ("item", code),
                    ("ops::put", ""),
                    ("ops::get", ""),
                    ("ops", ""),
                    ("table", ""),
                ])),
            );
            assert!(
                found
                    .iter()
                    .any(|fault| fault.contains("item takes names from ops")),
                "{code}: {found:?}"
            );
        }
        let down = arrows(&files(&[
            ("ops::put", "use crate::item::plan;\n// crate::engine\n"),
            ("item::plan", ""),
            ("engine", ""),
        ]));
        assert!(upward("keyfold-engine", &down).is_empty(), "{down:?}");
        let unknown = arrows(&files(&[("other", "use crate::item;"), ("item", "")]));
        assert!(
            upward("keyfold-engine", &unknown)
                .concat()
                .contains("other is not in the order")
        );
    }

    #[test]
    fn circles_are_found_once_with_their_arrows() {
        let all = arrows(&files(&[
            ("a", "use crate::b::x;"),
            ("b", "use crate::c::{self, y};"),
            ("c", "use super::a;"),
            ("d", "use crate::a;"),
            ("e::one", "use super::two::z;"),
            ("e::two", "use super::one::z;"),
            ("f", "mod one;\n// two::z\nfn g() {\n    one::g();\n}"),
            ("f::one", "use super::two::z;"),
            ("f::two", "use crate::f::h;"),
        ]));
        let found = circles(&all);
        let names: Vec<Vec<&str>> = found
            .iter()
            .map(|one| one.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(
            names,
            [
                vec!["a", "b", "c"],
                vec!["e::one", "e::two"],
                vec!["f", "f::one", "f::two"]
            ]
        );
        assert_eq!(shown(&found[0], &all), "a -> b, b -> c, c -> a");
    }
}
