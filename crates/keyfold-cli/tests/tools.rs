//! Tests the tools around a model as users see them: explanations, formatting, proofs, documents,
//! differences, exports and imports.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use workplace::Workplace;

const UNSERVED: &str = "model m 1\ntable Shop (PK, SK)\nentity User\n  userId: string, city: string\n  key \"USER#{userId}\" \"PROFILE\"\npattern users_in(city) -> User[] page 20\n";

#[test]
fn check_repairs_errors_and_names_further_reading() {
    let place = Workplace::new();
    let file = place.write("m.keyfold", UNSERVED);
    let output = place.run(&["check", &file]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        err.contains("keyfold check --fix") && err.contains("keyfold explain KF010"),
        "{err}"
    );
    let text = place.text(&["check", "--fix", &file]);
    assert!(
        text.contains("repaired") && text.contains("users_in"),
        "{text}"
    );
    let repaired = std::fs::read_to_string(&file).unwrap();
    assert!(repaired.contains("GSI1  \"CITY#{city}\""), "{repaired}");
    assert!(
        text.contains("repaired")
            && text.contains(":6: no key serves")
            && text.contains("+   GSI1"),
        "{text}"
    );
    // A file that cannot be repaired stays as it is.
    let broken = place.write("broken.keyfold", "model m 1\nentity User\n  a: unheard\n");
    let output = place.run(&["check", "--fix", &broken]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("stays as it is"), "{text}");
}

#[test]
fn warnings_are_shown_by_check_and_fail_it_when_strict() {
    let place = Workplace::new();
    let santa = Workplace::model("santa.keyfold");
    let report = place.json(0, &["check", &santa]);
    let codes: Vec<&str> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["code"].as_str().unwrap())
        .collect();
    assert!(
        !codes.is_empty() && codes.iter().all(|code| *code == "KF030"),
        "{codes:?}"
    );
    assert_eq!(
        place.run(&["check", "--strict", &santa]).status.code(),
        Some(1)
    );
    assert_eq!(
        place
            .run(&["check", "--strict", &Workplace::model("shop.keyfold")])
            .status
            .code(),
        Some(0)
    );
    // The chart has every key with a sample, and the kinds that share an index.
    let report = place.json(0, &["check", &Workplace::model("shop.keyfold")]);
    let table = &report["tables"][0];
    assert_eq!(
        table["items"][0]["sample"],
        serde_json::json!(["USER#u1", "PROFILE"])
    );
    assert_eq!(table["indexes"][0]["items"].as_array().unwrap().len(), 2);
}

#[test]
fn explain_prints_a_rule_and_the_grammar() {
    let place = Workplace::new();
    let text = place.text(&["explain", "kf012"]);
    assert!(
        text.contains("KF012 disjoint") && text.contains("breaks it") && text.contains("does not"),
        "{text}"
    );
    assert_eq!(
        place.json(0, &["explain"])["rules"]
            .as_array()
            .unwrap()
            .len(),
        27
    );
    assert!(place.text(&["explain", "grammar"]).contains("pattern   :="));
    assert_eq!(
        place.json(2, &["explain", "KF999"])["error"]["kind"],
        "usage"
    );
}

