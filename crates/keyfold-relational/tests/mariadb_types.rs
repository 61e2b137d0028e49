//! Values of every type of MariaDB: as attributes, as what tells a row that is gone, and as what joins tables.

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

use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::{Bound, Mapping};
use keyfold_types::Value;
use mariadb_server::{MODEL, Program, Server, run};
use worlds::{backend, compiled, first_value};

/// A value of each type is stored as its text says, or refused with the reason.
#[test]
fn values_of_every_type_are_stored_or_refused() {
    let server = Server::start();
    let program = server.database("d");
    let name = server.name("d");
    let kept = [
        ("tinyint", "-128", "int", "N(-128)"),
        ("smallint unsigned", "65535", "string", "S(\"65535\")"),
        ("mediumint", "-8388608", "number", "N(-8388608)"),
        ("int unsigned zerofill", "5", "int", "N(5)"),
        (
            "bigint",
            "-9223372036854775808",
            "int",
            "N(-9223372036854775808)",
        ),
        (
            "bigint unsigned",
            "18446744073709551615",
            "number",
            "N(18446744073709551615)",
        ),
        ("boolean", "true", "bool", "Bool(true)"),
        ("bit(1)", "b'1'", "bool", "Bool(true)"),
        ("bit(64)", "b'1'", "int", "N(1)"),
        ("float", "0.1", "number", "N(0.1)"),
        ("float", "16777217", "number", "N(16777216)"),
        ("double", "1e-7", "number", "N(0.0000001)"),
        ("double", "0.1", "number", "N(0.1)"),
        (
            "decimal(65,0)",
            "12345678901234567890123456789012345678",
            "number",
            "N(12345678901234567890123456789012345678)",
        ),
        ("decimal(10,2)", "1.50", "number", "N(1.5)"),
        ("decimal(10,2)", "-0.05", "string", "S(\"-0.05\")"),
        ("char(5)", "'ab '", "string", "S(\"ab\")"),
        ("varchar(9)", "'a''b '", "string", "S(\"a'b \")"),
        (
            "varchar(9) character set latin1",
            "'€é'",
            "string",
            "S(\"€é\")",
        ),
        ("text character set cp1251", "'да'", "string", "S(\"да\")"),
        (
            "varchar(9) character set utf16",
            "'𝄞'",
            "string",
            "S(\"𝄞\")",
        ),
        ("longtext", "'😀'", "string", "S(\"😀\")"),
        ("enum('sad','glad')", "'glad'", "sad | glad", "S(\"glad\")"),
        ("set('a','b','c')", "'c,a'", "string", "S(\"a,c\")"),
        ("date", "'2026-02-28'", "date", "S(\"2026-02-28\")"),
        (
            "datetime",
            "'2026-02-28 10:00:00'",
            "time(s)",
            "S(\"2026-02-28T10:00:00Z\")",
        ),
        (
            "datetime(3)",
            "'2026-02-28 10:00:00.5'",
            "time(ms)",
            "S(\"2026-02-28T10:00:00.500Z\")",
        ),
        (
            "timestamp",
            "'2026-02-28 10:00:00'",
            "time(s)",
            "S(\"2026-02-28T08:00:00Z\")",
        ),
        ("time", "'-10:00:00'", "string", "S(\"-10:00:00\")"),
        ("time(2)", "'100:00:00.25'", "string", "S(\"100:00:00.25\")"),
        ("year", "2026", "int", "N(2026)"),
        ("binary(3)", "x'00ff'", "binary", "B([0, 255, 0])"),
        ("varbinary(3)", "x'00ff'", "binary", "B([0, 255])"),
        ("longblob", "x'00ff'", "binary", "B([0, 255])"),
        (
            "json",
            "'{\"a\": [1, null]}'",
            "string",
            "S(\"{\\\"a\\\": [1, null]}\")",
        ),
        (
            "json",
            "'[\"a,b\", \"c\"]'",
            "list of string",
            "L([S(\"a,b\"), S(\"c\")])",
        ),
        (
            "uuid",
            "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
            "uuid",
            "S(\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\")",
        ),
        ("inet6", "'::1'", "string", "S(\"::1\")"),
        ("inet4", "'10.0.0.1'", "string", "S(\"10.0.0.1\")"),
        ("text", "NULL", "string", "absent"),
    ];
    program.must("SET time_zone = '+02:00'");
    for (kind, value, of, due) in kept {
        let stored = stored(&program, &name, (kind, value), of);
        assert_eq!(stored.as_deref(), Ok(due), "{kind} as {of}");
    }
    program.must("SET sql_mode = ''");
    let refused = [
        (
            "decimal(65,0)",
            "1234567890123456789012345678901234567890",
            "number",
        ),
        ("date", "'0000-00-00'", "date"),
        ("date", "'2026-02-00'", "date"),
        ("datetime", "'0000-00-00 00:00:00'", "time(s)"),
        ("timestamp", "0", "time(s)"),
        ("int", "5", "time(s)"),
        ("tinyint", "2", "bool"),
        ("text", "'x'", "int"),
        ("varbinary(3)", "x'00'", "string"),
        ("point", "point(1, 2)", "string"),
        ("enum('sad','glad')", "'glad'", "sad | bad"),
    ];
    for (kind, value, of) in refused {
        let said = stored(&program, &name, (kind, value), of);
        let is_named = said
            .as_ref()
            .is_err_and(|said| said.starts_with("t (id = "));
        assert!(is_named, "{kind} as {of}: {said:?}");
    }
}

