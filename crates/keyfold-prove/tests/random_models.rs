//! Random models: keys, indexes, copies and patterns. Every model that the compiler accepts must be
//! proved by execution, in the deep form, and the compiler must accept enough of them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod drawn;

use drawn::{Beside, guild, pick};
use keyfold_model::{Compiled, Sources, compile, compile_sources};
use keyfold_prove::{Options, Subject, Through, prove_through};
use std::fmt::Write as _;

/// The number of models; `RANDOM_MODELS=20000` searches longer, `RANDOM_FIRST=421` begins at a seed.
/// `RANDOM_ITEMS=6` gives each entity fewer rows. `RANDOM_MODELS_DIR=made` writes them there instead of
/// proving them, for tests of what is generated of models.
const MODELS: u64 = 500;

/// The moment at which every model is proved, 2026-01-15T10:30:00.123Z: the same seed makes the same
/// run, whenever it is.
const NOW_EPOCH_MS: i64 = 1_768_473_000_123;

const TYPES: [(&str, &str); 8] = [
    ("a", "string"),
    ("b", "string"),
    ("n", "int"),
    ("m", "number"),
    ("t", "time"),
    ("d", "date"),
    ("w", "red | green | red_green"),
    ("u", "ulid"),
];

fn kind_of(name: &str) -> &'static str {
    TYPES
        .iter()
        .find(|(known, _)| *known == name)
        .map_or("string", |(_, kind)| kind)
}

/// A template's text, and the attributes in it from left to right.
#[derive(Clone)]
struct Template {
    text: String,
    fields: Vec<&'static str>,
}

fn template(rng: &mut fastrand::Rng, first: &str, fields: usize) -> Template {
    let mut made = Template {
        text: first.to_owned(),
        fields: Vec::new(),
    };
    for _ in 0..fields {
        let (name, kind) = TYPES[rng.usize(..TYPES.len())];
        if made.fields.contains(&name) {
            continue;
        }
        let format = match kind {
            "string" => pick(rng, &["", "", "", ":lower", ":hash", ":escape"]),
            "int" => pick(
                rng,
                &["", ":05", ":05:signed", ":05:reverse", ":05:signed:reverse"],
            ),
            "number" => pick(rng, &[":06.2", ":06.2:reverse", ":06.2:signed"]),
            "time" => pick(rng, &["", "", "", ":day", ":reverse"]),
            "date" => pick(rng, &["", ":reverse", ":month"]),
            _ => "",
        };
        let between = pick(rng, &["#", "#", "#", "#X#", "-", ":", "_", "|", ".", "-#"]);
        let between = if made.text.is_empty() { "" } else { between };
        made.text.push_str(&format!("{between}{{{name}{format}}}"));
        made.fields.push(name);
    }
    if rng.u8(..4) == 0 {
        made.text.push_str("#END");
    }
    if made.text.is_empty() {
        made.text.push_str("ONLY");
    }
    made
}

/// A key of an entity, and the name that a pattern returns.
struct Key {
    result: String,
    partition: Template,
    sort: Template,
}

/// A table with its indexes and random settings. They are drawn beside `rng`, so that the same seed
/// makes the same entities as without them.
fn table(rng: &fastrand::Rng) -> String {
    let rng = &mut fastrand::Rng::with_seed(rng.get_seed());
    let capacity = pick(
        rng,
        &[
            "",
            "",
            "on demand",
            "9 read 9 write",
            "9..90 read 9 write at 50 percent",
        ],
    );
    let own = [
        "",
        " capacity 3..30 read 3..9 write",
        " capacity 4 read 5 write",
    ];
    let own = if capacity.ends_with("demand") || capacity.is_empty() {
        ""
    } else {
        pick(rng, &own)
    };
    let mut text = format!(
        "table Tab (PK, SK)\n  gsi GG1 (A, B){}{own}\n  gsi Inv (SK, PK){}\n  lsi Loc (L){}\n",
        drawn::projection(rng),
        drawn::projection(rng),
        pick(rng, &["", " project keys", " project (a, n)"])
    );
    if !capacity.is_empty() {
        writeln!(text, "  capacity {capacity}").unwrap();
    }
    let lines = [
        pick(
            rng,
            &[
                "stream keys",
                "stream new images",
                "stream old images",
                "stream new and old images",
            ],
        ),
        "point in time recovery",
        "deletion protection",
        pick(rng, &["class standard", "class infrequent access"]),
        "tags team = \"a b\", \"x:y\" = \"\"",
    ];
    lines
        .into_iter()
        .filter(|_| rng.u8(..3) == 0)
        .for_each(|line| writeln!(text, "  {line}").unwrap());
    text
}