#[test]
fn fmt_formats_and_checks() {
    let place = Workplace::new();
    let file = place.write("m.keyfold", &UNSERVED.replace("  key", "    key   "));
    assert_eq!(
        place.json(1, &["fmt", "--check", &file])["result"]["changed"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    place.text(&["fmt", &file]);
    assert_eq!(
        place.json(0, &["fmt", "--check", &file])["changed"],
        serde_json::json!([])
    );
}

#[test]
fn prove_compares_with_sql_and_repeats_itself() {
    let place = Workplace::new();
    let file = Workplace::model("myapp.keyfold");
    let report = place.json(
        0,
        &[
            "prove", &file, "--items", "40", "--asks", "5", "--seed", "7",
        ],
    );
    assert_eq!(report["seed"].as_i64(), Some(7));
    assert!(report["storedItems"].as_i64().unwrap() > 40);
    assert!(
        report["patterns"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["failures"].as_array().unwrap().is_empty())
    );
    assert_eq!(report["never"].as_array().map(Vec::len), Some(0));
    let text = place.text(&["prove", &file, "--items", "20", "--asks", "3"]);
    assert!(
        text.contains("proved by execution") && text.contains("as SQL"),
        "{text}"
    );
}

#[test]
fn documents_contain_the_complete_design() {
    let place = Workplace::new();
    let file = Workplace::model("alleycat.keyfold");
    let markdown = place.text(&["docs", &file]);
    for expected in [
        "| leaderboard(raceId) |",
        "### Index ByRank",
        "### Result",
        "points is split, 600 elements an item",
    ] {
        assert!(
            markdown.contains(expected),
            "{expected} is missing:\n{markdown}"
        );
    }
    place.text(&["docs", &file, "--output", "design.html"]);
    let html = std::fs::read_to_string(place.folder.path().join("design.html")).unwrap();
    assert!(
        html.starts_with("<!doctype html>")
            && html.matches("<svg class=\"map\"").count() == 6
            && html.matches("class=\"item ").count() == 18
            && html.ends_with("</html>\n")
    );
    assert!(!html.contains("http"), "the page needs another resource");
    for tag in ["table", "tr", "td", "svg", "ul", "h2", "code"] {
        let (open, close) = (
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count(),
            html.matches(&format!("</{tag}>")).count(),
        );
        assert_eq!(open, close, "{tag}");
    }
}

#[test]
fn diff_reports_the_migration() {
    let place = Workplace::new();
    let report = place.json(
        0,
        &[
            "diff",
            &Workplace::model("santa.keyfold"),
            &Workplace::model("santa_spread.keyfold"),
        ],
    );
    assert_eq!(report["migration"], "rewrite");
    let shop = Workplace::model("shop.keyfold");
    assert_eq!(
        place.json(0, &["diff", &shop, &shop])["changes"],
        serde_json::json!([])
    );
    // The order of declarations means nothing.
    let text = std::fs::read_to_string(&shop).unwrap();
    let (head, tail) = text.split_at(text.find("entity User").unwrap());
    let (user, rest) = tail.split_at(tail.find("entity Order\n").unwrap());
    let (entities, patterns) = rest.split_at(rest.find("# E1").unwrap());
    let moved = place.write(
        "moved.keyfold",
        &format!("{head}{entities}{user}{patterns}"),
    );
    assert_eq!(
        place.json(0, &["diff", &shop, &moved])["changes"],
        serde_json::json!([])
    );
}

#[test]
fn exported_tables_are_complete() {
    let place = Workplace::new();
    let alleycat = Workplace::model("alleycat.keyfold");
    let template: serde_json::Value =
        serde_json::from_str(&place.text(&["export", "cloudformation", &alleycat])).unwrap();
    let table = &template["Resources"]["AlleycatTable"]["Properties"];
    assert_eq!(
        table["LocalSecondaryIndexes"][0]["KeySchema"][1]["AttributeName"],
        "Numeric"
    );
    assert_eq!(
        table["GlobalSecondaryIndexes"][0]["Projection"]["ProjectionType"],
        "INCLUDE"
    );
    let terraform = place.text(&[
        "export",
        "terraform",
        &Workplace::model("smart_home.keyfold"),
    ]);
    assert!(
        terraform.contains("read_capacity") && terraform.contains("PAY_PER_REQUEST"),
        "{terraform}"
    );
    let readings = Workplace::model("readings.keyfold");
    assert_eq!(
        place.json(2, &["export", "terraform", &readings])["error"]["kind"],
        "usage"
    );
    let terraform = place.text(&[
        "export",
        "terraform",
        &readings,
        "--period",
        "2024-01",
        "--period",
        "2024-02",
    ]);
    assert!(
        terraform.contains("Readings_2024_01") && terraform.contains("Readings_2024_02"),
        "{terraform}"
    );
}

/// An export for NoSQL Workbench, imported again, is a model with the same tables and the kinds of
/// the samples.
#[test]
fn models_go_to_nosql_workbench_and_come_back() {
    let place = Workplace::new();
    for name in [
        "shop",
        "alleycat",
        "myapp",
        "santa",
        "shop_techniques",
        "bookmarks",
        "freight",
    ] {
        let model = Workplace::model(&format!("{name}.keyfold"));
        place.text(&["export", "workbench", &model, "--output", "w.json"]);
        place.text(&["import", "w.json", "--output", "back.keyfold", "--force"]);
        let (before, after) = (
            place.json(0, &["check", &model]),
            place.json(0, &["check", "back.keyfold"]),
        );
        for (one, two) in before["tables"]
            .as_array()
            .unwrap()
            .iter()
            .zip(after["tables"].as_array().unwrap())
        {
            assert_eq!(
                (&one["name"], &one["key"]),
                (&two["name"], &two["key"]),
                "{name}"
            );
            let indexes = |table: &serde_json::Value| -> Vec<serde_json::Value> {
                let mut all: Vec<serde_json::Value> = table["indexes"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|index| index["key"].clone())
                    .collect();
                all.sort_by_key(ToString::to_string);
                all
            };
            assert_eq!(indexes(one), indexes(two), "{name}");
        }
    }
    for version in ["1.0", "2.0", "3.0"] {
        let text = format!(
            r#"{{"ModelName": "Old one", "ModelMetadata": {{"Version": "{version}"}}, "DataModel": [{{"TableName": "My-Table", "KeyAttributes": {{"PartitionKey": {{"AttributeName": "id", "AttributeType": "S"}}}}, "NonKeyAttributes": [], "TableFacets": [], "GlobalSecondaryIndexes": [{{"IndexName": "by.age", "KeyAttributes": {{"PartitionKey": {{"AttributeName": "age", "AttributeType": "N"}}}}, "Projection": {{"ProjectionType": "KEYS_ONLY"}}}}], "TableData": [{{"id": {{"S": "a"}}, "age": {{"N": "3"}}}}]}}]}}"#
        );
        let file = place.write("old.json", &text);
        place.text(&["import", &file, "--output", "old.keyfold", "--force"]);
        place.text(&["check", "old.keyfold"]);
    }
    for (text, expected) in [
        ("{", "no JSON"),
        ("{}", "DataModel"),
        (
            r#"{"ModelMetadata": {"Version": "9"}, "DataModel": []}"#,
            "version 9",
        ),
    ] {
        let file = place.write("bad.json", text);
        let error = place.json(2, &["import", &file])["error"]["message"].to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_model_is_inferred_from_a_table_that_exists() {
    let place = Workplace::new();
    place.text(&["demo", "--once", "--data", "d"]);
    place.text(&["infer", "Shop", "--data", "d", "--output", "found.keyfold"]);
    let report = place.json(0, &["check", "found.keyfold"]);
    let kinds: Vec<&str> = report["tables"][0]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "Order",
            "OrderSummary",
            "OrderItem",
            "Product",
            "User",
            "unique"
        ]
    );
    let text = std::fs::read_to_string(place.folder.path().join("found.keyfold")).unwrap();
    for expected in [
        "\"ORDER#{createdAt}#{orderId}\"",
        "\"STATUS#{status}\"",
        "price: number",
        "createdAt: time",
    ] {
        assert!(text.contains(expected), "{expected} is missing:\n{text}");
    }
}

/// A name that is mistyped: the message says where it was looked for, and what is there.
#[test]
fn a_table_that_is_not_there_is_named_with_its_place_and_those_that_are() {
    let place = Workplace::new();
    place.text(&["demo", "--once", "--data", "d"]);
    let error = place.json(4, &["infer", "shop", "--data", "d"])["error"].clone();
    assert_eq!(error["kind"], "not_found");
    let folder = std::fs::canonicalize(place.folder.path().join("d")).unwrap();
    let expected = format!(
        "there is no table shop in {}; its tables are Shop",
        folder.display()
    );
    assert_eq!(error["message"], expected);
}

/// A model that was written once is edited: the command that wrote it does not destroy that, nor
/// does another command that writes a file.
#[test]
fn no_command_replaces_a_model_that_is_there() {
    let place = Workplace::new();
    place.text(&["demo", "--once", "--data", "d"]);
    let infer = ["infer", "Shop", "--data", "d", "-o", "m.keyfold"];
    place.text(&infer);
    place.text(&["export", "workbench", "m.keyfold", "-o", "w.json"]);
    place.text(&["export", "workbench", "m.keyfold", "-o", "w.json"]);
    const EDITED: &str = "model edited 1\ntable Tab (PK)\nentity A\n  a: string\n  key \"A#{a}\"\n";
    let edited = place.write("m.keyfold", EDITED);
    let read = || std::fs::read_to_string(&edited).unwrap();
    let import = ["import", "w.json", "-o", "m.keyfold"];
    for arguments in [&infer[..], &import] {
        let error = place.json(2, arguments)["error"].clone();
        assert!(
            error["message"].as_str().unwrap().contains("--force"),
            "{error}"
        );
        assert_eq!(error["where"]["file"], "m.keyfold");
        assert!(read().starts_with("model edited"), "{arguments:?}");
        place.text(&[arguments, &["--force"]].concat());
        assert!(!read().starts_with("model edited"), "{arguments:?}");
        place.write("m.keyfold", EDITED);
    }
    for arguments in [
        &["export", "workbench", "m.keyfold"][..],
        &["export", "terraform", "m.keyfold"],
        &["docs", "m.keyfold"],
        &["plan", "m.keyfold"],
    ] {
        place.json(2, &[arguments, &["-o", "m.keyfold"]].concat());
        assert!(read().starts_with("model edited"), "{arguments:?}");
    }
    // A place that is no file of anybody.
    place.text(&[&infer[..4], &["-o", "/dev/stdout"]].concat());
}

#[test]
fn a_repair_does_not_guess() {
    let place = Workplace::new();
    let head = "model m 1\ntable Tab (PK, SK)\n  gsi GSI1 (A, B)\nentity User\n  id: string, at: time, as: string, name: string\n";
    for rest in [
        // A quote that is not closed; a name that is like two others, and one like none; a promise
        // that cannot be kept.
        "  key \"USER#{id}\" \"P#{zz}\"\n  GSI1 \"N#{nam}\" \"X\n",
        "  key \"USER#{id}\" \"P#{a}\"\n",
        "  key \"USER#{id}\" \"P\"\n  GSI1 \"N#{name}\" \"X\"\npattern by_name(name) -> User[] strong page 5\n",
        "  key \"USER#{id}\" \"P\"\npattern all() -> User[] scan newest\n",
    ] {
        let source = format!("{head}{rest}");
        let file = place.write("guess.keyfold", &source);
        assert_eq!(
            place.run(&["check", "--fix", &file]).status.code(),
            Some(3),
            "{rest}"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), source, "{rest}");
    }
}

/// Keys of unchanged attributes come back from NoSQL Workbench. The import states what a sample
/// cannot show.
#[test]
fn keys_come_back_from_nosql_workbench() {
    let place = Workplace::new();
    for name in [
        "alleycat",
        "bookmarks",
        "freight",
        "orders_with_address",
        "readings",
        "sales_view",
        "santa",
        "shop",
        "smart_home",
    ] {
        let model = Workplace::model(&format!("{name}.keyfold"));
        let file = place.write(
            &format!("{name}.json"),
            &place.text(&["export", "workbench", &model]),
        );
        let text = place.text(&["import", &file]);
        let back = place.write(&format!("{name}.keyfold"), &text);
        let changes = place.json(0, &["diff", &model, &back])["changes"].clone();
        let moved: Vec<&serde_json::Value> = changes
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| {
                let how = one["how"].as_str().unwrap();
                (how.starts_with("key ") && how.contains("becomes")) || how.starts_with("makes ")
            })
            .collect();
        assert!(moved.is_empty(), "{name}: {moved:#?}");
    }
    let text = std::fs::read_to_string(place.folder.path().join("shop.keyfold")).unwrap();
    for text_part in [
        "# User: unique (email)",
        "# Order: the kind Order.summary is its copy summary",
        "# Order: userId refers to User.userId",
        "# pattern user -> User?",
    ] {
        assert!(text.contains(text_part), "{text_part}: {text}");
    }
}

