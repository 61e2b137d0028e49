//! Which file of TypeScript takes names from which. What a program loads later (`import(..)`) is no arrow: it is
//! how a rare part of the runtime comes behind the common one that calls it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The arrows between the files below a folder.
pub(crate) fn arrows(folder: &Path) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let Ok(entries) = std::fs::read_dir(folder.join(&below)) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if path.is_dir() {
                open.push(format!("{below}{name}/"));
            } else if let Some(stem) = stem(&name) {
                let failed = |error| format!("cannot read {}: {error}", path.display());
                let code = std::fs::read_to_string(&path).map_err(failed)?;
                all.insert(format!("{below}{stem}"), named(&below, &code));
            }
        }
    }
    Ok(all)
}

/// The name of a file without its ending, if that is TypeScript's.
fn stem(name: &str) -> Option<&str> {
    name.strip_suffix(".ts")
        .or_else(|| name.strip_suffix(".tsx"))
}

/// The files that code in a folder names: `import .. from "./a.js"`, also of types alone, and `export .. from`.
fn named(below: &str, code: &str) -> BTreeSet<String> {
    code.split(" from \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|path| path.starts_with('.'))
        .map(|path| {
            let mut place: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
            for part in path.split('/') {
                match part {
                    "." => {}
                    ".." => {
                        place.pop();
                    }
                    part => place.push(part),
                }
            }
            let path = place.join("/");
            let path = path.strip_suffix(".js").unwrap_or(&path);
            stem(path).unwrap_or(path).to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_imports_and_not_by_what_is_loaded_later() {
        let code = "import type { A } from \"../a.js\";\nimport {\n  b,\n} from \"./b.js\";\n\
                    export { c } from \"../e/c.js\";\nimport fs from \"node:fs\";\n\
                    const d = await import(\"./d.js\");\n";
        let found = named("in/", code);
        assert_eq!(found.iter().collect::<Vec<_>>(), ["a", "e/c", "in/b"]);
    }
}