/// Some of a key's attributes as the `id` of its entity, and one of the others; `None` for most
/// entities. They are drawn beside `rng`, so that the same seed makes the same entities as without
/// them.
fn identity(
    rng: &fastrand::Rng,
    partition: &Template,
    sort: &Template,
) -> Option<(String, &'static str)> {
    let rng = &mut fastrand::Rng::with_seed(rng.get_seed() ^ 5);
    let key = format!("{}{}", partition.text, sort.text);
    let has = |name: &str, ends: &[&str]| {
        let mut ends = ends.iter();
        ends.any(|end| key.contains(&format!("{{{name}{end}")))
    };
    let mut fields: Vec<&'static str> = TYPES.iter().map(|(name, _)| *name).collect();
    fields.retain(|name| has(name, &["}", ":"]));
    let mut id = fields.clone();
    id.retain(|name| has(name, &["}", ":0", ":reverse", ":escape", ":hash"]));
    id.retain(|name| *name == "u" || rng.u8(..3) == 0);
    fields.retain(|name| !id.contains(name));
    if id.is_empty() || fields.is_empty() || rng.u8(..2) == 0 {
        return None;
    }
    Some((id.join(", "), fields[rng.usize(..fields.len())]))
}

fn model(rng: &mut fastrand::Rng) -> String {
    let mut beside = Beside::new(rng);
    let guild = guild::drawn(rng);
    let mut text = format!(
        "model random 1\n{}{}",
        beside.tables(&table(rng)),
        guild::table(&guild)
    );
    let count = rng.usize(1..=3);
    // Entities share partitions and prefixes of sort keys.
    let (shared, same_start) = (rng.usize(0..3), template(rng, "S", 1));
    let shared = template(rng, "P", shared);
    let mut keys: Vec<Key> = Vec::new();
    let mut fetched: Vec<String> = Vec::new();
    let mut moves: Vec<Option<(&str, String, &str)>> = Vec::new();
    for name in ["One", "Two", "Three"].into_iter().take(count) {
        let all: Vec<String> = TYPES
            .iter()
            .map(|(name, kind)| format!("{name}: {kind}"))
            .collect();
        let own = rng.usize(0..3);
        let partition = if rng.u8(..3) > 0 {
            shared.clone()
        } else {
            template(rng, name, own)
        };
        let start = match rng.u8(..4) {
            0 => String::new(),
            1 | 2 => same_start.text.clone(),
            _ => name.to_owned(),
        };
        let is_shared = start == same_start.text;
        let more = rng.usize(0..3);
        let mut sort = template(rng, &start, more);
        if is_shared {
            sort.fields.splice(0..0, same_start.fields.iter().copied());
        }
        // The identifier is in the key, so that an entity has many items.
        sort.text.push_str(pick(rng, &["", "#{u}", "#{n:05}#{u}"]));
        let place = pick(
            rng,
            &[
                "",
                "",
                "",
                "",
                "",
                " shard 3",
                " bucket day of t",
                " bucket month of t",
                " shard 2 bucket day of t",
            ],
        );
        let touched = pick(rng, &["", "", ", z: time = now always"]);
        writeln!(
            text,
            "entity {name}{}\n  {}, o: string?, list: list of int{touched}\n  {}\n  key \"{}\" \"{}\"{place}",
            beside.place(),
            all.join(", "),
            beside.attributes(),
            partition.text,
            sort.text
        )
        .unwrap();
        let id = identity(rng, &partition, &sort);
        if let Some((id, _)) = &id {
            writeln!(text, "  id {id}").unwrap();
        }
        moves.push(id.map(|(id, moving)| (name, id, moving)));
        if rng.u8(..3) == 0 {
            let key = format!("{}{}", partition.text, sort.text);
            let in_key = [
                "{u}", "{a}", "{b}", "{n:05}", "{t}", "{d}", "{w}", "{m:06.2}",
            ]
            .into_iter()
            .filter(|field| key.contains(field) && rng.bool())
            .map(|field| &field[1..2]);
            let unstored: Vec<&str> = in_key.collect();
            if !unstored.is_empty() {
                writeln!(text, "  unstored {}", unstored.join(", ")).unwrap();
            }
        }
        let own_partition = partition.clone();
        keys.push(Key {
            result: name.to_owned(),
            partition,
            sort,
        });
        let mut is_unique = rng.u8(..6) == 0;
        if rng.bool() {
            let (one, two) = (rng.usize(0..2), rng.usize(0..3));
            let (mut partition, sort) = (template(rng, "G", one), template(rng, name, two));
            if rng.u8(..4) == 0 {
                let form = pick(rng, &["escape", "escape", "lower"]);
                partition.text = format!("G#{}#{{u}}#{{a:{form}}}", rng.u8(..2));
                partition.fields = vec!["u", "a"];
                is_unique = true;
            }
            let sparse = pick(rng, &["", "", " sparse when w = red", " sparse when o"]);
            let place = pick(
                rng,
                &[
                    "",
                    "",
                    "",
                    " shard 3",
                    " bucket day of t",
                    " shard 2 bucket month of t",
                ],
            );
            writeln!(
                text,
                "  GG1 \"{}\" \"{}\"{place}{sparse}",
                partition.text, sort.text
            )
            .unwrap();
            keys.push(Key {
                result: name.to_owned(),
                partition,
                sort,
            });
        }
        if rng.u8(..4) == 0 {
            let sort = template(rng, "L", 2);
            writeln!(text, "  Loc \"{}\"", sort.text).unwrap();
            if let Some(first) = sort.fields.first() {
                let mut given = own_partition.fields.clone();
                given.retain(|field| field != first);
                given.push(*first);
                let only = pick(rng, &["", "only a, o, list "]);
                let given = given.join(", ");
                fetched.push(format!("({given}) -> {name}[] {only}fetch all page 3"));
            }
            keys.push(Key {
                result: name.to_owned(),
                partition: own_partition,
                sort,
            });
        }
        if rng.u8(..4) == 0 {
            let (partition, mut sort) = (template(rng, "C", 1), template(rng, name, 1));
            sort.text
                .push_str("#{u}#{a}#{b}#{n:05}#{t}#{d}#{w}#{m:06.2}");
            let when = beside.when(|rng| condition(rng, 0));
            writeln!(
                text,
                "  copy dup \"{}\" \"{}\"{when}",
                partition.text, sort.text
            )
            .unwrap();
            keys.push(Key {
                result: format!("{name}.dup"),
                partition,
                sort,
            });
        }
        let lines = ["  split list by 3", "  version v", "  compress list"];
        if is_unique {
            writeln!(text, "  unique (u, {})", pick(rng, &["a", "lower(a)"])).unwrap();
        }
        lines
            .into_iter()
            .filter(|_| rng.u8(..6) == 0)
            .for_each(|line| writeln!(text, "{line}").unwrap());
    }
    for (at, name) in ["One", "Two", "Three"].into_iter().take(count).enumerate() {
        let (update, put) = (condition(rng, 0), condition(rng, 0));
        let lack = pick(rng, &["", "?"]);
        writeln!(
            text,
            "write change{at}(note: string{lack})\n  update {name} set o = note when {update}\nwrite place{at}\n  put {name} when missing n or {put}\nwrite pair{at}(note: string)\n  update {name} as one set o = note\n  update {name} as two set o = note"
        )
        .unwrap();
        text.push_str(&beside.writes(at, name));
        let own: Vec<&Key> = keys.iter().filter(|key| key.result == name).collect();
        if let Some(changes) = upsert(rng, own.first().unwrap()) {
            let when = pick(rng, &["", "", " when missing n or n < 70"]);
            writeln!(
                text,
                "write upsert{at}(more: int)\n  create or update {name}{changes}{when}"
            )
            .unwrap();
        }
    }
    text.push_str(&beside.parent(count));
    for (at, (name, id, moving)) in moves.into_iter().flatten().enumerate() {
        let kind = kind_of(moving);
        writeln!(
            text,
            "write move{at}(to: {kind})\n  update {name} set {moving} = to\npattern i{at}({id}) -> {name}?\npattern j{at}({id}) -> {name} only o, {moving} strong"
        )
        .unwrap();
    }
    for at in 0..12 {
        let line = pattern(rng, &keys);
        writeln!(text, "pattern p{at}{line}").unwrap();
    }
    for (at, line) in fetched.iter().enumerate() {
        writeln!(text, "pattern f{at}{line}").unwrap();
    }
    for at in 0..2 {
        let line = together(rng, &keys);
        writeln!(text, "pattern q{at}{line}").unwrap();
    }
    text.push_str(&guild);
    text
}