/// A table of another tool: attributes that begin with `_`, kinds in lower case, an index whose
/// name is a keyword.
#[test]
fn an_inferred_model_fits_a_table_of_another_tool() {
    let place = Workplace::new();
    let amplify = place.write(
        "amplify.json",
        r#"{"ModelName":"Amplify","ModelMetadata":{"Version":"3.0"},"DataModel":[{"TableName":"Todo","KeyAttributes":{
            "PartitionKey":{"AttributeName":"PK","AttributeType":"S"},"SortKey":{"AttributeName":"SK","AttributeType":"S"}},
            "GlobalSecondaryIndexes":[{"IndexName":"key","KeyAttributes":{"PartitionKey":{"AttributeName":"owner","AttributeType":"S"}},
            "Projection":{"ProjectionType":"ALL"}}],
            "TableData":[{"PK":{"S":"TODO#1"},"SK":{"S":"META"},"type":{"S":"todo"},"id":{"S":"1"},"copyOf":{"S":"1"},"owner":{"S":"OWNER#a"},
            "name":{"S":"a"},"_version":{"N":"3"},"_deleted":{"BOOL":false},"_lastChangedAt":{"N":"17"}},
            {"PK":{"S":"LIST#2"},"SK":{"S":"META"},"type":{"S":"to-do list"},"id":{"S":"2"},"_version":{"N":"1"}}]}]}"#,
    );
    let text = place.text(&["import", &amplify]);
    for text_part in [
        "entity todo",
        "_version: int",
        "_deleted: bool",
        "gsi \"key\"",
        "the keys' `copyOf` could also be `id`",
        "its items say `to-do list` in type",
    ] {
        assert!(text.contains(text_part), "{text_part}: {text}");
    }
    let file = place.write("amplify.keyfold", &text);
    assert_eq!(
        place.run(&["check", &file]).status.code(),
        Some(0),
        "{text}"
    );
}