/// What a value of a column is in an attribute, or why it is none.
fn stored(
    program: &Program,
    name: &str,
    (kind, value): (&str, &str),
    of: &str,
) -> Result<String, String> {
    program.must("DROP TABLE IF EXISTS t");
    program.must(&format!(
        "CREATE TABLE t (id varchar(9) PRIMARY KEY, v {kind})"
    ));
    program.must(&format!("INSERT INTO t VALUES ('a', {value})"));
    let model = compiled(&MODEL.replace("v: string?", &format!("v: {of}?")));
    first_value(&model, &mut Mariadb::open(name).unwrap())
}

/// What the log tells of a row that is gone names the item that the row made, for every type of a key.
#[test]
fn rows_are_told_by_columns_of_every_type() {
    let server = Server::start();
    let program = server.database("d");
    let name = server.name("d");
    let kinds = [
        ("tinyint", "int", "-128, 127, 0"),
        ("tinyint unsigned", "int", "255, 128, 0"),
        ("smallint unsigned", "int", "65535, 1, 0"),
        ("mediumint", "int", "-8388608, 8388607, 0"),
        ("mediumint unsigned", "int", "16777215, 8388608, 0"),
        ("int", "int", "-2147483648, 2147483647, 0"),
        ("int unsigned", "string", "4294967295, 2147483648, 0"),
        (
            "bigint",
            "string",
            "-9223372036854775808, 9223372036854775807, 0",
        ),
        (
            "bigint unsigned",
            "string",
            "18446744073709551615, 9223372036854775808, 18446744073709551614",
        ),
        ("decimal(20,5)", "string", "123456789012345.67890, -0.05, 0"),
        (
            "decimal(30,0)",
            "string",
            "123456789012345678901234567890, 123456789012345678901234567891, 7",
        ),
        ("decimal(9,9)", "string", "0.5, -0.000000001, 0"),
        ("double", "number", "0.1, 1e-7, -12345.678"),
        ("bit(9)", "int", "511, 256, 0"),
        ("year", "string", "0, 1901, 2155"),
        ("date", "string", "'2026-02-28', '1000-01-01', '0000-00-00'"),
        (
            "datetime",
            "string",
            "'2026-02-28 10:11:12', '1000-01-01', '0000-00-00'",
        ),
        (
            "datetime(4)",
            "string",
            "'2026-02-28 10:11:12.5', '1969-12-31 23:59:59.9999', '2026-02-28'",
        ),
        (
            "timestamp",
            "string",
            "'2026-02-28 10:11:12', '2037-12-31 00:00:00', 0",
        ),
        (
            "timestamp(6)",
            "string",
            "'2026-02-28 10:11:12.000001', '2000-02-29', 0",
        ),
        (
            "time(3)",
            "string",
            "'-838:59:59.999', '00:00:00.5', '-00:00:01'",
        ),
        ("char(9)", "string", "'ab  ', 'é', '\u{1f600}'"),
        ("varchar(300)", "string", "'ab', 'é', 'x'"),
        ("varchar(9) character set latin1", "string", "'€', 'é', 'ß'"),
        (
            "varchar(9) character set cp1251",
            "string",
            "'да', 'нет', 'a'",
        ),
        (
            "varchar(9) character set utf16",
            "string",
            "'да', '\u{1f600}', 'a'",
        ),
        ("enum('a','b''c','é')", "string", "'a', 'b''c', 'é'"),
        (
            "uuid",
            "uuid",
            "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a00', '018f0000-0000-7000-8000-000000000001', \
             'c232ab00-9414-11ec-b3c8-9f6bdeced846'",
        ),
    ];
    program.must("SET sql_mode = ''");
    for (kind, of, values) in kinds {
        program.must("DROP TABLE IF EXISTS t");
        program.must(&format!("CREATE TABLE t (id {kind} PRIMARY KEY, v int)"));
        for value in values.split(", ") {
            program.must(&format!("INSERT INTO t VALUES ({value}, 1)"));
        }
        let model =
            compiled(&MODEL.replace("id: string, v: string?", &format!("id: {of}, v: int?")));
        let backend = backend(&model);
        assert_eq!(run(&model, &name, &backend), Ok(()), "{kind}");
        program.must("UPDATE t SET v = 2");
        assert_eq!(run(&model, &name, &backend), Ok(()), "{kind}");
        program.must("DELETE FROM t WHERE v = 2 ORDER BY id LIMIT 1");
        assert_eq!(run(&model, &name, &backend), Ok(()), "{kind}");
        program.must("DELETE FROM t");
        assert_eq!(run(&model, &name, &backend), Ok(()), "{kind}");
    }
}