/// A pattern that reads several items by their keys, some of them of one entity.
fn together(rng: &mut fastrand::Rng, keys: &[Key]) -> String {
    let (mut parameters, mut items): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for at in 0..rng.usize(2..=3) {
        let key = &keys[rng.usize(..keys.len())];
        let text = format!("{}{}", key.partition.text, key.sort.text);
        let mut fields: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        fields.retain(|name| text.contains(&format!("{{{name}")));
        let mut bound: Vec<String> = Vec::new();
        for name in fields {
            let parameter = if rng.u8(..3) == 0 {
                bound.push(format!("{name} = {name}{at}"));
                format!("{name}{at}")
            } else {
                name.to_owned()
            };
            if !parameters.contains(&parameter) {
                parameters.push(parameter);
            }
        }
        let bound = if bound.is_empty() {
            String::new()
        } else {
            format!(" where {}", bound.join(" and "))
        };
        items.push(format!(
            "{}{} as item{at}{bound}",
            key.result,
            pick(rng, &["?", "?", ""])
        ));
    }
    let (parameters, items) = (parameters.join(", "), items.join(", "));
    let rest = pick(
        rng,
        &[
            "",
            " batch",
            " batch strong",
            " only a, n",
            " only a, o batch",
        ],
    );
    format!("({parameters}) -> ({items}){rest}")
}

