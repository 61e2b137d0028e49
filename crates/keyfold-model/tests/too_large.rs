//! Large models: the compiler takes time in proportion to their size, and refuses entities whose
//! items could not be changed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::{Severity, compile};

/// A model whose first entity has this number of attributes of a type, followed by lines of its
/// own.
fn wide(attributes: usize, kind: &str, lines: &str) -> String {
    let all: Vec<String> = (0..attributes)
        .map(|n| format!("attribute{n}: {kind}"))
        .collect();
    format!(
        "model wide 1\ntable Tab (PK, SK)\nentity Wide\n  id: string, {}\n  key \"W#{{id}}\" \"W\"\n{lines}entity Part\n  id: Wide.id, n: int\n  \
         key \"W#{{id}}\" \"PART#{{n:04}}\"\n",
        all.join(", ")
    )
}

fn errors(source: &str) -> Vec<String> {
    let compiled = compile(source);
    let errors = compiled
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error);
    errors.map(|one| one.message.clone()).collect()
}

#[test]
fn an_entity_whose_items_could_not_be_changed_is_refused() {
    let copied =
        |count: usize, kind: &str| errors(&wide(count, kind, "  copy other \"O#{id}\" \"W\"\n"));
    assert_eq!(copied(140, "string"), Vec::<String>::new());
    assert!(
        copied(230, "string")
            .concat()
            .contains("rests on 231 attributes")
    );
    // The condition that an attribute is missing is longer than the condition that it has a value.
    assert_eq!(copied(110, "string?"), Vec::<String>::new());
    assert!(
        copied(140, "string?")
            .concat()
            .contains("rests on 141 attributes")
    );
    let counted = |count: usize| errors(&wide(count, "string", "  count parts of Part\n"));
    assert_eq!(counted(250), Vec::<String>::new());
    assert!(
        counted(300)
            .concat()
            .contains("has 302 attributes, more than an update sets")
    );
    assert_eq!(errors(&wide(400, "string", "")), Vec::<String>::new());
}

#[test]
fn an_entity_with_more_copies_than_a_transaction_has_actions_is_refused() {
    let copied = |count: usize, key: &str| {
        let lines: String = (0..count)
            .map(|n| format!("  copy c{n} \"C{n}#{key}\" \"W\" only id\n"))
            .collect();
        errors(&wide(2, "string", &lines))
    };
    assert_eq!(copied(99, "{id}"), Vec::<String>::new());
    assert!(
        copied(100, "{id}")
            .concat()
            .contains("may take 101 actions")
    );
    assert_eq!(copied(49, "{attribute0}#{id}"), Vec::<String>::new());
    assert!(
        copied(50, "{attribute0}#{id}")
            .concat()
            .contains("may take 101 actions")
    );
}