/// An attribute that is a key of an index belongs to its items, and a word in a key may be a value.
#[test]
fn an_inferred_model_keeps_attributes_that_are_keys_of_indexes() {
    let place = Workplace::new();
    let model = place.write(
        "p.keyfold",
        "model p 1\ntable Tab (PK, SK)\n  gsi Num (kind, score: number)\n  gsi Multi ((country, city), (openedAt, id))\n  gsi GSI1 (GSI1PK, GSI1SK)\nentity A\n  id: string, kind: string, score: int\n  key \"A#{id}\" \"A\"\nentity S\n  id: string, country: string, city: string, openedAt: time(s)\n  key \"S#{id}\" \"S\"\nentity B\n  isbn: string, author: string, title: string\n  key \"B#{isbn}\" \"B\"\n  GSI1 \"AUTHOR#{author}\" \"BOOK#{title}#{isbn}\"\n",
    );
    for (n, word) in [("1", "Alpha"), ("2", "Beta"), ("3", "Gamma")] {
        let given = |names: &[(&str, &str)]| -> Vec<String> {
            names
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect()
        };
        let day = format!("2024-01-0{n}");
        for (entity, row) in [
            ("A", given(&[("id", n), ("kind", "k"), ("score", n)])),
            (
                "S",
                given(&[
                    ("id", n),
                    ("country", "GB"),
                    ("city", word),
                    ("openedAt", &day),
                ]),
            ),
            (
                "B",
                given(&[("isbn", n), ("author", "Ann"), ("title", word)]),
            ),
        ] {
            let row: Vec<&str> = row.iter().map(String::as_str).collect();
            place.json(
                0,
                &[&["put", &model, entity], &row[..], &["--data", "d"]].concat(),
            );
        }
    }
    place.text(&["infer", "Tab", "--data", "d", "-o", "found.keyfold"]);
    let changes = place.json(0, &["diff", &model, "found.keyfold"])["changes"].clone();
    let of_entities: Vec<&serde_json::Value> = changes
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["what"].as_str().unwrap().starts_with("entity"))
        .collect();
    assert!(of_entities.is_empty(), "{of_entities:#?}");
}