/// Random changes of an upsert, of attributes that are in no key of the table; `None` where all are.
fn upsert(rng: &mut fastrand::Rng, key: &Key) -> Option<String> {
    const CHANGES: [(&str, &str, &str); 9] = [
        ("n", "n = {n} + more", "n = 4"),
        ("m", "m = {m} - 2", "m = 1.5"),
        ("n", "n = more", "n = more"),
        ("a", "a = \"x\"", "a = \"y\""),
        ("w", "w = red", ""),
        ("o", "o = \"x\"", ""),
        ("d", "d = \"2024-02-29\"", "d = \"2024-03-01\""),
        ("list", "list = {list} + more", ""),
        ("list", "list = more + {list}", ""),
    ];
    let text = format!("{}{}", key.partition.text, key.sort.text);
    let is_free = |name: &str| {
        !text.contains(&format!("{{{name}}}")) && !text.contains(&format!("{{{name}:"))
    };
    let (mut set, mut otherwise, mut named) = (Vec::new(), Vec::new(), Vec::new());
    for (name, change, first) in CHANGES {
        if !is_free(name) || named.contains(&name) || rng.u8(..3) > 0 {
            continue;
        }
        named.push(name);
        set.push(change);
        if change.contains("{n}") || change.contains("{m}") || rng.bool() {
            otherwise.push(first);
        }
    }
    if is_free("o") && !named.contains(&"o") && rng.u8(..4) == 0 {
        otherwise.push("o = \"new\"");
    }
    otherwise.retain(|one| !one.is_empty());
    if set.is_empty() {
        return None;
    }
    let otherwise = match otherwise.as_slice() {
        [] => String::new(),
        some => format!(" else {}", some.join(", ")),
    };
    Some(format!(" set {}{otherwise}", set.join(", ")))
}

