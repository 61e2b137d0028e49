//! `cargo xtask bench changed`: the time of `cargo check` after a change of a large model, whose client
//! a build script generates.
//!
//! The model has 50 entities, 200 patterns and 50 writes. The first check builds what the package
//! depends on, and is not counted.

use crate::install::target;
use crate::say;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const ENTITIES: usize = 50;
const ROUNDS: usize = 7;
/// The ticks of a second, in what Linux shows.
const TICKS: f64 = 100.0;
const BUILD: &str = "fn main() -> Result<(), keyfold_build::Error> {
    keyfold_build::generate(\"large.keyfold\")
}
";
const LIBRARY: &str = "pub mod large {
    keyfold::include_client!(\"large\");
}
";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let project = target(root).join("bench").join("changed");
    write(&project.join("Cargo.toml"), &manifest(root))?;
    write(&project.join("build.rs"), BUILD)?;
    write(&project.join("src").join("lib.rs"), LIBRARY)?;
    // The versions of the repository.
    let lock = "Cargo.lock";
    fs::copy(root.join(lock), project.join(lock)).map_err(|error| format!("{lock}: {error}"))?;
    let model = project.join("large.keyfold");
    write(&model, &text(0))?;
    say("the first check, of all dependencies");
    checked(root, &project)?;
    let mut times = Vec::new();
    let before = processor();
    for round in 1..=ROUNDS {
        write(&model, &text(round))?;
        times.push(checked(root, &project)?.as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let [shortest, .., longest] = times[..] else {
        return Err("no rounds".to_owned());
    };
    let median = times.get(ROUNDS / 2).copied().unwrap_or_default();
    say(&format!(
        "cargo check after a change of the model: {median:.2} s, {shortest:.2} to {longest:.2} s in {ROUNDS} rounds"
    ));
    if let (Some(before), Some(after)) = (before, processor()) {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let each = (after - before) as f64 / (TICKS * ROUNDS as f64);
        say(&format!("{each:.2} s of processor time for each"));
    }
    Ok(())
}

/// The processor time of all programs that this one has run to their end, in ticks. Only Linux shows it.
fn processor() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may have blanks. The 14th and 15th word behind it.
    let words = text.rsplit_once(')')?.1.split_whitespace();
    words
        .skip(13)
        .take(2)
        .map(|word| word.parse::<u64>().ok())
        .sum()
}

/// Checks the package, and returns the time of it.
fn checked(root: &Path, project: &Path) -> Result<Duration, String> {
    let mut check = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    check
        .current_dir(project)
        .args(["check", "--quiet"])
        .env("CARGO_TARGET_DIR", target(root));
    let began = Instant::now();
    crate::execute(&mut check)?;
    Ok(began.elapsed())
}

fn manifest(root: &Path) -> String {
    let crates = root.join("crates");
    let crates = crates.display();
    format!(
        "[package]
name = \"changed\"
version = \"0.1.0\"
edition = \"2024\"

[dependencies]
keyfold = {{ path = \"{crates}/keyfold\" }}

[build-dependencies]
keyfold-build = {{ path = \"{crates}/keyfold-build\" }}

[workspace]
"
    )
}

/// The model. In each round, another entity has one more attribute.
fn text(round: usize) -> String {
    let entities = (0..ENTITIES).map(|at| {
        let more = if at == round { ", more: string?" } else { "" };
        format!(
            "
entity Thing{at}
  thing{at}Id: string, ownerId: string, name: string, createdAt: time, size: number
  status: new | open | closed
  labels: set of string?, note: string?{more}
  key           \"T{at}#{{thing{at}Id}}\"     \"META\"
  GSI1          \"T{at}STATUS#{{status}}\"  \"AT#{{createdAt}}#{{thing{at}Id}}\"
  copy summary  \"OWNER#{{ownerId}}\"       \"T{at}#{{createdAt}}#{{thing{at}Id}}\"  only thing{at}Id, name, status, createdAt

pattern thing{at}(thing{at}Id)                            -> Thing{at}?
pattern thing{at}s_of_owner(ownerId)                      -> Thing{at}.summary[]  newest page 20
pattern thing{at}s_by_status(status)                      -> Thing{at}[]          newest page 20
pattern recent_thing{at}s(status, createdAt >= since)     -> Thing{at}[]          newest page 20

write close_thing{at}()
  update Thing{at} set status = \"closed\"
"
        )
    });
    let table = "model large 1\n\ntable Large (PK, SK)\n  gsi GSI1 (GSI1PK, GSI1SK)\n";
    std::iter::once(table.to_owned()).chain(entities).collect()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    written
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}
