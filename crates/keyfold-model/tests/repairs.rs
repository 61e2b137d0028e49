//! Repairs: each one that is shown helps, and changes no more than it must.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use keyfold_model::diagnostic::apply;
use keyfold_model::{Diagnostic, RULES, Severity, compile};
use std::collections::HashSet;
use std::path::Path;

/// The wrong models: golden scripts and examples of the rules.
fn wrong_models() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testscripts");
    let scripts = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let scripts = scripts.filter(|path| path.extension().is_some_and(|found| found == "keyfold"));
    let mut all: Vec<String> = scripts
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    all.sort();
    all.extend(RULES.iter().map(|rule| rule.failing.to_owned()));
    all
}

fn count(found: &[Diagnostic], wanted: &Diagnostic) -> usize {
    let same = |one: &&Diagnostic| one.code == wanted.code && one.message == wanted.message;
    found.iter().filter(same).count()
}

/// The lines of a text, without the lines that another text has, too.
fn only_in<'t>(text: &'t str, other: &str) -> Vec<&'t str> {
    let known: HashSet<&str> = other.split_inclusive('\n').collect();
    text.split_inclusive('\n')
        .filter(|line| !known.contains(line))
        .collect()
}

#[test]
fn each_repair_that_is_shown_removes_its_finding_and_leaves_other_lines() {
    let mut tried = 0;
    for source in wrong_models() {
        for source in [
            source.clone(),
            source.replace('\n', "\r\n"),
            source.replace("\n  ", "\n\t"),
        ] {
            let compiled = compile(&source);
            for one in &compiled.diagnostics {
                for help in one.help.iter().filter(|help| !help.edits.is_empty()) {
                    assert!(!help.lines.is_empty(), "{one:?}");
                    let text = apply(&source, &help.edits);
                    let again = compile(&text);
                    assert!(
                        count(&again.diagnostics, one) < count(&compiled.diagnostics, one),
                        "{}: {:?}\n{text}",
                        one.message,
                        help.lines
                    );
                    assert!(only_in(&source, &text).len() <= help.edits.len());
                    assert_eq!(source.contains("\r\n"), text.contains("\r\n"));
                    assert_eq!(source.contains("\n\t"), text.contains("\n\t"));
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 150, "{tried}");
}

/// Carries out repairs one after the other, as `keyfold check --fix` does.
#[test]
fn repairs_end_and_leave_fewer_errors() {
    let errors = |text: &str| {
        let found = compile(text).diagnostics;
        found
            .into_iter()
            .filter(|one| one.severity == Severity::Error)
            .collect::<Vec<_>>()
    };
    for source in wrong_models() {
        let (mut text, before) = (source.clone(), errors(&source));
        for _ in 0..40 {
            let found = errors(&text);
            let Some(one) = found.iter().find(|one| !one.edits().is_empty()) else {
                break;
            };
            text = apply(&text, one.edits());
        }
        let after = errors(&text);
        assert!(
            after.iter().all(|one| one.edits().is_empty()),
            "repairs do not end:\n{text}"
        );
        let left = after.iter().filter(|one| count(&before, one) > 0).count();
        assert!(left <= before.len());
    }
}

#[test]
fn an_added_line_stands_behind_comments_and_is_aligned() {
    let source = "model m 1\ntable Tab (PK, SK)  # one table\nentity User\n    id: string, city: string   # where\n    key     \"USER#{id}\"    \"PROFILE\"   # its key\n\npattern in_city(city) -> User[] page 5\n";
    let compiled = compile(source);
    let text = apply(source, compiled.diagnostics[0].edits());
    let expected = source
        .replace(
            "# one table\n",
            "# one table\n  gsi GSI1 (GSI1PK, GSI1SK)\n",
        )
        .replace(
            "# its key\n",
            "# its key\n    GSI1  \"CITY#{city}\"  \"USER#{id}\"\n",
        );
    assert_eq!(text, expected);
}

fn help(source: &str) -> Vec<String> {
    let found = compile(source).diagnostics;
    found
        .iter()
        .flat_map(Diagnostic::help_lines)
        .map(str::to_owned)
        .collect()
}

const HEAD: &str = "model m 1\ntable Tab (PK, SK)\n  gsi GSI1 (A, B)\n";

#[test]
fn a_pattern_on_an_optional_attribute_asks_for_it_first() {
    let entity =
        "entity User\n  id: string, city: string, note: string?\n  key \"USER#{id}\" \"P\"\n";
    let source = format!(
        "{HEAD}{entity}  GSI1 \"CITY#{{city}}\" \"{{note}}\"\npattern in_city(city) -> User[] page 5\n"
    );
    let found = help(&source);
    assert_eq!(found[0], "ask only for the items with it: `where note`");
    assert_eq!(found[1], "or make `note` required: remove its `?`");
    assert!(found[2].starts_with("add to User"), "{found:?}");
    let sparse = format!(
        "{HEAD}{}  GSI1 \"CITY#{{city}}\" \"{{id}}\" sparse when state = \"in-use\"\npattern in_city(city) -> User[] page 5\n",
        entity.replace("note: string?", "state: \"in-use\" | old")
    );
    assert_eq!(
        help(&sparse)[0],
        "ask only for the items with it: `where state = \"in-use\"`"
    );
}

/// Help that the language refuses: names that are no words, copies that cannot change.
#[test]
fn impossible_help_is_not_shown() {
    let greatest = format!(
        "{HEAD}entity Shop\n  shop: string\n  key \"SHOP#{{shop}}\" \"S\"\n  max best of Item.\"the-price\"\nentity Item\n  id: string, shop: Shop.shop, \"the-price\": int\n  key \"ITEM#{{id}}\" \"I\"\n"
    );
    let found = help(&greatest);
    assert_eq!(
        found[0],
        "add a copy to Item: `copy by_the_price \"SHOP#{shop}\" \"ITEM#{the-price:010:signed}#{id}\"`"
    );
    let copies = format!(
        "{HEAD}entity Order\n  u: string, o: string\n  key \"U#{{u}}\" {{o}}\nentity Item\n  u: string, i: string\n  key \"X#{{i}}\" \"I\"\n  copy by \"U#{{u}}\" \"I#{{i}}\"\npattern orders(u) -> Order[] page 9\n"
    );
    let found = help(&copies);
    assert!(
        found.iter().all(|line| !line.contains("first texts")),
        "{found:?}"
    );
}

/// A long text with many mistakes is not compiled once for each of them.
#[test]
fn trying_takes_a_bounded_time() {
    let entity =
        |n: usize| format!("entity E{n}\n  id{n}: string\n  key \"E{n}#{{di{n}}}\" \"X\"\n");
    let source = format!("{HEAD}{}", (0..400).map(entity).collect::<String>());
    let compiled = compile(&source);
    let with_help = compiled
        .diagnostics
        .iter()
        .filter(|one| !one.edits().is_empty())
        .count();
    assert!((1..=20).contains(&with_help), "{with_help}");
}

/// A tool adds the comma between two parameters; a person sees whether a type was meant.
#[test]
fn a_comma_is_added_between_two_parameters() {
    for (parameters, repaired) in [
        (
            "id title",
            Some("pattern notes(id, title) -> Note[] page 5"),
        ),
        ("id string", None),
        ("id Note", None),
    ] {
        let source = format!(
            "{HEAD}entity Note\n  id: string, title: string\n  key \"N#{{id}}\" \"{{title}}\"\npattern notes({parameters}) -> Note[] page 5\n"
        );
        let found = compile(&source).diagnostics;
        let error = found.iter().find(|one| one.message == "expected `)`");
        let edits = error.unwrap().edits();
        let text = apply(&source, edits);
        let last = text.lines().last().filter(|_| !edits.is_empty());
        assert_eq!(last, repaired, "{parameters}");
    }
}

#[test]
fn a_field_is_closed_behind_the_attribute_that_is_meant() {
    let source = format!(
        "{HEAD}entity Note\n  id: string, \"id-no\": string\n  key \"N#{{id-no#{{id}}\" \"N\"\n"
    );
    let found = compile(&source).diagnostics;
    assert_eq!(found[0].message, "the field {id-no} is not closed");
    let text = apply(&source, found[0].edits());
    assert!(text.contains("key \"N#{id-no}#{id}\" \"N\"\n"), "{text}");
    // An attribute may have such a name.
    let source = source.replace("id-no\"", "id-no#{id\"");
    assert!(compile(&source).model.is_some());
}