/// Runs the command in terminals of some widths; no line that it prints is wider.
fn fits(place: &Workplace, arguments: &[&str]) {
    for width in ["60", "80", "120"] {
        let output = place.run_with(&[("COLUMNS", width)], arguments);
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        let text = text.concat();
        assert!(!text.is_empty(), "{arguments:?}");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(
            widest.unwrap() <= width.parse().unwrap(),
            "{arguments:?} at {width}: {widest:?}\n{text}"
        );
    }
}

#[cfg(unix)]
#[test]
fn values_are_cut_where_a_person_reads_them() {
    let place = Workplace::new();
    let shop = Workplace::model("shop.keyfold");
    let name = format!("name={}", "long ".repeat(60));
    let user = ["userId=1", "email=e", "createdAt=2024-01-01"];
    place.json(0, &[&["put", &shop, "User", &name], &user[..]].concat());
    let run = ["run", &shop, "user", "userId=1"];
    let shown = workplace::terminal::shown(&place, 80, &run);
    assert!(shown.contains("long"), "{shown}");
    assert!(shown.matches("long").count() < 10, "{shown}");
    let full = workplace::terminal::shown(&place, 80, &[&run[..], &["--full"]].concat());
    assert!(full.matches("long").count() >= 60, "{full}");
    assert!(place.text(&run).matches("long").count() >= 60);
}