/// A table under two names, joins of other types, and identities that MariaDB takes for equal.
#[test]
fn names_types_and_collations_do_not_matter_to_what_is_carried() {
    let server = Server::start();
    let program = server.database("d");
    let name = server.name("d");
    program.must(
        "CREATE TABLE t (id varchar(9) CHARACTER SET latin1, n int, v text, c varchar(9), INDEX (id))
         CREATE TABLE k (n decimal(20,3) PRIMARY KEY, name text)",
    );
    let model = compiled(
        "model m 1\n\ntable Tab (PK, SK)\n\nentity A in Tab\n  id: string, v: string?\n  key \"A#{id}\" \"A\"\n  from t\n\n\
         entity B in Tab\n  id: string, n: int, v: string?, label: string?\n  key \"B#{id}\" \"B#{n}\"\n  from d.t x left join k \
         on k.n = x.c set label = k.name\n\npattern one(id) -> A\npattern other(id) -> B[]\n",
    );
    let backend = backend(&model);
    program.must("INSERT INTO t VALUES ('a', 1, 'a', '1'), ('A', 1, 'b', '2'), ('a ', 1, 'c', '2.0'), ('Ä', 1, 'd', '3')");
    assert_eq!(run(&model, &name, &backend), Ok(()));
    let ways = [
        "UPDATE t SET v = 'z' WHERE BINARY id = 'a'",
        "UPDATE t SET id = 'b' WHERE BINARY id = 'A'",
        "UPDATE t SET id = 'B' WHERE id = 'b'",
        "INSERT INTO k VALUES (1, 'one'), (2, 'two'), (7.5, 'half'); DELETE FROM t WHERE BINARY id = 'a '",
        "UPDATE k SET n = 3 WHERE n = 2",
        "DELETE FROM t WHERE id = 'ä'; INSERT INTO t VALUES ('ä', 1, 'e', '3')",
        "DELETE FROM k; DELETE FROM t",
    ];
    for way in ways {
        program.must(way);
        assert_eq!(run(&model, &name, &backend), Ok(()), "{way}");
    }
}