/// The names of a model, each with a name that is no plain word, and differs from another only in
/// its capitals or a sign. A word of an enumeration has no sign that may be a delimiter.
const HOSTILE: [(&str, &str); 17] = [
    ("a", "State#Date"),
    ("b", "state#date"),
    ("n", "a.b[0]"),
    ("m", "select"),
    ("t", "date time"),
    ("d", "_row"),
    ("w", "#w=v"),
    ("u", "GSI1-PK"),
    ("o", "v0"),
    ("v", "é-名"),
    ("list", "the {list}"),
    ("A", "g s i"),
    ("B", "-"),
    ("L", "l|l"),
    ("PK", "pk id"),
    ("SK", "'sk'"),
    ("red", "in~red"),
];

/// The model with other names: in quotes outside of quotes, and as they are in the braces of a text.
fn with_hostile_names(source: &str) -> String {
    let mut out = String::new();
    for (at, piece) in source.split('"').enumerate() {
        let is_text = at % 2 == 1;
        if at > 0 {
            out.push('"');
        }
        let mut word = String::new();
        for c in piece.chars().chain(['\n']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            let in_braces = out.ends_with('{');
            // `list of` is a type.
            let is_type = word == "list" && out.ends_with(": ");
            let digits = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let found = HOSTILE
                .iter()
                .find(|(plain, _)| *plain == digits && !is_type && (!is_text || in_braces));
            match found {
                Some((_, name)) => {
                    let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
                    let quote = if is_text { "" } else { "\"" };
                    out.push_str(&format!("{quote}{name}{number}{quote}"));
                }
                None => out.push_str(&word),
            }
            word.clear();
            out.push(c);
        }
        out.pop();
    }
    out
}

/// A pattern that a key may serve: its partition, some attributes of its sort key, perhaps a range of
/// the next one.
fn pattern(rng: &mut fastrand::Rng, keys: &[Key]) -> String {
    let key = &keys[rng.usize(..keys.len())];
    let mut parameters: Vec<String> = key
        .partition
        .fields
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    let given = rng.usize(0..=key.sort.fields.len());
    parameters.extend(
        key.sort
            .fields
            .iter()
            .take(given)
            .map(|name| (*name).to_owned()),
    );
    let next = key.sort.fields.get(given).copied();
    let mut order = "";
    if let Some(name) = next {
        let kind = kind_of(name);
        order = match kind {
            "time" | "date" | "ulid" => pick(rng, &["", "newest", "oldest", "descending"]),
            "int" | "number" => pick(rng, &["", "highest", "lowest", "ascending"]),
            _ => pick(rng, &["", "", "ascending", "descending"]),
        };
        let optional = if rng.u8(..6) == 0 { "?" } else { "" };
        match (kind, rng.u8(..7)) {
            ("string", 0) => parameters.push(format!("{name} starts {name}0{optional}")),
            ("time", 0) => {
                let of = pick(rng, &["hour", "day", "day", "month"]);
                parameters.push(match rng.u8(..4) {
                    0 => format!("{of} of {name} in {name}0..{name}1"),
                    1 => format!("{of} of {name} > {name}0, {of} of {name} <= {name}1{optional}"),
                    _ => format!("{of} of {name}"),
                });
            }
            ("date", 0) => parameters.push(format!("month of {name} < {name}1{optional}")),
            (_, 1) => {
                let sign = pick(rng, &[">=", ">"]);
                parameters.push(format!("{name} {sign} {name}0{optional}"));
            }
            (_, 2) => {
                let sign = pick(rng, &["<=", "<"]);
                parameters.push(format!("{name} {sign} {name}1{optional}"));
            }
            (_, 3) => parameters.push(format!("{name} in {name}0..{name}1")),
            (_, 4) => {
                let (low, high) = (pick(rng, &[">=", ">"]), pick(rng, &["<=", "<", "<"]));
                parameters.push(format!("{name} {low} {name}0, {name} {high} {name}1"));
            }
            _ => {}
        }
    }
    parameters.dedup();
    let mut result = format!("{}{}", key.result, pick(rng, &["[]", "[]", "[]", "?"]));
    if rng.u8(..3) == 0 {
        let other = &keys[rng.usize(..keys.len())];
        write!(
            result,
            " + {}{}",
            other.result,
            pick(rng, &["[]", "[]", ""])
        )
        .unwrap();
    }
    let filter = format!("filter {}, {}", condition(rng, 0), condition(rng, 1));
    let rest = [
        order,
        pick(rng, &["", "", "", "where w = red", "where o"]),
        pick(rng, &["", "", "", &filter, "only a, n"]),
        pick(rng, &["", "page 3"]),
        pick(rng, &["", "", "", "", "fetch all"]),
    ];
    format!("({}) -> {result} {}", parameters.join(", "), rest.join(" "))
}