#[test]
fn lines_are_as_wide_as_the_terminal() {
    let place = Workplace::new();
    let (shop, santa) = (
        Workplace::model("shop.keyfold"),
        Workplace::model("santa.keyfold"),
    );
    let name = format!("name={}", "long ".repeat(60));
    let user = ["userId=1", "email=e", "createdAt=2024-01-01"];
    let put = [&["put", &shop, "User", &name], &user[..]].concat();
    place.json(0, &put);
    let viewed = place.write(
        "viewed.keyfold",
        "model v 1\ntable Tab (PK, SK)\n  stream new and old images\nentity Sale\n  saleId: string, day: date, total: number, customerId: string\n  key \"SALE#{saleId}\" \"SALE\"\nview DailySales of Sale\n  key \"DAY#{day}\" \"DAY\"\n  total: sum total, orders: count, buyers: distinct customerId, mean: average total, best: top 3 total only saleId, customerId\npattern days(day) -> DailySales?\n",
    );
    // Long lines of the author's own, and errors in the middle and at the end of one.
    let attributes: Vec<String> = (0..30).map(|at| format!("attribute{at}: string")).collect();
    let wrong = place.write(
        "wrong.keyfold",
        &format!(
            "model m 1\ntable Tab (PK, SK)\nentity Article\n  id: string, {}, other: strng, {}\n  key \"ARTICLE#{{id}}#{{nothing}}#{{attribute1}}#{{attribute2}}#{{attribute3}}#{{attribute4}}\" \"ARTICLE\"\npattern articles(author) -> Article[]\n",
            attributes[..15].join(", "),
            attributes[15..].join(", "),
        ),
    );
    let models = std::fs::read_dir(Workplace::model("")).unwrap();
    let models = models.map(|entry| entry.unwrap().path().display().to_string());
    for model in models.filter(|path| path.ends_with(".keyfold")) {
        fits(&place, &["check", &model]);
    }
    for arguments in [
        &["check", &viewed][..],
        &["check", &wrong],
        &["check", "--strict", &santa],
        &["check", "--stict", &santa],
        &["diff", &shop, &santa],
        &["diff", &santa],
        &["explain"],
        &["explain", "KF999"],
        &["explain", "grammar"],
        &["prove", "--items", "5", "--asks", "2", &shop],
        &["run", &shop, "user", "userId=1", "--full"],
        &["run", &shop, "user", "userId=1"],
        &["run", &shop, "usr"],
        &["run", &shop, "recent_orders", "userId=1"],
        &put,
        &["update", &shop, "User", "userId=1", "name=n"],
        &["verify", &shop],
        &["doctor"],
        &["doctor", "--data", "nothing"],
        &["demo", "--once"],
        &["infer", "Nothing"],
        &["views", "status", &viewed],
        &["views", "rebuild", &shop],
        &["generate", "haskell", &shop],
        &["init", "--name", "1"],
        &["help"],
        &["nothing"],
    ] {
        fits(&place, arguments);
    }
    let rules = place.json(0, &["explain"])["rules"].clone();
    for rule in rules.as_array().unwrap() {
        fits(&place, &["explain", rule["code"].as_str().unwrap()]);
    }
    for command in place.commands() {
        fits(&place, &[&command, "--help"]);
        for below in place.subcommands(&[&command]) {
            fits(&place, &[&command, &below, "--help"]);
        }
    }
    // What programs read has no width.
    let whole = place.text(&["export", "cloudformation", &shop]);
    let narrow = place.run_with(&[("COLUMNS", "20")], &["export", "cloudformation", &shop]);
    assert_eq!(String::from_utf8(narrow.stdout).unwrap(), whole);
    let narrow = place.run_with(&[("COLUMNS", "20")], &["check", &shop, "--json"]);
    assert_eq!(String::from_utf8_lossy(&narrow.stdout).lines().count(), 1);
}

