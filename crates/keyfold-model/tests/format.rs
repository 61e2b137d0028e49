//! The formatter: it aligns crooked text, it changes no meaning, and formatting twice gives the
//! same text as formatting once.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use keyfold_model::{compile, format};
use std::path::{Path, PathBuf};

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in [
        "../../models",
        "../../models/existing",
        "../../models/shop-teams",
        "testscripts",
    ]
    .map(|one| root.join(one))
    {
        let paths = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        found.extend(paths.filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "keyfold")
        }));
    }
    assert!(found.len() > 20);
    found
}

/// The findings and plans of the compiler, without places.
fn meaning(source: &str) -> String {
    let compiled = compile(source);
    let findings: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| {
            let help: Vec<&str> = one.help_lines().collect();
            format!("{} {} {help:?}", one.code, one.message)
        })
        .collect();
    let plans: Vec<String> = compiled
        .model
        .iter()
        .flat_map(|model| &model.patterns)
        .map(|pattern| {
            format!(
                "{} {} {}",
                pattern.name,
                pattern.plan.place(),
                pattern.plan.key_condition()
            )
        })
        .collect();
    format!("{findings:#?}{plans:#?}")
}

#[test]
fn formatting_changes_no_meaning_and_is_idempotent() {
    for path in models() {
        let source = std::fs::read_to_string(&path).unwrap();
        let formatted = format(&source);
        assert_eq!(meaning(&formatted), meaning(&source), "{}", path.display());
        assert_eq!(format(&formatted), formatted, "{}", path.display());
        let comments = |text: &str| text.matches('#').count();
        assert_eq!(
            comments(&formatted),
            comments(&source),
            "{}",
            path.display()
        );
    }
}

#[test]
fn the_models_of_the_repository_are_formatted() {
    for path in models()
        .into_iter()
        .filter(|path| !path.to_string_lossy().contains("testscripts"))
    {
        let source = std::fs::read_to_string(&path).unwrap();
        if std::env::var_os("UPDATE_GOLDENFILES").is_some() {
            std::fs::write(&path, format(&source)).unwrap();
            continue;
        }
        assert_eq!(
            format(&source),
            source,
            "{}: run `keyfold fmt`",
            path.display()
        );
    }
}

