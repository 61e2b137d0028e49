//! What MariaDB alone can do to a migration: a log that tells too little, tables that are changed, a server that is
//! killed, and values of every type.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod mariadb_server;
mod worlds;

use keyfold_client::Backend;
use keyfold_model::Model;
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::{
    Abort, Ended, MapError, Mapping, Migration, Progress, Sizes, Source, abort,
};
use mariadb_server::{MODEL, ROWS, Server, run};
use std::time::Duration;
use worlds::{backend, compiled};

/// Gives a migration up.
fn give_up(model: &Model, name: &str, backend: &Backend) {
    let mut source = Mariadb::open(name).unwrap();
    let ended = abort(&mut source, backend, (model, None), Abort::Own);
    assert!(ended.is_ok(), "{ended:?}");
}

#[test]
fn a_log_that_tells_too_little_is_refused_with_what_mends_it() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    let name = server.name("d");
    program.must("CREATE TABLE p (id varchar(9) PRIMARY KEY)");
    let tables = [
        (
            "CREATE TABLE t (id varchar(9) PRIMARY KEY, v text) ENGINE = Aria",
            "ENGINE = InnoDB",
        ),
        (
            "CREATE TABLE t (id varchar(9) PRIMARY KEY, v text, FOREIGN KEY (id) REFERENCES p (id) ON DELETE CASCADE)",
            "ON DELETE CASCADE",
        ),
        (
            "CREATE TABLE t (id varchar(9) PRIMARY KEY, v varchar(9), FOREIGN KEY (v) REFERENCES p (id) ON UPDATE SET NULL)",
            "ON UPDATE SET NULL",
        ),
        (
            "CREATE TABLE t (n int PRIMARY KEY, id varchar(9) AS (n) VIRTUAL, v text)",
            "virtual",
        ),
        (
            "CREATE TABLE t (id time(2) PRIMARY KEY, v text)",
            "is a TIME of one or two",
        ),
        (
            "CREATE TABLE t (id float PRIMARY KEY, v text)",
            "is a FLOAT",
        ),
        (
            "CREATE TABLE t (id set('a', 'b') PRIMARY KEY, v text)",
            "is of a type",
        ),
        ("CREATE VIEW t AS SELECT 'a' AS id, '' AS v", "is a view"),
        ("CREATE SEQUENCE t", "is no table"),
    ];
    for (schema, due) in tables {
        program.must(schema);
        let said = run(&model, &name, &backend(&model)).unwrap_err();
        assert!(said.contains(due), "{schema}: {said}");
        program.must(match schema.split(' ').nth(1) {
            Some("VIEW") => "DROP VIEW t",
            Some("SEQUENCE") => "DROP SEQUENCE t",
            _ => "DROP TABLE t",
        });
    }
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)");
    let settings = [
        ("binlog_format", "MIXED", "ROW"),
        ("binlog_row_image", "MINIMAL", "FULL"),
        ("binlog_row_metadata", "NO_LOG", "FULL"),
        ("log_bin_compress", "ON", "0"),
    ];
    for (setting, wrong, right) in settings {
        program.must(&format!("SET GLOBAL {setting} = {wrong}"));
        let said = run(&model, &name, &backend(&model)).unwrap_err();
        let due = format!("SET GLOBAL {setting} = {right}");
        assert!(said.contains(&due), "{said}");
        program.must(&due);
    }
    assert_eq!(run(&model, &name, &backend(&model)), Ok(()));
}