/// Columns of types that no key has join tables, too.
#[test]
fn rows_are_joined_by_columns_of_every_type() {
    let server = Server::start();
    let program = server.database("d");
    let name = server.name("d");
    let model = MODEL.replace("from t", "from t left join k on k.b = t.b set v = k.name");
    let kinds = [
        ("binary(8)", ["x'0100'", "x'ff'"]),
        ("varbinary(8)", ["x'0100'", "x'01'"]),
        (
            "decimal(30,2)",
            ["12345678901234567890.10", "12345678901234567890.11"],
        ),
        (
            "bigint unsigned",
            ["18446744073709551615", "18446744073709551614"],
        ),
        ("datetime(3)", ["'2026-02-28 10:00:00.5'", "'2026-02-28'"]),
        ("timestamp", ["'2026-02-28 10:00:00'", "'2026-02-28'"]),
        ("date", ["'2026-02-28'", "'2026-03-01'"]),
        ("time(3)", ["'-10:00:00.5'", "'10:00:00'"]),
        ("double", ["0.1", "1e300"]),
        ("bit(64)", ["18446744073709551615", "1"]),
        (
            "uuid",
            [
                "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a00'",
                "'018f0000-0000-7000-8000-000000000001'",
            ],
        ),
        ("char(9) character set cp1251", ["'да'", "'нет'"]),
        ("enum('a','b')", ["'a'", "'b'"]),
    ];
    for (kind, [one, two]) in kinds {
        program.must("DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS k");
        program.must(&format!(
            "CREATE TABLE t (id varchar(9) PRIMARY KEY, b {kind})"
        ));
        program.must(&format!("CREATE TABLE k (b {kind} PRIMARY KEY, name text)"));
        program.must(&format!(
            "INSERT INTO t VALUES ('a', {one}), ('b', {two}), ('c', NULL)"
        ));
        let (model, name) = (compiled(&model), name.as_str());
        let backend = backend(&model);
        assert_eq!(run(&model, name, &backend), Ok(()), "{kind}");
        for way in [
            format!("INSERT INTO k VALUES ({one}, 'one')"),
            "UPDATE k SET name = 'other'".to_owned(),
            format!("UPDATE k SET b = {two}"),
            "DELETE FROM k".to_owned(),
        ] {
            program.must(&way);
            assert_eq!(run(&model, name, &backend), Ok(()), "{kind}: {way}");
        }
    }
}

/// A word is asked for by its text, whatever other words there are, and not by its number.
#[test]
fn rows_with_a_word_are_found() {
    let server = Server::start();
    let program = server.database("d");
    program.must(
        "CREATE TABLE t (id varchar(9) PRIMARY KEY, v enum('int', '5')); INSERT INTO t VALUES ('a', '5'), ('b', 'int')",
    );
    let model = compiled(MODEL);
    let mut source = Mariadb::open(&server.name("d")).unwrap();
    let mapping = Mapping::of(&model, &mut source).unwrap();
    let bound = Bound {
        attribute: "v".to_owned(),
        values: vec![Value::S("5".to_owned())],
    };
    let rows = mapping.entities[0].rows_with(&mut source, &[bound], 10);
    let rows = rows.unwrap().unwrap();
    let ids: Vec<&Value> = rows.iter().map(|row| &row["id"]).collect();
    assert!(ids.contains(&&Value::S("a".to_owned())), "{ids:?}");
}
