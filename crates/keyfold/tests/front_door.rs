//! What a program meets: a folder, memory or an endpoint by connection alone, typed values, and
//! errors that can be matched.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::api::{BatchGetItemInput, DescribeLimitsInput, ListStreamsInput, ListTablesInput};
use keyfold::{Database, Error, Keyfold, OpenError, Sources, Values, values};
use keyfold_server::{Server, ServerConfig};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

const MODEL: &str = "model m 1\ntable Tab (PK, SK)\nentity User\n  id: string, mail: string, tags: list of string?, score: number = 0, at: time?, bin: binary?, set: set of string?\n  key \"U#{id}\" \"U\"\n  unique mail\n  version v\n  count posts of Post\nentity Post\n  id: User.id, n: int\n  key \"U#{id}\" \"POST#{n:04}\"\npattern user(id) -> User?\npattern posts(id, n >= from?) -> Post[] page 2\npattern must(id) -> User\nwrite post(n)\n  create Post\n";

fn user(id: &str) -> Values {
    values! { "id": id, "mail": format!("{id}@x") }
}

/// The same on every kind of database.
fn works(database: &Database) {
    database.put("User", values! { "id": "a", "mail": "a@x", "tags": ["x", "y\"z"], "score": 1.25, "at": "2024-01-02", "bin": "aGk=", "set": ["p", "q"] }).unwrap();
    let item = database
        .query("user")
        .arg("id", "a")
        .one()
        .unwrap()
        .unwrap();
    let json = item.to_json();
    assert_eq!(json["tags"], serde_json::json!(["x", "y\"z"]));
    assert_eq!(
        (json["score"].to_string().as_str(), json["bin"].as_str()),
        ("1.25", Some("aGk="))
    );
    assert_eq!(item.text("at"), Some("2024-01-02T00:00:00.000Z"));
    assert_eq!((item.kind(), item.int("v")), ("User", Some(1)));
    assert!(matches!(
        database.create("User", user("a")),
        Err(Error::Exists(_))
    ));
    let taken = database.create("User", values! { "id": "b", "mail": "a@x" });
    assert!(
        matches!(&taken, Err(Error::Taken { attributes, .. }) if attributes == &["mail"]),
        "{taken:?}"
    );
    let stale = database.update("User", values! { "id": "a", "v": 9, "score": 2 });
    assert!(matches!(stale, Err(Error::StaleVersion(_))), "{stale:?}");
    database
        .change("User", values! { "id": "a", "v": 1 }, &["tags"])
        .unwrap();
    assert_eq!(
        database
            .query("user")
            .arg("id", "a")
            .one()
            .unwrap()
            .unwrap()
            .get("tags"),
        None
    );
    for n in 1..=5 {
        database
            .run("post")
            .arg("id", "a")
            .arg("n", n)
            .send()
            .unwrap();
    }
    let orphan = database
        .run("post")
        .args(values! { "id": "nobody", "n": 1 })
        .send();
    assert!(matches!(&orphan, Err(Error::NotFound(_))), "{orphan:?}");
    let posts = database
        .query("posts")
        .arg("id", "a")
        .arg("from", Some(2))
        .all()
        .unwrap();
    assert_eq!(
        posts
            .iter()
            .map(|post| post.int("n").unwrap())
            .collect::<Vec<_>>(),
        [2, 3, 4, 5]
    );
    let none: Option<i64> = None;
    let pages: Vec<_> = database
        .query("posts")
        .arg("id", "a")
        .arg("from", none)
        .pages()
        .collect();
    assert_eq!(
        pages
            .iter()
            .map(|page| page.as_ref().unwrap().items.len())
            .sum::<usize>(),
        5
    );
    let back = database
        .query("posts")
        .arg("id", "a")
        .backward()
        .page()
        .unwrap();
    assert_eq!(back.items[0].int("n"), Some(5));
    assert!(matches!(
        database.query("must").arg("id", "z").one(),
        Err(Error::NotFound(_))
    ));
    assert!(matches!(
        database.delete("User", values! { "id": "a" }),
        Err(Error::Refused(_))
    ));
    for (wrong, told) in [
        (database.put("Usr", user("c")), "did you mean `User`?"),
        (
            database.put("User", values! { "id": "c" }),
            "User needs mail",
        ),
        (
            database.put("User", values! { "id": "c", "mail": "m", "score": "high" }),
            "score",
        ),
        (database.put("User", "c"), "a struct, a map"),
        (database.run("posst").send(), "did you mean `post`?"),
    ] {
        assert!(
            matches!(&wrong, Err(Error::Invalid { message: why, .. }) if why.contains(told)),
            "{wrong:?}"
        );
    }
    assert!(matches!(
        database.query("user").arg("id", "a").after("x").page(),
        Err(Error::Invalid { .. })
    ));
}