#[test]
fn a_server_without_a_log_and_a_role_without_rights_are_told_what_is_missing() {
    let mut server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    program.must(
        "CREATE TABLE t (id varchar(9) PRIMARY KEY, v text); CREATE USER r@localhost; GRANT SELECT ON d.* TO r@localhost",
    );
    let name = server.name_of("r", "d");
    for right in ["BINLOG MONITOR", "REPLICATION SLAVE"] {
        let said = run(&model, &name, &backend(&model)).unwrap_err();
        assert!(said.contains(&format!("GRANT {right} ON *.*")), "{said}");
        program.must(&format!("GRANT {right} ON *.* TO r@localhost"));
    }
    assert_eq!(run(&model, &name, &backend(&model)), Ok(()));
    // What a role may only select from, the catalog shows it in part.
    program.must("CREATE TABLE u (id varchar(9) PRIMARY KEY)");
    program.must("ALTER TABLE t ADD w varchar(9), ADD CONSTRAINT `f``k` FOREIGN KEY (w) REFERENCES u (id) ON DELETE SET NULL");
    let said = run(&model, &name, &backend(&model)).unwrap_err();
    assert!(
        said.contains("by the foreign key `f`k` (ON DELETE SET NULL)"),
        "{said}"
    );
    program.must("ALTER TABLE t DROP FOREIGN KEY `f``k`");
    let said = run(&model, &server.name_of("nobody", "d"), &backend(&model)).unwrap_err();
    assert!(said.contains("Access denied"), "{said}");
    drop(program);
    server.kill();
    server.run(&[]);
    let said = run(&model, &name, &backend(&model)).unwrap_err();
    assert!(said.contains("put `log_bin`"), "{said}");
    server.kill();
    server.run(&[&ROWS[..], &["--binlog-ignore-db=d"]].concat());
    let said = run(&model, &name, &backend(&model)).unwrap_err();
    assert!(said.contains("leaves the database `d` out"), "{said}");
}

/// A replica that keeps no log of what it repeats tells nothing of it.
#[test]
fn a_server_that_repeats_the_changes_of_another_logs_them() {
    let mut server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)");
    program.must("CREATE USER r@localhost; GRANT SELECT, BINLOG MONITOR, REPLICATION SLAVE ON *.* TO r@localhost");
    let (root, role) = (server.name("d"), server.name_of("r", "d"));
    let is_refused = |name: &str| {
        let ended = run(&model, name, &backend(&model));
        ended.is_err_and(|said| said.contains("log_slave_updates"))
    };
    assert!(!is_refused(&root) && !is_refused(&role));
    program.must("SET GLOBAL gtid_slave_pos = '5-5-5'");
    assert!(!is_refused(&root), "it is no replica any more");
    assert!(is_refused(&role), "it may be one");
    program.must("CHANGE MASTER TO master_host = '127.0.0.1', master_user = 'nobody'");
    assert!(is_refused(&root) && is_refused(&role));
    drop(program);
    server.kill();
    server.run(&[&ROWS[..], &["--log-slave-updates", "--skip-slave-start"]].concat());
    assert!(!is_refused(&root) && !is_refused(&role));
}

/// What changes rows without a word in the log ends the run.
#[test]
fn what_was_passed_over_ends_the_run_with_a_sentence() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    let name = server.name("d");
    let ways = [
        "TRUNCATE t",
        "DROP TABLE t; CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)",
        "CREATE OR REPLACE TABLE t (id varchar(9) PRIMARY KEY, v text)",
        "CREATE TABLE n LIKE t; RENAME TABLE t TO o, n TO t; DROP TABLE o",
        "ALTER TABLE t MODIFY v varchar(50)",
        "ALTER TABLE t DROP v, ADD v text DEFAULT 'new'",
        "ALTER TABLE t CHANGE v v text CHARACTER SET latin1",
        "SET SESSION binlog_format = STATEMENT; UPDATE t SET v = 'x'; SET SESSION binlog_format = ROW",
        "DROP TABLE t; CREATE TABLE t (n int AUTO_INCREMENT PRIMARY KEY, id varchar(9), v text)",
        "SET GLOBAL binlog_row_metadata = NO_LOG; UPDATE t SET v = 'x'; SET GLOBAL binlog_row_metadata = FULL",
        "SET GLOBAL log_bin_compress = ON; INSERT INTO t VALUES ('n', repeat('x', 9000)); SET GLOBAL log_bin_compress = OFF",
        "RESET MASTER",
        "FLUSH BINARY LOGS; FLUSH BINARY LOGS; SET @f = 0; PURGE BINARY LOGS BEFORE '2999-01-01'; RESET MASTER",
    ];
    for way in ways {
        program.must("DROP TABLE IF EXISTS t; CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)");
        program.must("INSERT INTO t VALUES ('a', 'b')");
        let backend = backend(&model);
        assert_eq!(run(&model, &name, &backend), Ok(()), "{way}");
        program.must(way);
        program.must("INSERT IGNORE INTO t (id, v) VALUES ('z', 'z')");
        let ended = run(&model, &name, &backend);
        let Err(said) = ended else {
            panic!("{way} is passed over");
        };
        assert!(said.contains("keyfold migrate abort"), "{way}: {said}");
        // It does not end until the migration is given up.
        assert_eq!(run(&model, &name, &backend), Err(said), "{way}");
        give_up(&model, &name, &backend);
    }
}