/// A condition on attributes that every entity has.
fn condition(rng: &mut fastrand::Rng, depth: usize) -> String {
    const COMPARISONS: [&str; 25] = [
        "tags contains \"a\"",
        "size(tags) > 1",
        "doc.x > 5",
        "doc.tags contains \"b\"",
        "exists doc.y",
        "doc.y starts \"a\"",
        "map.k < 9",
        "n >= 20",
        "n < 60",
        "n in 10..50",
        "n in (1, 20, 30)",
        "m <> 3",
        "m > 90",
        "t < now",
        "d <= \"2030-01-01\"",
        "w in (red, green)",
        "w <> red",
        "w starts \"red\"",
        "exists o",
        "missing o",
        "starts(o, \"a\")",
        "o contains \"a\"",
        "size(o) > 2",
        "size(list) in 1..5",
        "contains(list, 3)",
    ];
    let one = |rng: &mut fastrand::Rng| condition(rng, depth + 1);
    match rng.u8(..if depth < 3 { 10 } else { 5 }) {
        0..5 => pick(rng, &COMPARISONS).to_owned(),
        5 => format!("not {}", pick(rng, &COMPARISONS)),
        6 => format!("not ({} or {})", one(rng), one(rng)),
        7 => format!("({} or {})", one(rng), one(rng)),
        8 => format!("({} and {} or {})", one(rng), one(rng), one(rng)),
        _ => format!("({} and not ({}))", one(rng), one(rng)),
    }
}

/// The model without the patterns that the compiler refuses; `None` if it refuses another part.
fn accepted(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    for _ in 0..12 {
        let source = lines.join("\n") + "\n";
        let compiled = compile(&source);
        if !compiled.has_errors() {
            return Some(source);
        }
        let mut wrong: Vec<usize> = compiled
            .diagnostics
            .iter()
            .filter(|one| one.severity == keyfold_model::Severity::Error)
            .map(|one| one.line_and_column(&source).0 - 1)
            .collect();
        wrong.sort_unstable();
        wrong.dedup();
        if wrong.iter().any(|at| {
            !lines
                .get(*at)
                .is_some_and(|line| line.starts_with("pattern"))
        }) {
            return None;
        }
        wrong.iter().rev().for_each(|at| {
            lines.remove(*at);
        });
    }
    None
}

/// The client that is proved: with `THROUGH="node lockstep.mjs"`, that of the command, which gets a
/// process for each model.
fn subject() -> Subject {
    match std::env::var("THROUGH") {
        Ok(command) => Subject::Through(Through::new(command.split(' ').map(str::to_owned))),
        Err(_) => Subject::Embedded,
    }
}

