//! `keyfold migrate` while its database stands still: Ctrl-C ends it after a time, and at once when it comes again.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test fails by panicking, and takes what it needs of the servers of others"
)]

#[path = "../../keyfold-relational/tests/mariadb_server/mod.rs"]
mod mariadb_server;
mod workplace;
#[path = "../../keyfold-relational/tests/worlds/mod.rs"]
mod worlds;

use mariadb_server::{MODEL, Server};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use workplace::Workplace;

fn signal(name: &str, id: u32) {
    let sent = Command::new("kill").args([name, &id.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// A command that says how far it is, once an event says that it is as far as that.
fn under_way(place: &Workplace, arguments: &[&str], is_there: impl Fn(&str) -> bool) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(arguments)
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let found = lines.find(|line| is_there(line.as_ref().unwrap()));
    let mut said = String::new();
    if found.is_none() {
        let stderr = child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut said).unwrap();
    }
    assert!(found.is_some(), "{said}");
    // What comes behind is read by nobody, and must not make it wait.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

/// How a command ends that is stopped by so many signals while its database stands still, and how long that took.
fn ended(mut child: Child, database: u32, signals: usize) -> (Option<i32>, String, Duration) {
    signal("-STOP", database);
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    for _ in 0..signals {
        signal("-INT", child.id());
        std::thread::sleep(Duration::from_millis(300));
    }
    let until = began + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let took = began.elapsed();
    signal("-CONT", database);
    child.kill().unwrap_or_default();
    let code = child.wait().unwrap().code();
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    (code, said, took)
}

#[test]
fn a_database_that_stands_still_is_not_waited_for() {
    let server = Server::start();
    server.database("d").must(
        "CREATE TABLE t (id varchar(9) PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'x'), ('b', 'y')",
    );
    let place = Workplace::new();
    let (model, from) = (place.write("m.keyfold", MODEL), server.name("d"));
    let both = [model.as_str(), "--from", &from, "--at", "keyfold:./data"];
    let run = [&["migrate", "run"], &both[..]].concat();
    let compare = [&["migrate", "compare"], &both[..], &["--for", "60s"]].concat();
    let ways: [(&[&str], &str, usize); 2] =
        [(&run, "\"rows\":2", 1), (&compare, "\"compared\"", 2)];
    for (command, event, signals) in ways {
        let child = under_way(&place, command, |line| line.contains(event));
        let (code, said, took) = ended(child, server.id(), signals);
        assert_eq!(code, Some(130), "{command:?}: {said}");
        let is_waited_for = signals == 1;
        assert_eq!(
            said.contains("is not waited for any more"),
            is_waited_for,
            "{said}"
        );
        let most = Duration::from_secs(if is_waited_for { 40 } else { 10 });
        assert!(took < most, "{command:?}: {took:?}");
    }
    // Nothing is lost: the same command goes on.
    let once = [&run[..], &["--once"]].concat();
    let ended = place.json(0, &once);
    assert_eq!(ended["state"], "caught_up", "{ended}");
}