/// A session whose rows are told in part is no harm, as long as they are told by what is needed.
#[test]
fn a_row_is_told_by_what_identifies_its_item() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    let name = server.name("d");
    let schemas = [
        "CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)",
        "CREATE TABLE t (id varchar(9), v text, n int AUTO_INCREMENT PRIMARY KEY)",
    ];
    for (at, schema) in schemas.iter().enumerate() {
        program.must(schema);
        program.must("INSERT INTO t (id, v) VALUES ('a', 'a'), ('b', 'b')");
        let backend = backend(&model);
        assert_eq!(run(&model, &name, &backend), Ok(()));
        program.must("SET SESSION binlog_row_image = MINIMAL");
        program.must("UPDATE t SET v = 'x' WHERE id = 'a'; DELETE FROM t WHERE id = 'b'");
        program.must("SET SESSION binlog_row_image = FULL");
        let ended = run(&model, &name, &backend);
        match at {
            0 => assert_eq!(ended, Ok(())),
            _ => {
                let is_said = |said: &String| said.contains("did not tell `id` of `t`");
                assert!(ended.as_ref().is_err_and(is_said), "{ended:?}");
            }
        }
        give_up(&model, &name, &backend);
        program.must("DROP TABLE t");
    }
}

/// A log that was thrown away is no place to go on from.
#[test]
fn a_log_that_was_purged_is_missed() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    let name = server.name("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)");
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    program.must(
        "INSERT INTO t VALUES ('a', 'b'); FLUSH BINARY LOGS; INSERT INTO t VALUES ('b', 'b')",
    );
    let last = program.text("SELECT MAX(f) FROM (SELECT 'log.000002' AS f) AS x");
    std::thread::sleep(Duration::from_secs(1));
    program.must(&format!("PURGE BINARY LOGS TO '{last}'"));
    let said = run(&model, &name, &backend).unwrap_err();
    assert!(said.contains("does not have its log"), "{said}");
}

/// What does no harm does not end it.
#[test]
fn harmless_changes_of_tables_are_followed() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    let name = server.name("d");
    program.must(
        "CREATE TABLE t (id varchar(9) PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'a')",
    );
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    let ways = [
        "ALTER TABLE t ADD w int DEFAULT 5 FIRST",
        "INSERT INTO t VALUES (1, 'b', 'b'); ALTER TABLE t ADD x varchar(5) AFTER w; UPDATE t SET v = 'c', id = 'd' WHERE id = 'b'",
        "CREATE INDEX i ON t (v(5)); DROP INDEX i ON t; OPTIMIZE TABLE t; ANALYZE TABLE t",
        "CREATE TEMPORARY TABLE t (id int); INSERT INTO t VALUES (1); DROP TEMPORARY TABLE t",
        "CREATE TABLE other (v text) ENGINE = Aria; INSERT INTO other VALUES ('t'); TRUNCATE other; DROP TABLE other",
        "FLUSH BINARY LOGS; UPDATE t SET v = 'e'; FLUSH BINARY LOGS",
        "DELETE FROM t WHERE id = 'a'; ALTER TABLE t COMMENT 'drop v'",
    ];
    for way in ways {
        program.must(way);
        program.must("INSERT INTO t (id, v) VALUES (left(uuid(), 9), 'x')");
        assert_eq!(run(&model, &name, &backend), Ok(()), "{way}");
    }
}

/// One migration at a time has a database, and its right ends with it.
#[test]
fn two_runs_do_not_share_a_database() {
    let server = Server::start();
    let model = compiled(MODEL);
    server
        .database("d")
        .must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)");
    let name = server.name("d");
    let mut first = Mariadb::open(&name).unwrap();
    first.claim().unwrap();
    let said = run(&model, &name, &backend(&model)).unwrap_err();
    assert!(
        said.contains("another `keyfold migrate` is at work"),
        "{said}"
    );
    drop(first);
    assert_eq!(run(&model, &name, &backend(&model)), Ok(()));
}