/// Writes a model into the folder of RANDOM_MODELS_DIR, which is made if it is absent. A relative path
/// starts where Cargo runs the test: in the folder of the crate.
fn write_down(folder: &str, seed: u64, source: &str) {
    let path = std::path::Path::new(folder).join(format!("random_{seed}.keyfold"));
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, source));
    if let Err(error) = made {
        panic!(
            "RANDOM_MODELS_DIR: {} cannot be written: {error}",
            path.display()
        );
    }
}

/// A model of one file or of two.
fn compiled_in(files: Option<&[(String, String); 2]>, source: &str) -> Compiled {
    let Some(files) = files else {
        return compile(source);
    };
    let texts = files.each_ref();
    let texts = texts.map(|(name, text)| (name.as_str(), text.as_str()));
    let compiled = compile_sources(&Sources::of_texts(&texts));
    let all: String = texts.iter().map(|(_, text)| *text).collect();
    let shown = compiled
        .diagnostics
        .iter()
        .filter(|_| compiled.has_errors());
    let shown: Vec<String> = shown.map(|one| one.message.clone()).collect();
    assert!(shown.is_empty(), "{all}\n{}", shown.join("\n"));
    compiled
}

#[test]
fn what_the_compiler_accepts_is_proved() {
    let (mut models, mut patterns) = (0_u64, 0_u64);
    let mut failed: Vec<String> = Vec::new();
    let mut never = [&drawn::PARTS[..], &guild::PARTS[..]].concat();
    let number = |name: &str| -> Option<u64> { std::env::var(name).ok()?.parse().ok() };
    let tried = number("RANDOM_MODELS").unwrap_or(MODELS);
    let first = number("RANDOM_FIRST").unwrap_or(0);
    let items = number("RANDOM_ITEMS").map_or(25, |items| items.try_into().unwrap());
    for seed in first..first + tried {
        let mut rng = fastrand::Rng::with_seed(seed);
        let Some(mut source) = accepted(&model(&mut rng)) else {
            continue;
        };
        if seed % 3 == 0 {
            source = with_hostile_names(&source);
            let compiled = compile(&source);
            let errors = compiled
                .diagnostics
                .iter()
                .filter(|one| one.severity == keyfold_model::Severity::Error);
            let errors: Vec<String> = errors
                .map(|one| one.render(&source, "renamed", false))
                .collect();
            assert!(
                errors.is_empty(),
                "seed {seed}\n{source}\n{}",
                errors.join("\n")
            );
        }
        let files = guild::in_two_files(&source).filter(|_| seed % 5 == 1);
        let compiled = compiled_in(files.as_ref(), &source).model.unwrap();
        if compiled.patterns.is_empty() {
            continue;
        }
        models += 1;
        let shown = files.map_or(source.clone(), |files| files.map(|(_, text)| text).join(""));
        never.retain(|part| !shown.contains(part));
        patterns += compiled.patterns.len() as u64;
        if let Ok(folder) = std::env::var("RANDOM_MODELS_DIR") {
            write_down(&folder, seed, &source);
            continue;
        }
        let report = prove_through(
            &compiled,
            Options {
                seed,
                items,
                asks: 4,
                now_epoch_ms: NOW_EPOCH_MS,
                deep: true,
            },
            &subject(),
            |_| {},
        )
        .unwrap();
        let failures: Vec<String> = report
            .all_failures()
            .take(3)
            .map(|one| format!("{one:#?}"))
            .collect();
        if !failures.is_empty() {
            failed.push(format!("seed {seed}\n{source}\n{}", failures.join("\n")));
        }
    }
    let shown = failed.iter().take(3).map(String::as_str);
    let shown: Vec<&str> = shown.collect();
    assert!(
        failed.is_empty(),
        "{} models failed\n{}",
        failed.len(),
        shown.join("\n")
    );
    assert!(
        tried < 300 || never.is_empty(),
        "no accepted model has {never:?}"
    );
    // Where fewer are accepted, the generator draws nonsense.
    assert!(
        models >= tried / 12 && patterns >= tried / 5,
        "only {models} models with {patterns} patterns were accepted"
    );
}