#[test]
fn a_program_works_on_memory_a_folder_and_an_endpoint() {
    works(&Keyfold::memory().unwrap().model(MODEL).unwrap());
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("data");
    let db = Keyfold::open(&folder).unwrap();
    works(&db.model(MODEL).unwrap());
    let refused = Keyfold::open(&folder).unwrap_err();
    let is_in_use = |error: &Error| {
        matches!(
            error,
            Error::Open {
                error: OpenError::InUse,
                ..
            }
        )
    };
    assert!(is_in_use(&refused), "one process has it open: {refused}");
    // A program has no options of the command: its connection takes the address of a server.
    let said = refused.to_string();
    assert!(
        said.contains("`keyfold serve --data FOLDER`, and open its URL"),
        "{said}"
    );
    assert!(!said.contains("--endpoint"), "{said}");
    drop(db);
    let again = Keyfold::open(&folder).unwrap().model(MODEL).unwrap();
    assert_eq!(
        again
            .query("user")
            .arg("id", "a")
            .one()
            .unwrap()
            .unwrap()
            .int("posts"),
        Some(5)
    );

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let engine = keyfold_engine::Engine::open(keyfold_engine::EngineOptions::new(
        keyfold_engine::StoreOptions::Memory,
    ));
    let config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
    let server = runtime
        .block_on(Server::bind(Arc::new(engine.unwrap()), config))
        .unwrap();
    let address = server.address();
    runtime.spawn(server.run(std::future::pending()));
    let db = Keyfold::connect(&format!("http://{address}")).unwrap();
    works(&db.model(MODEL).unwrap());
    assert_eq!(
        db.send(ListTablesInput::default())
            .unwrap()
            .table_names
            .unwrap(),
        ["Tab"]
    );
    let nowhere = Keyfold::connect("http://127.0.0.1:1").unwrap();
    assert!(matches!(nowhere.model(MODEL), Err(Error::Unavailable(_))));
}

#[test]
fn operations_are_typed_and_their_exceptions_named() {
    let db = Keyfold::memory().unwrap();
    assert!(
        db.send(DescribeLimitsInput::default())
            .unwrap()
            .account_max_read_capacity_units
            .is_some()
    );
    assert_eq!(
        db.send(ListStreamsInput::default()).unwrap().streams,
        Some(vec![])
    );
    let wrong = db.send(BatchGetItemInput::default());
    assert!(
        matches!(&wrong, Err(Error::Service { exception, .. }) if exception == "ValidationException"),
        "{wrong:?}"
    );
}

#[test]
fn a_model_says_all_that_is_wrong_and_a_table_how_it_differs() {
    let db = Keyfold::memory().unwrap();
    let wrong = MODEL
        .replace("unique mail", "unique male")
        .replace("POST#{n:04}", "POST#{m}");
    let Err(Error::Model(findings)) = db.model(&wrong) else {
        panic!("two mistakes")
    };
    let lines: Vec<usize> = findings.iter().map(|one| one.line).collect();
    assert!(lines.contains(&6) && lines.contains(&11), "{lines:?}");
    assert!(
        Error::Model(findings)
            .to_string()
            .contains("did you mean `mail`?")
    );
    db.model(MODEL).unwrap();
    let other = MODEL
        .replace("(PK, SK)", "(PK, Sort)")
        .replace("model m", "model n");
    assert!(matches!(db.model(&other), Err(Error::TableDiffers { table, .. }) if table == "Tab"));
    assert_eq!(
        db.model(MODEL).unwrap().patterns().collect::<Vec<_>>(),
        ["user", "posts", "must"]
    );
    let names = db.model(MODEL).unwrap();
    assert!(names.entities().eq(["User", "Post"]) && names.writes().eq(["post"]));
}

/// A filter may leave the first pages empty.
#[test]
fn one_is_found_behind_pages_that_a_filter_leaves_empty() {
    let model = "model m 1\ntable Tab (PK, SK)\nentity Many\n  g: string, n: int, x: number\n  key \"G#{g}\" \"{n:04}\"\npattern above(g, least: number) -> Many[] filter x >= least page 3\n";
    let many = Keyfold::memory().unwrap().model(model).unwrap();
    for n in 0..12 {
        many.put("Many", values! { "g": "a", "n": n, "x": n })
            .unwrap();
    }
    let above = |least: u32| many.query("above").arg("g", "a").arg("least", least);
    assert_eq!(above(11).one().unwrap().unwrap().int("n"), Some(11));
    assert!(above(12).one().unwrap().is_none());
    let page = above(11).page().unwrap();
    assert!(page.items.is_empty() && page.next.is_some(), "{page:?}");
}

