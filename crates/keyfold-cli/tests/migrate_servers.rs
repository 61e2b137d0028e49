//! `keyfold migrate` of PostgreSQL and MariaDB as a process: passwords that are wrong or missing, and columns that are gone.
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
#[path = "../../keyfold-relational/tests/support/mod.rs"]
mod support;
mod workplace;
#[path = "../../keyfold-relational/tests/worlds/mod.rs"]
mod worlds;

use serde_json::Value as Json;
use std::process::Output;
use workplace::Workplace;

const MODEL: &str = "\
model shop 1

table Shop (PK, SK)

entity Customer in Shop
  customerId: int, name: string, note: string?
  key \"C#{customerId}\" \"C\"
  from customers set customerId = customers.id

pattern customer(customerId) -> Customer
";
const ROWS: &str = "CREATE TABLE customers (id int PRIMARY KEY, name varchar(99) NOT NULL, note varchar(99)); INSERT INTO \
                    customers VALUES (1, 'Ann', 'a'), (2, 'Bob', NULL)";

fn place() -> Workplace {
    let place = Workplace::new();
    place.write("shop.keyfold", MODEL);
    place
}

/// Runs a command of a migration into a data folder.
fn migrate(place: &Workplace, from: &str, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let both = ["shop.keyfold", "--from", from, "--at", "keyfold:./data"];
    let line = [&["migrate", words[0]], &both[..], &words[1..]].concat();
    let mut command = place.command(&line);
    command.env_remove("PGPASSWORD").env_remove("MYSQL_PWD");
    command.envs(variables.iter().copied()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a migration with a wrong password, with none, and with the right one, when it is to begin and when it goes on.
fn check_password(from: &str, variable: &str, sentences: [&str; 2]) {
    let place = place();
    let run = ["run", "--once", "--json"];
    for puts in [2, 0] {
        for (given, sentence) in [(Some("wrong"), sentences[0]), (None, sentences[1])] {
            let variables: Vec<_> = given.into_iter().map(|given| (variable, given)).collect();
            let output = migrate(&place, from, &run, &variables);
            assert_eq!(output.status.code(), Some(5), "{}", said(&output));
            let document: Json = serde_json::from_slice(&output.stdout).unwrap();
            let message = document["error"]["message"].as_str().unwrap();
            let help = format!("; {variable} holds the password of the user");
            for due in ["cannot connect to ", sentence, &help] {
                assert!(message.contains(due), "{due}: {message}");
            }
            assert!(!message.contains("wrong"), "{message}");
            // Nothing is made before the database has answered.
            let is_there = place.folder.path().join("data").exists();
            assert_eq!(is_there, puts == 0, "{message}");
        }
        let output = migrate(&place, from, &run, &[(variable, "right")]);
        let document: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["result"]["counted"]["put"], puts, "{document}");
    }
}

#[test]
fn a_wrong_password_of_postgres_is_said() {
    let server = support::Server::start();
    server.connect("postgres").must("CREATE DATABASE shop");
    let program = server.connect("shop");
    program.must(ROWS);
    program.must(
        "SET password_encryption = 'scram-sha-256'; CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'right'",
    );
    server.write(
        "pg_hba.conf",
        "local all keeper scram-sha-256\nlocal all all trust\n",
    );
    program.must("SELECT pg_reload_conf()");
    let from = server.name("shop").replace("//me@", "//keeper@");
    // The settings are read in a moment.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while support::Program::connect(&from).is_some() {
        assert!(
            std::time::Instant::now() < until,
            "no password is asked for"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sentences = [
        "password authentication failed for user \"keeper\"",
        "PostgreSQL wants a password",
    ];
    check_password(&from, "PGPASSWORD", sentences);
}

#[test]
fn a_wrong_password_of_mariadb_is_said() {
    let server = mariadb_server::Server::start();
    let program = server.database("shop");
    program.must(ROWS);
    program.must(
        "CREATE USER keeper@localhost IDENTIFIED BY 'right'; GRANT ALL ON *.* TO keeper@localhost",
    );
    let sentences = [
        "Access denied for user 'keeper'@'localhost' (using password: YES)",
        "Access denied for user 'keeper'@'localhost' (using password: NO)",
    ];
    let from = server.name_of("keeper", "shop");
    check_password(&from, "MYSQL_PWD", sentences);
}

/// A column that is renamed, and then dropped, is told with the line of the model. What helps is what the sentence says.
fn check_column(from: &str, execute: impl Fn(&str)) {
    let place = place();
    let done = |words: &[&str]| {
        let output = migrate(&place, from, words, &[]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{words:?}: {}",
            said(&output)
        );
    };
    done(&["run", "--once"]);
    for (goes, comes) in [
        (
            "RENAME COLUMN note TO remark",
            "RENAME COLUMN remark TO note",
        ),
        ("DROP COLUMN note", "ADD COLUMN note varchar(99)"),
    ] {
        execute(&format!("ALTER TABLE customers {goes}"));
        for words in [
            &["run", "--once"][..],
            &["switch", "--yes"],
            &["complete", "--yes"],
        ] {
            let output = migrate(&place, from, words, &[]);
            let said = said(&output);
            assert_eq!(output.status.code(), Some(3), "{words:?}: {said}");
            for due in [
                "`customers.note` filled `note` of Customer",
                "shop.keyfold:8",
                "give the database the column `customers.note` again; or `keyfold migrate abort`",
            ] {
                assert!(said.contains(due), "{words:?}, {due}: {said}");
            }
        }
        execute(&format!("ALTER TABLE customers {comes}"));
        // A log may not tell the rows any more; then it is begun anew.
        let output = migrate(&place, from, &["run", "--once"], &[]);
        if !output.status.success() {
            let said = said(&output);
            assert!(said.contains("`keyfold migrate abort`"), "{said}");
            done(&["abort", "--yes"]);
            done(&["run", "--once"]);
        }
        // What was in a column that was dropped is in items still.
        done(&["verify", "--mend", "--yes"]);
        done(&["verify"]);
    }
    done(&["complete", "--yes"]);
}

#[test]
fn a_column_that_is_gone_of_postgres_is_told_with_its_line() {
    let server = support::Server::start();
    server.connect("postgres").must("CREATE DATABASE shop");
    let program = server.connect("shop");
    program.must(ROWS);
    check_column(&server.name("shop"), |sql| program.must(sql));
}

#[test]
fn a_column_that_is_gone_of_mariadb_is_told_with_its_line() {
    let server = mariadb_server::Server::start();
    let program = server.database("shop");
    program.must(ROWS);
    check_column(&server.name("shop"), |sql| program.must(sql));
}