/// A run that follows until it is stopped, while something happens.
fn following(model: &Model, name: &str, backend: &Backend, happens: impl FnOnce(&dyn Fn())) {
    let progress = Progress::default();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut source = Mariadb::open(name).unwrap();
            let mapping = Mapping::of(model, &mut source).unwrap();
            Migration::new(&mapping, &mut source, backend, &progress).run(false)
        });
        happens(&|| assert!(!run.is_finished(), "it has ended"));
        progress.stop();
        let ended = run.join().unwrap();
        assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    });
    assert_eq!(run(model, name, backend), Ok(()));
}

/// A server that is killed while changes are followed is waited for, and nothing is passed over.
#[test]
fn a_server_that_is_killed_is_waited_for() {
    let mut server = Server::start();
    let model = compiled(MODEL);
    let mut program = server.database("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)");
    let (name, backend) = (server.name("d"), backend(&model));
    following(&model, &name, &backend, |runs| {
        for round in 0..5 {
            for number in 0..20 {
                program.must(&format!("REPLACE INTO t VALUES ('{number}', 'r{round}')"));
                std::thread::sleep(Duration::from_millis(5));
            }
            server.kill();
            server.run(&ROWS);
            program = server.connect("d");
            runs();
        }
        program.must("DELETE FROM t WHERE id = '7'");
        std::thread::sleep(Duration::from_secs(1));
    });
}

/// Connections that somebody ends are made again.
#[test]
fn connections_that_are_ended_are_made_again() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text)");
    let (name, backend) = (server.name("d"), backend(&model));
    following(&model, &name, &backend, |runs| {
        for round in 0..40 {
            program.must(&format!(
                "REPLACE INTO t VALUES ('{}', 'r{round}')",
                round % 7
            ));
            std::thread::sleep(Duration::from_millis(100));
            let other = program.text(
                "SELECT COALESCE((SELECT GROUP_CONCAT(id) FROM information_schema.PROCESSLIST WHERE id <> connection_id() \
                 AND user = 'root'), '0')",
            );
            let all: Vec<&str> = other.split(',').collect();
            program.execute(&format!("KILL {}", all[round % all.len()]));
            runs();
        }
        std::thread::sleep(Duration::from_secs(1));
    });
}

/// A transaction of several databases is told when it is prepared, and seen when it has ended.
#[test]
fn a_prepared_transaction_is_carried_when_it_has_ended() {
    let server = Server::start();
    let model = compiled(MODEL);
    let (program, other) = (server.database("d"), server.connect("d"));
    let name = server.name("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'a'), ('c', 'c')");
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    for end in ["COMMIT", "ROLLBACK"] {
        program.must("XA START 'x', 'y'");
        program.must(&format!(
            "REPLACE INTO t VALUES ('b', '{end}'); DELETE FROM t WHERE id = 'c'"
        ));
        program.must("XA END 'x', 'y'; XA PREPARE 'x', 'y'");
        other.must("INSERT INTO t VALUES (left(uuid(), 9), 'v')");
        assert_eq!(run(&model, &name, &backend), Ok(()), "{end}");
        other.must("INSERT INTO t VALUES (left(uuid(), 9), 'v')");
        program.must(&format!("XA {end} 'x', 'y'"));
        assert_eq!(run(&model, &name, &backend), Ok(()), "{end}");
        other.must("INSERT INTO t VALUES (left(uuid(), 9), 'v')");
        assert_eq!(run(&model, &name, &backend), Ok(()), "{end}");
        other.must("REPLACE INTO t VALUES ('c', 'c')");
    }
    give_up(&model, &name, &backend);
    program.must("XA START 'x'; INSERT INTO t VALUES ('d', 'd'); XA END 'x'; XA PREPARE 'x'");
    let said = run(&model, &name, &worlds::backend(&model)).unwrap_err();
    assert!(said.contains("XA RECOVER"), "{said}");
    program.must("XA ROLLBACK 'x'");
}