#[test]
fn expressions_that_are_too_long_are_refused() {
    let names = |count: usize| {
        (0..count)
            .map(|n| format!("attribute{n}"))
            .collect::<Vec<_>>()
    };
    let list = |count: usize, each: &str| {
        names(count)
            .iter()
            .map(|name| each.replace('_', name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let refused = |attributes: usize, lines: String, message: &str| {
        let kind = if lines.contains("+ 1") { "int" } else { "int?" };
        let found = errors(&format!("{}{lines}", wide(attributes, kind, "")));
        assert_eq!(found.is_empty(), message.is_empty(), "{found:?}");
        assert!(found.concat().contains(message), "{found:?}");
    };
    let only = |count: usize| format!("pattern p(id) -> Wide? only {}\n", list(count, "_"));
    refused(500, only(500), "");
    refused(501, only(501), "returns only 501 attributes");
    let filter = |count: usize| {
        format!(
            "pattern p(id) -> Wide[] filter {} page 5\n",
            list(count, "_ = 1")
        )
    };
    refused(120, filter(120), "");
    refused(121, filter(121), "has 121 filters");
    let update = |count: usize| format!("write w()\n  update Wide set {}\n", list(count, "_ = 1"));
    refused(266, update(266), "");
    refused(267, update(267), "changes 267 attributes");
    // A sum is the longest change.
    let add = |count: usize| {
        format!(
            "write w()\n  update Wide set {}\n",
            list(count, "_ = _ + 1")
        )
    };
    refused(70, add(70), "");
    refused(71, add(71), "changes 71 attributes");
    let remove = |count: usize| {
        format!(
            "write w()\n  update Wide set attribute0 = 1 remove {}\n",
            list(count, "_").replacen("attribute0, ", "", 1)
        )
    };
    refused(499, remove(499), "");
    refused(500, remove(500), "changes 500 attributes");
    let when = |count: usize| {
        format!(
            "write w()\n  update Wide set attribute0 = 1 when {}\n",
            list(count, "_ = 1").replace(", ", " and ")
        )
    };
    refused(120, when(120), "");
    refused(121, when(121), "asks for 121 conditions");
    let listed = |count: usize| {
        let values: Vec<String> = (0..count).map(|n| n.to_string()).collect();
        format!(
            "pattern p(id) -> Wide[] filter attribute0 in ({}) page 5\n",
            values.join(", ")
        )
    };
    refused(1, listed(100), "");
    refused(1, listed(101), "`in` has 101 values");
    let negated = |count: usize| {
        format!(
            "pattern p(id) -> Wide[] filter {} page 5\n",
            list(count, "_ = 1").replace("attribute", "not attribute")
        )
    };
    // Three operators each: the comparison, NOT and AND.
    refused(92, negated(92), "");
    refused(93, negated(93), "has 93 filters");
}

/// How many parts of each form an expression of the model takes: one more is refused. The numbers are
/// those of the longest texts that the client can write.
#[test]
fn every_form_of_an_expression_is_measured() {
    let numbers: Vec<usize> = (0..600).collect();
    let most = |form: &str, join: &str, statement: &str| {
        let source = |count: usize| {
            let attribute = |n: &usize| format!("s{n}: Spot, l{n}: list of int, n{n}: int");
            let all: Vec<String> = numbers.iter().take(count).map(attribute).collect();
            let part = |n: &usize| form.replace('_', &n.to_string());
            let parts: Vec<String> = numbers.iter().take(count).map(part).collect();
            format!(
                "model m 1\ntable Tab (PK, SK)\nrecord Spot\n  x: int, y: int, z: int?\nentity Wide\n  id: string, {}\n  key \"W#{{id}}\" \"W\"\n{}\n",
                all.join(", "),
                statement.replace("...", &parts.join(join))
            )
        };
        let fits = |count: &usize| *count == 0 || errors(&source(*count)).is_empty();
        let most = numbers.partition_point(fits) - 1;
        let found = errors(&source(most + 1)).concat();
        assert!(found.contains("more than an expression"), "{form}: {found}");
        most
    };
    let filter = |form: &str| most(form, ", ", "pattern p(id) -> Wide[] filter ... page 5");
    assert_eq!(filter("n_ = 1"), 120);
    assert_eq!(filter("n_ in 1..2"), 58);
    assert_eq!(filter("n_ in (1, 2, 3)"), 79);
    assert_eq!(filter("size(l_) = 1"), 92);
    assert_eq!(filter("size(l_) in 1..2"), 46);
    assert_eq!(filter("s_.x = 1"), 98);
    assert_eq!(filter("s_.x in 1..2"), 47);
    assert_eq!(filter("(n_ = 1 or s_.x = 1)"), 52);
    let when = |form: &str| {
        let action = "write w()\n  update Wide set n0 = 1 when ...";
        most(form, " and ", action)
    };
    assert_eq!(when("n_ = s_.x"), 98);
    assert_eq!(when("s_.y > s_.x"), 82);
    let set = |form: &str| most(form, ", ", "write w()\n  update Wide set ...");
    assert_eq!(set("n_ = 1"), 266);
    assert_eq!(set("s_.x = 1"), 181);
    assert_eq!(set("n_ = s_.x"), 181);
    assert_eq!(set("s_.x = s_.y"), 137);
    assert_eq!(set("n_ = n_ + 1"), 70);
    assert_eq!(set("s_.x = s_.x + 1"), 56);
    let remove = "write w()\n  update Wide set n0 = 1 remove ...";
    assert_eq!(most("s_.z", ", ", remove), 265);
}

#[test]
fn kinds_that_share_a_partition_are_compared_only_if_their_keys_start_alike() {
    let kinds = |count: usize| -> String {
        let of = |n: usize| {
            format!(
                "entity Ent{n}\n  owner: string, at: time\n  key \"OWNER#{{owner}}\" \"ENT{n}#{{at}}\"\npattern p{n}(owner) -> Ent{n}[] page 9\n"
            )
        };
        format!(
            "model many 1\ntable Tab (PK, SK)\n{}",
            (0..count).map(of).collect::<String>()
        )
    };
    // Comparing every pair of kinds would take minutes.
    assert_eq!(errors(&kinds(3_000)), Vec::<String>::new());
    // Keys that start alike are still compared.
    let source = format!(
        "{}entity Other\n  owner: string, n: int, at: time\n  key \"OWNER#{{owner}}\" \"ENT7{{n}}#{{at}}\"\n",
        kinds(80)
    );
    let found = errors(&source).concat();
    assert!(found.contains("and Other can have the same key"), "{found}");
}

#[test]
fn sizes_of_deep_types_and_great_counts_are_estimated_without_overflow() {
    let lists = "list of ".repeat(29);
    let source = format!(
        "model m 1\ntable Main (PK, SK)\nentity E\n  id: string, deep: {lists}int, l: list of int\n  \
         key \"E#{{id}}\" \"X\"\n  expect 18446744073709551615 per l, 18446744073709551615 items\n\
         pattern all() -> E[] scan filter id <> \"a\"\n"
    );
    assert!(compile(&source).model.is_some() || !errors(&source).is_empty());
}

#[test]
fn keys_that_are_always_too_long_are_refused() {
    let text = |count: usize| "x".repeat(count);
    let refused = |lines: String, message: &str| {
        let source = format!("model m 1\ntable Tab (PK, SK)\n  gsi GSI1 (GSI1PK, GSI1SK)\n{lines}");
        let found = errors(&source).concat();
        match message.is_empty() {
            true => assert_eq!(found, "", "{} bytes", source.len()),
            false => assert!(found.contains(message), "{message}: {found}"),
        }
    };
    let sort = "the sort key of A has at least 1025 bytes, and may have 1024";
    // Texts of one width: 24 of a time, 36 of a UUID, 8 of the padding.
    let widths = |count: usize| {
        format!(
            "entity A\n  id: string, at: time, u: uuid, n: int\n  key \"A#{{id}}\" \"{}{{at}}{{u}}{{n:08}}\"\n",
            text(count)
        )
    };
    refused(widths(956), "");
    refused(widths(957), sort);
    let words = |count: usize| {
        format!(
            "entity A\n  id: string, w: aaa | bbbb\n  key \"A#{{id}}\" \"{}{{w}}\"\n",
            text(count)
        )
    };
    refused(words(1021), "");
    refused(words(1022), sort);
    // The number of a part, `#0000`.
    let parts = |count: usize| {
        format!(
            "entity A\n  id: string, l: list of int\n  key \"A#{{id}}\" \"{}\"\n  split l by 2\n",
            text(count)
        )
    };
    refused(parts(1019), "");
    refused(parts(1020), sort);
    // `#` and two digits of a shard, and a field of one character.
    let shards = |count: usize| {
        format!(
            "entity A\n  id: string\n  key \"A#{{id}}\" \"A\"\n  GSI1 \"{}{{id}}\" \"A\" shard 16\n",
            text(count)
        )
    };
    refused(shards(2044), "");
    refused(
        shards(2045),
        "the partition key of A has at least 2049 bytes, and may have 2048",
    );
    // The guard of a unique value has the name of the entity in its key.
    let guards = |count: usize| {
        format!(
            "entity {}\n  id: string, mail: string\n  key \"A#{{id}}\" \"A\"\n  unique mail\n",
            text(count)
        )
    };
    refused(guards(2000), "");
    refused(guards(2100), "and may have 2048");
}