/// A text is a text: no list, object or truth value is stored as its JSON, and a text in the place of
/// several ids is one id.
#[test]
fn values_of_another_shape_are_refused_and_texts_are_not_read() {
    let model = "model m 1\ntable Tab (PK, SK)\nentity Thing\n  id: string, on: bool\n  key \"T#{id}\" \"T\"\npattern things(id[]) -> Thing[]\npattern thing(id) -> Thing?\n";
    let things = Keyfold::memory().unwrap().model(model).unwrap();
    for wrong in [
        values! { "id": ["a"], "on": true },
        values! { "id": { "a": 1 }, "on": true },
        values! { "id": true, "on": true },
    ] {
        let refused = things.put("Thing", &wrong);
        assert!(
            matches!(&refused, Err(Error::Invalid { message: why, .. }) if why.contains("id is no string")),
            "{wrong:?}: {refused:?}"
        );
    }
    let asked = things.query("thing").arg("id", ["a"]).one();
    assert!(matches!(asked, Err(Error::Invalid { .. })), "{asked:?}");
    let ids = ["a,b", " s", "[1", "5"];
    for id in ids {
        things
            .put("Thing", values! { "id": id, "on": false })
            .unwrap();
        let found = things.query("things").arg("id", id).all().unwrap();
        assert_eq!(found[0].text("id"), Some(id));
    }
    assert_eq!(
        things.query("things").arg("id", ids).all().unwrap().len(),
        4
    );
    assert_eq!(things.query("things").arg("id", 5).all().unwrap().len(), 1);
    let long = "x".repeat(1_000_000);
    let Err(Error::Invalid { message: why, .. }) = things.put("Thing", [long]) else {
        panic!("a list is no struct")
    };
    assert!(why.len() < 200, "{}", why.len());
}

#[test]
fn an_object_gives_the_parameters_of_an_alias() {
    const BANK: &str = "model m 1\ntable Tab (PK, SK)\nentity Account\n  id: string, balance: int = 0\n  key \"A#{id}\" \"A\"\nwrite move(n: int)\n  update Account as from set balance = balance - n\n  update Account as to set balance = balance + n\n";
    let bank = Keyfold::memory().unwrap().model(BANK).unwrap();
    for id in ["a", "b"] {
        bank.put("Account", values! { "id": id }).unwrap();
    }
    let moved = |from: &str, to: &str| {
        let from = values! { "id": from };
        let both = bank.run("move").arg("from", from).arg("to.id", to);
        both.arg("n", 3).send()
    };
    moved("a", "b").unwrap();
    assert!(matches!(moved("a", "a"), Err(Error::Refused(_))));
    let unknown = bank.run("move").arg("from", values! { "ide": "a" });
    let unknown = unknown.arg("n", 3).send().unwrap_err();
    assert!(unknown.to_string().contains("`from.ide`"), "{unknown}");
}

#[test]
fn a_model_of_several_files_is_read_from_its_folder_or_given_as_texts() {
    let db = Keyfold::memory().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/shop-teams");
    let first = folder.join("shop.keyfold");
    let shop = db.model_file(&first).unwrap();
    assert!(
        shop.entities()
            .eq(["User", "Session", "Order", "OrderLine"])
    );
    let texts = ["shop.keyfold", "users.keyfold", "orders.keyfold"]
        .map(|name| (name, std::fs::read_to_string(folder.join(name)).unwrap()));
    let texts = texts.each_ref().map(|(name, text)| (*name, text.as_str()));
    db.model_of(&Sources::of_texts(&texts)).unwrap();

    // A text has no other files.
    let Err(Error::Model(findings)) = db.model(texts[0].1) else {
        panic!("nobody knows the other files")
    };
    assert_eq!(findings[0].code, "KF005");
    assert_eq!(findings[0].owner.as_deref(), Some("platform"));
    assert!(
        findings[0]
            .rendered
            .contains("given as a text, without other files"),
        "{findings:?}"
    );
    let absent = db.model_file(folder.join("absent.keyfold"));
    assert!(
        matches!(&absent, Err(Error::Invalid { message: why, .. }) if why.contains("absent.keyfold"))
    );
}
