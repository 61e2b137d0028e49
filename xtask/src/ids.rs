//! The house rule about the ids of the designs that the applications follow: each one stands in the name of a test that
//! shows it at work, and in that of one that shows what it refuses. So a gap is seen by looking for an id.
//!
//! What the ids are, `examples/README.md` says; which application has which, its own README does, in the first column
//! of a table.

use std::collections::BTreeSet;
use std::path::Path;

/// An application that asks and answers nobody, and refuses nothing.
const REFUSES_NOTHING: &[&str] = &["from-postgres"];

/// What stands in the name of a test of what is refused.
const REFUSED: &str = "refuse";

type Ids = BTreeSet<String>;

/// Adds a fault for each id without an application, and for each that an application has no test of.
///
/// # Errors
/// When a README or a test cannot be read.
pub(crate) fn check(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    let examples = root.join("examples");
    let all = in_first_column(&read(&examples.join("README.md"))?);
    let mut served = Ids::new();
    for folder in folders(&examples)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let Ok(readme) = std::fs::read_to_string(folder.join("README.md")) else {
            continue;
        };
        let own = in_first_column(&readme);
        let names = names_of_tests(&folder)?;
        let (refusals, others): (Vec<&String>, Vec<&String>) =
            names.iter().partition(|name| name.contains(REFUSED));
        faults.extend(missing(&name, &own, &others, "a test of it"));
        if !REFUSES_NOTHING.contains(&&*name) {
            faults.extend(missing(&name, &own, &refusals, "a test of what it refuses"));
        }
        served.extend(own);
    }
    let unserved = all.difference(&served);
    faults.extend(unserved.map(|id| format!("examples/README.md: {id} is in no application")));
    Ok(())
}

fn missing(name: &str, own: &Ids, tests: &[&String], what: &str) -> Vec<String> {
    let tested: Ids = tests.iter().flat_map(|name| ids(name)).collect();
    let without = own.difference(&tested);
    without
        .map(|id| format!("examples/{name}: {id} is in its README, and in no name of {what}"))
        .collect()
}

/// The ids in the first column of the tables of a text.
fn in_first_column(text: &str) -> Ids {
    let cells = text
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let only = |cell: &&str| words(cell).all(|word| word == "TO" || word == "AND" || is_id(&word));
    cells.filter(only).flat_map(ids).collect()
}

/// The ids that a text names, also by the first and the last of a range: `S1 to S9`, `m1_to_m7`.
fn ids(text: &str) -> Ids {
    let words: Vec<String> = words(text).collect();
    let mut found = Ids::new();
    for (at, word) in words.iter().enumerate() {
        if !is_id(word) {
            continue;
        }
        let end = match words.get(at + 1..at + 3) {
            Some([to, end]) if to == "TO" && is_id(end) => end,
            _ => word,
        };
        let ((kind, first), (_, last)) = (parts(word), parts(end));
        found.extend((first..=last).map(|number| format!("{kind}{number}")));
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_uppercase)
}

fn is_id(word: &str) -> bool {
    let (kind, number) = parts(word);
    ["A", "E", "ET", "M", "N", "S"].contains(&kind) && (1..=9).contains(&number)
}

/// The letters of an id and its number, which is 0 where there is none.
fn parts(word: &str) -> (&str, u32) {
    let at = word
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(word.len());
    let (kind, number) = word.split_at(at);
    (kind, number.parse().unwrap_or_default())
}

/// The names of the tests of an application, whatever they are written in.
fn names_of_tests(folder: &Path) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for tests in ["test", "tests"] {
        let Ok(files) = std::fs::read_dir(folder.join(tests)) else {
            continue;
        };
        for file in files.flatten().map(|entry| entry.path()) {
            let kind = file.extension().unwrap_or_default().to_string_lossy();
            let begins = match &*kind {
                "mjs" => "test(\"",
                "py" => "def test_",
                "rs" => "fn ",
                _ => continue,
            };
            let ends: &[char] = match &*kind {
                "mjs" => &['"'],
                _ => &['('],
            };
            names.extend(read(&file)?.lines().filter_map(|line| {
                let line = line.trim_start();
                let named = line.strip_prefix("async ").unwrap_or(line);
                let behind = named.strip_prefix(begins)?;
                behind.split(ends).next().map(str::to_owned)
            }));
        }
    }
    Ok(names)
}

fn folders(examples: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let entries = std::fs::read_dir(examples)
        .map_err(|error| format!("cannot read {}: {error}", examples.display()))?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    Ok(folders)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_alone_in_a_list_and_in_a_range() {
        let listed = |text: &str| ids(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(listed("S4 S5: a letter of S44 and HS1"), "S4 S5");
        assert_eq!(listed("m1_to_m3_what_is_wrong"), "M1 M2 M3");
        assert_eq!(listed("E6 to E7 and ET1 to ET2: x"), "E6 E7 ET1 ET2");
        let table = "| A1 | a |\n|---|---|\n| E1 to E2; ET1 is more | b |\nA2 | c\n| N1, N2 | d |";
        let found: Vec<String> = in_first_column(table).into_iter().collect();
        assert_eq!(found, ["A1", "N1", "N2"]);
    }

    #[test]
    fn an_id_without_a_test_or_without_a_refusal_is_a_fault() {
        let root = std::env::temp_dir().join(format!("keyfold-ids-{}", std::process::id()));
        let example = root.join("examples").join("one");
        std::fs::create_dir_all(example.join("test")).unwrap();
        std::fs::create_dir_all(example.join("tests")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(root.join(file), text).unwrap();
        write("examples/README.md", "| A1 to A3 | a |\n");
        write("examples/one/README.md", "| A1 | a |\n| A2 | b |\n");
        let names = "test(\"A1: it is there\", async () => {});\n// A2\n";
        write("examples/one/test/a.test.mjs", names);
        write(
            "examples/one/tests/b.py",
            "def test_a2_is_refused() -> None:",
        );
        let mut faults = Vec::new();
        check(&root, &mut faults).unwrap();
        std::fs::remove_dir_all(root).unwrap();
        assert_eq!(
            faults,
            [
                "examples/one: A2 is in its README, and in no name of a test of it",
                "examples/one: A1 is in its README, and in no name of a test of what it refuses",
                "examples/README.md: A3 is in no application",
            ]
        );
    }
}