#[test]
fn crooked_text_is_aligned() {
    let crooked = "\n\nmodel   shop 1 # the shop\n\n\n\ntable Shop(PK,SK)type entity\n\tgsi GSI1( A,B )project( x , y )\n    lsi ByAge (N :number)\nentity User\n userId:string ,age : int?=5,  balance: number = - 2\n   key \"USER#{userId}\" \"PROFILE\"\n GSI1   \"A#{age}\"  \"B\" sparse when age   # comment\n copy   card \"CARDS\" \"{userId}\" only userId,age\n unique(userId , age),age\n# patterns\npattern user( userId )->User ?\npattern users_by_age(age>=low,age<=high)->User[] highest   age page 5\npattern broken(\"\n";
    let aligned = "\
model shop 1  # the shop

table Shop (PK, SK) type entity
  gsi GSI1  (A, B) project (x, y)
  lsi ByAge (N: number)
entity User
  userId: string, age: int? = 5, balance: number = -2
  key        \"USER#{userId}\"  \"PROFILE\"
  GSI1       \"A#{age}\"        \"B\"         sparse when age  # comment
  copy card  \"CARDS\"          \"{userId}\"  only userId, age
  unique     (userId, age), age
# patterns
pattern user(userId)                           -> User?
pattern users_by_age(age >= low, age <= high)  -> User[]  highest age page 5
pattern broken(\"
";
    assert_eq!(format(crooked), aligned);
    assert_eq!(format(aligned), aligned);
}

#[test]
fn settings_of_tables_are_spaced() {
    let crooked = "table  T(PK)\n gsi G(A)capacity 5 .. 9 read  5 write at 70  percent\n  gsi Longer (B)  project keys   capacity 1 read 1 write\n capacity 5.. 100 read 5 ..50 write\n stream   new and  old images\n point in  time recovery\n  tags  \"a:b\"=\"1\",c =\"2\"\n";
    let spaced = "\
table T (PK)
  gsi G      (A) capacity 5..9 read 5 write at 70 percent
  gsi Longer (B) project keys capacity 1 read 1 write
  capacity 5..100 read 5..50 write
  stream new and old images
  point in time recovery
  tags \"a:b\" = \"1\", c = \"2\"
";
    assert_eq!(format(crooked), spaced);
    assert_eq!(format(spaced), spaced);
}

#[test]
fn conditions_are_spaced_evenly() {
    let crooked = "pattern p(a)->E[] filter not( b>1 and size( c )< -3 )or contains ( d,\"x\" ),e . f in( 1,-2 ),g in 1 .. 5, h in -5.. - 1 , i contains - 2\nwrite w\n put E when( missing lock or at<now )\n update E set n=in - 3\n";
    let aligned = "\
pattern p(a)  -> E[]  filter not (b > 1 and size(c) < -3) or contains(d, \"x\"), e.f in (1, -2), g in 1..5, h in -5..-1, i contains -2
write w
  put E when (missing lock or at < now)
  update E set n = in - 3
";
    assert_eq!(format(crooked), aligned);
    assert_eq!(format(aligned), aligned);
}

#[test]
fn incomplete_text_is_formatted_without_panic() {
    let source = include_str!("../../../models/shop_techniques.keyfold");
    for at in (0..source.len())
        .step_by(11)
        .filter(|at| source.is_char_boundary(*at))
    {
        let (head, tail) = source.split_at(at);
        for text in [
            head.to_owned(),
            tail.to_owned(),
            format!("{head}\"{tail}"),
            format!("{head}({{{tail}"),
        ] {
            let formatted = format(&text);
            assert_eq!(format(&formatted), formatted);
        }
    }
}

#[test]
fn text_without_meaning_keeps_its_form() {
    let formatted_as = |source: &str, wanted: &str| {
        assert_eq!(format(source), wanted);
        assert_eq!(format(wanted), wanted);
    };
    // An index among the keys of an entity.
    formatted_as(
        "entity A\n  key \"A\"   \"B\"\n gsi  X  key \"C\"\n",
        "entity A\n  key  \"A\"  \"B\"\n  gsi X key \"C\"\n",
    );
    // Signs that would become another sign without the space.
    formatted_as("a  . .  b 1  . 2\n", "a  . .  b 1  . 2\n");
    // Byte order marks count as space everywhere.
    formatted_as("\n\u{feff}\n\u{feff} a : b\u{feff}#  c\n", "  a: b  #  c\n");
}

#[test]
fn a_function_stands_beside_its_parentheses() {
    let source = "model m 1\ntable Tab (PK, SK)\nentity User\n  id: string, mail: string, lower: string\n  key \"USER#{id}\" \"USER\"\n  unique lower (mail ),( lower, lower( lower ) )\n  copy c \"C\" \"{id}\" when size (mail)>3\n";
    let formatted = keyfold_model::format(source);
    assert!(
        formatted.contains("unique  lower(mail), (lower, lower(lower))\n"),
        "{formatted}"
    );
    assert!(formatted.contains("when size(mail) > 3\n"), "{formatted}");
    assert_eq!(keyfold_model::format(&formatted), formatted);
}

/// A model with calculations, negative numbers, ranges and arrows: what a `-` may touch.
const WITH_MINUS: &str = "model m 1
table Tab (PK, SK: number) type kind
entity E
  id: string, n: number, count: number = -5, word: red | blue?, inner: list of string?, note: string?
  key \"E#{id}\" {n}
pattern one(id, n in from..to)  -> E[]  highest n page 5 filter count in -5..-1 and count in (-1, -2) and note <> \"x\"
write w(id, n, by: int)
  update E set note = \"y\" when count > -1 and count <> by
write v(id, n)
  create E set note = \"a-b\", word = red
";

/// A model of counters, whose values are calculated.
const CALCULATED: &str = "model m 1
record Stats
  views: int, likes: int
table Tab (PK) type kind
entity E
  id: string, a: int, b: int, s: Stats
  key \"E#{id}\"
write w(id, by: int)
  update E set a = a - by, b = 5 - by, s.views = s.views - 1 when a = by
write v(id, a: int, b: int, s: Stats)
  create E
";

#[test]
fn a_minus_at_any_place_means_the_same_when_formatted() {
    let messages = |source: &str| {
        let mut all: Vec<_> = compile(source)
            .diagnostics
            .into_iter()
            .map(|one| (one.code, one.message))
            .collect();
        all.sort();
        all
    };
    for source in [WITH_MINUS, CALCULATED] {
        assert!(compile(source).model.is_some(), "{:?}", messages(source));
        let places = source.char_indices().map(|(at, _)| at);
        for at in places.filter(|at| source.is_char_boundary(*at)) {
            for inserted in ["-", "--", "-x", "x-", "-5", "- 5", " -x-", "-5-a", "- -1-"] {
                let (head, tail) = source.split_at(at);
                let changed = format!("{head}{inserted}{tail}");
                let formatted = format(&changed);
                assert_eq!(
                    messages(&formatted),
                    messages(&changed),
                    "{changed}{formatted}"
                );
                assert_eq!(format(&formatted), formatted, "{changed}");
            }
        }
    }
}

/// An index whose name stands in quotes is aligned as any other.
#[test]
fn keys_of_quoted_indexes_are_aligned() {
    let crooked = "entity User\n  userId: string, \"zip code\": string\n  \"zip code 2\": string\n  key \"U#{userId}\" \"P\"\n  \"by-zip\" \"ZIP#{zip code}\" \"P\" sparse when userId\n  unique userId\n";
    let aligned = "entity User\n  userId: string, \"zip code\": string\n  \"zip code 2\": string\n  key       \"U#{userId}\"      \"P\"\n  \"by-zip\"  \"ZIP#{zip code}\"  \"P\"  sparse when userId\n  unique    userId\n";
    assert_eq!(format(crooked), aligned);
    assert_eq!(format(aligned), aligned);
}