/// A long transaction is carried in pieces, and goes on after a kill in the middle.
#[test]
fn a_long_transaction_is_carried_in_pieces() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.database("d");
    let name = server.name("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v text); INSERT INTO t SELECT seq, 'a' FROM seq_1_to_3000");
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    program.must("BEGIN; UPDATE t SET v = 'b'; DELETE FROM t WHERE id % 3 = 0; UPDATE t SET id = concat('n', id); COMMIT");
    for _ in 0..3 {
        let mut source = Mariadb::open(&name).unwrap();
        let mapping = Mapping::of(&model, &mut source).unwrap();
        let progress = Progress::default();
        let sizes = Sizes {
            rows: 10,
            changes: 50,
            ..Sizes::default()
        };
        let mut migration =
            Migration::new(&mapping, &mut source, &backend, &progress).with_sizes(sizes);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                progress.stop();
            });
            migration.run(false);
        });
    }
    assert_eq!(run(&model, &name, &backend), Ok(()));
}

/// Writers who hand unique values over while a run follows: what is refused for a moment is read again.
#[test]
fn a_run_outlives_what_is_refused_for_a_moment() {
    let server = Server::start();
    let program = server.database("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v varchar(9) UNIQUE); INSERT INTO t SELECT concat('i', seq), concat('m', seq) FROM seq_1_to_6");
    let model = compiled(&MODEL.replace("  from t", "  unique v\n  from t"));
    let (name, backend) = (server.name("d"), backend(&model));
    following(&model, &name, &backend, |_| {
        let writer = |seed: u64| {
            let program = server.connect("d");
            let mut rng = fastrand::Rng::with_seed(seed);
            for _ in 0..400 {
                let (one, two) = (rng.u8(1..7), rng.u8(1..7));
                program.execute(&format!("UPDATE t SET v = NULL WHERE id = 'i{one}'"));
                program.execute(&format!("UPDATE t SET v = 'm{two}' WHERE id = 'i{one}'"));
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| writer(1));
            scope.spawn(|| writer(2));
        });
    });
}

/// SQL in quotes is MariaDB's, of its row alone.
#[test]
fn an_expression_is_of_its_row_alone() {
    let server = Server::start();
    let program = server.database("d");
    let name = server.name("d");
    program.must(
        "CREATE TABLE t (id int PRIMARY KEY, v text, `now` int); INSERT INTO t VALUES (1, 'x', 5)",
    );
    let faults = |sql: &str| {
        let model = compiled(&MODEL.replace("from t", &format!("from t set v = \"{sql}\"")));
        match Mapping::of(&model, &mut Mariadb::open(&name).unwrap()) {
            Ok(_) => 0,
            Err(MapError::Model(faults)) => faults.len(),
            Err(MapError::Source(error)) => panic!("{error}"),
        }
    };
    for refused in [
        "(select max(v) from t)",
        "sum(t.v)",
        "row_number() over (order by t.id)",
        "rand()",
        "now()",
        "utc_date",
        "unix_timestamp()",
        "current_timestamp",
        "uuid()",
        "next value for s",
        "@v",
        "@@global.max_connections",
        "?",
        ":v",
        "t.v # more",
        "t.v -- more",
        "t.v /*! + 1 */",
        "'\\'' or (1",
        "t.nope",
        "user()",
    ] {
        assert_eq!(faults(refused), 1, "{refused}");
    }
    for taken in [
        "concat(t.v, 'select ; -- ? :v # now()')",
        "concat(t.v, 'it\\'s :v', 'it''s')",
        "`now` + 1",
        "from_unixtime(t.id)",
        "unix_timestamp(t.v)",
        "case when t.id > 5 then 'uuid()' else `v` end",
    ] {
        assert_eq!(faults(taken), 0, "{taken}");
    }
}

/// Joins that are compared by different rules are refused: a change of one side would not tell the rows of the other.
#[test]
fn a_join_of_two_collations_is_refused() {
    let server = Server::start();
    let program = server.database("d");
    program.must("CREATE TABLE t (id varchar(9) PRIMARY KEY, v varchar(9) COLLATE utf8mb4_bin); CREATE TABLE k (v varchar(9) COLLATE utf8mb4_general_ci PRIMARY KEY)");
    let model = compiled(&MODEL.replace("from t", "from t join k on k.v = t.v"));
    match Mapping::of(&model, &mut Mariadb::open(&server.name("d")).unwrap()) {
        Err(MapError::Model(faults)) => {
            assert!(
                faults[0].message.contains("compared by different rules"),
                "{faults:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}
