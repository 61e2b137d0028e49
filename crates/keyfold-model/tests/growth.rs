//! The work of the compiler grows with the size of a model, and not with its square. The test counts
//! the declarations and kinds that are walked over, which is the same on every machine.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_model::schema::steps;
use keyfold_model::{Sources, compile_sources};
use std::fmt::Write as _;

/// The entities of a group.
const ENTITIES: usize = 4;

/// The declarations of a group: every way in which entities, patterns and writes refer to each other.
/// Keys of all groups share a partition, or a sort key.
fn group(n: usize, shared: &str) -> String {
    format!(
        r##"
{shared}entity User{n}
  userId: string, email: string, name: string, nick{n}: string, createdAt: time, touched: time = now always
  key     "USER{n}#{{userId}}"  "PROFILE"
  GSI1    "EMAIL{n}#{{email}}"  "PROFILE"
  unique  email
  count   orders of Order{n}
  sum     spent of Order{n}.total

{shared}entity Order{n}
  orderId: string, userId: User{n}.userId, createdAt: time, total: number, status: pending | paid
  key           "ORDER{n}#{{orderId}}"  "META"
  GSI1          "STATUS{n}#{{status}}"  "ORDER#{{createdAt}}#{{orderId}}"  shard 3
  copy summary  "USER{n}#{{userId}}"    "ORDER#{{createdAt}}#{{orderId}}"

entity Item{n}
  orderId: Order{n}.orderId, itemId: string, quantity: int, tags: list of string
  key     "ORDER{n}#{{orderId}}"  "ITEM#{{itemId}}"
  split   tags by 3

entity Log{n}
  owner: string, at: time
  key  "OWNER#{{owner}}"  "LOG{n}#{{at}}"

record Line{n}
  itemId: string, quantity: int, tags: list of string

pattern user{n}(userId)           -> User{n}?
pattern mailed{n}(email)          -> User{n}?
pattern orders{n}(userId)         -> Order{n}.summary[]  newest page 20
pattern whole{n}(orderId)         -> Order{n} + Item{n}[]
pattern by_status{n}(status, createdAt >= since?) -> Order{n}[]  newest page 50
pattern logs{n}(owner)            -> Log{n}[]  page 9
pattern pair{n}(userId, orderId)  -> (User{n}?, Order{n}?)

write order{n}(lines: list of Line{n})
  create Order{n}
  create Item{n} for each lines
write rename{n}(nick{n})
  update User{n} set nick{n} = nick{n}
write upsert{n}(name)
  create or update User{n} set name = name
"##
    )
}

/// The steps of compiling a model of this many entities, in one or several files.
fn steps_of(entities: usize, files: usize) -> u64 {
    let is_one = files == 1;
    let (owner, shared) = if is_one {
        ("", "")
    } else {
        ("owner platform\n", "shared ")
    };
    let mut head = format!("model big 1\n{owner}");
    let names: Vec<String> = (0..files).map(|at| format!("f{at}.keyfold")).collect();
    let mut texts: Vec<String> = (0..files).map(|at| format!("owner team{at}\n")).collect();
    for number in 0..entities / ENTITIES {
        texts[number % files].push_str(&group(number, shared));
    }
    for name in names.iter().filter(|_| !is_one) {
        writeln!(head, "use \"{name}\"").unwrap();
    }
    writeln!(
        head,
        "\n{shared}table Big (PK, SK) type entity\n  gsi GSI1 (GSI1PK, GSI1SK)"
    )
    .unwrap();
    if is_one {
        let (_, all) = texts[0].split_once('\n').unwrap();
        head.push_str(all);
    }
    let mut all = vec![("big.keyfold", head.as_str())];
    let others = names.iter().map(String::as_str);
    all.extend(
        others
            .zip(texts.iter().map(String::as_str))
            .filter(|_| !is_one),
    );
    let sources = Sources::of_texts(&all);
    // Repairs of the warnings of a shorter text are tried, which compiles it several times.
    assert!(sources.text().len() > 1 << 18);
    let before = steps();
    let compiled = compile_sources(&sources);
    let is_refused = compiled.model.is_none();
    assert_eq!(compiled.diagnostics.iter().find(|_| is_refused), None);
    steps() - before
}

/// The steps of compiling an entity with this number of attributes, and a write of each of them.
fn steps_of_wide(attributes: usize) -> u64 {
    let mut text = "model wide 1\ntable Tab (PK, SK)\nentity Wide\n  id: string".to_owned();
    for n in 0..attributes {
        write!(text, ", attribute{n}: string?").unwrap();
    }
    text.push_str("\n  key \"W#{id}\" \"W\"\n");
    for n in 0..attributes {
        let name = format!("attribute{n}");
        let action = format!("update Wide set {name} = {name}");
        writeln!(text, "write set{n}(id, {name})\n  {action}").unwrap();
        writeln!(text, "write drop{n}(id)\n  update Wide remove {name}").unwrap();
    }
    let before = steps();
    let compiled = compile_sources(&Sources::of_texts(&[("wide.keyfold", &text)]));
    assert_eq!(compiled.diagnostics, []);
    steps() - before
}

#[test]
fn the_work_of_the_compiler_doubles_with_the_attributes_and_their_writes() {
    let (once, twice) = (steps_of_wide(200), steps_of_wide(400));
    assert!(
        once > 400 && twice * 10 < once * 21,
        "{once} steps, {twice} of twice the size"
    );
}

#[test]
fn the_work_of_the_compiler_doubles_with_the_model() {
    for files in [1, 8] {
        let (once, twice) = (steps_of(800, files), steps_of(1600, files));
        assert!(
            once > 800 && twice * 10 < once * 21,
            "{once} steps, {twice} of twice the size"
        );
    }
}