/// With one pipe for both outputs, warnings come first, then the table, and the count is the last line.
#[cfg(unix)]
#[test]
fn check_prints_warnings_then_the_table_then_the_count_into_one_pipe() {
    let place = Workplace::new();
    let model = "model notes 1\ntable Notes (PK, SK)\nentity Note\n  id: string\n  key \"NOTE#{id}\" \"N\"\n\
                 pattern a() -> Note[] page 20 scan\npattern b() -> Note[] page 20 scan\n";
    let file = place.write("notes.keyfold", model);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let line = format!(
            "'{}' check '{file}' 2>&1 | cat",
            env!("CARGO_BIN_EXE_keyfold")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &line])
            .output();
        seen.insert(String::from_utf8(output.unwrap().stdout).unwrap());
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    let text = seen.pop_first().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let at = |start: &str| {
        let found = lines.iter().position(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no line begins with `{start}`: {text}"))
    };
    let order = [
        "warning[KF034]: a ",
        "warning[KF034]: b ",
        "notes 1",
        "pattern ",
        "proved ",
    ]
    .map(at);
    assert!(order.is_sorted(), "{order:?}: {text}");
    assert_eq!(order[4], lines.len() - 1, "{text}");
    assert!(lines[order[4]].ends_with(", 2 warnings"), "{text}");
}
