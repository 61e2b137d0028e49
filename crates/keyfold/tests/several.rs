//! Several writes in one transaction, and batches, on a database that blocks and on one that is
//! awaited.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::{Error, Keyfold, Transaction, values};

const MODEL: &str = r#"
model m 1
table Tab (PK, SK)
entity User
  id: string, mail: string
  key "U#{id}" "U"
  unique mail
  count posts of Post
entity Post
  id: User.id, n: int, code: ulid = new
  key "U#{id}" "POST#{n:04}"
entity Note
  n: int, text: string, at: time = now
  key "N#{n:04}" "N"
pattern user(id) -> User?
write post(n)
  create Post
"#;

fn both() -> Transaction {
    Transaction::new()
        .create("User", values! { "id": "a", "mail": "a@x" })
        .run("post", values! { "id": "a", "n": 1 })
        .create("Post", values! { "id": "a", "n": 2 })
}

#[test]
fn a_transaction_reports_each_write() {
    let db = Keyfold::memory().unwrap().model(MODEL).unwrap();
    let done = db.transact(both()).unwrap();
    assert_eq!(done.operation, "TransactWriteItems");
    assert_eq!(
        done.writes[0].changes,
        ["put User", "put the guard of mail"]
    );
    assert_eq!(done.writes[1].changes, ["put Post"]);
    assert_ne!(done.writes[1].made["code"], done.writes[2].made["code"]);
    let user = db.query("user").arg("id", "a").one().unwrap().unwrap();
    assert_eq!(user.int("posts"), Some(2));
    let again = db.transact(both()).unwrap_err();
    assert!(
        matches!(&again, Error::Exists(why) if why.message.starts_with("write 0 (create User): "))
    );
    let unknown = Transaction::new().delete("Users", values! {});
    assert!(matches!(db.transact(unknown), Err(Error::Invalid { .. })));
}

#[test]
fn batches_are_written_and_read_by_position() {
    let db = Keyfold::memory().unwrap().model(MODEL).unwrap();
    let notes = (0..60).map(|n| values! { "n": n, "text": "hello" });
    let done = db.put_many("Note", notes).unwrap();
    assert_eq!((done.requests, done.made.len()), (3, 60));
    assert!(done.made[59].contains_key("at"));
    let keys = (0..130).map(|n| values! { "n": (n * 7) % 70 });
    let found = db.get_many_newest("Note", keys).unwrap();
    for (at, found) in found.iter().enumerate() {
        let n = (at * 7) % 70;
        let held = found.as_ref().and_then(|item| item.u64("n"));
        assert_eq!(held, (n < 60).then_some(n as u64));
    }
    db.delete_many("Note", (0..70).map(|n| values! { "n": n }))
        .unwrap();
    let left = db
        .get_many("Note", (0..60).map(|n| values! { "n": n }))
        .unwrap();
    assert!(left.iter().all(Option::is_none));
}

#[test]
fn a_batch_of_entities_from_which_something_follows_is_refused() {
    let db = Keyfold::memory().unwrap().model(MODEL).unwrap();
    for (entity, item, reason) in [
        (
            "User",
            values! { "id": "a", "mail": "m" },
            "a guard keeps its mail unique",
        ),
        (
            "Post",
            values! { "id": "a", "n": 1 },
            "User.posts follows it",
        ),
    ] {
        let error = db.put_many(entity, [item]).unwrap_err();
        assert!(
            matches!(&error, Error::Invalid { message: text, .. } if text.contains(reason)),
            "{error}"
        );
    }
    let twice = [
        values! { "n": 1, "text": "a" },
        values! { "n": 1, "text": "b" },
    ];
    let error = db.put_many("Note", twice).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("items 0 and 1 of the batch are the same Note")
    );
}

#[test]
fn a_wrong_item_of_a_batch_is_named_by_its_position() {
    let db = Keyfold::memory().unwrap().model(MODEL).unwrap();
    let notes = |wrong| {
        let one = move |n| match n {
            76 => values! { "n": wrong, "text": "x" },
            n => values! { "n": n, "text": "x" },
        };
        (0..120).map(one)
    };
    let keys = || (0..9).map(|n| values! { "n": if n == 3 { "a" } else { "1" } });
    let part = || [values! { "n": 1 }, values! {}];
    for (found, start, name) in [
        (
            db.put_many("Note", notes("a")).map(drop),
            "item 76 of the batch: n: `a`",
            Some("n"),
        ),
        (
            db.put_many("Note", part()).map(drop),
            "item 0 of the batch: Note needs text",
            Some("text"),
        ),
        (
            db.get_many("Note", keys()).map(drop),
            "item 3 of the batch: n: `a`",
            Some("n"),
        ),
        (
            db.get_many("Note", part()).map(drop),
            "item 1 of the batch: ",
            Some("n"),
        ),
        (
            db.delete_many("Note", keys()).map(drop),
            "item 3 of the batch: n: `a`",
            Some("n"),
        ),
        (
            db.delete_many("Note", part()).map(drop),
            "item 1 of the batch: ",
            Some("n"),
        ),
        (
            db.put_many("Note", [5]).map(drop),
            "item 0 of the batch: attributes are",
            None,
        ),
    ] {
        let Err(Error::Invalid {
            message, attribute, ..
        }) = &found
        else {
            panic!("{start}: {found:?}");
        };
        assert!(message.starts_with(start), "{message}");
        assert_eq!(attribute.as_deref(), name, "{message}");
    }
}

#[test]
fn the_same_calls_are_awaited() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let db = keyfold::nonblocking::Keyfold::memory().await.unwrap();
        let db = db.model(MODEL).await.unwrap();
        assert_eq!(db.transact(both()).await.unwrap().writes.len(), 3);
        db.put_many("Note", [values! { "n": 1, "text": "a" }])
            .await
            .unwrap();
        let keys = [values! { "n": 2 }, values! { "n": 1 }];
        let found = db.get_many("Note", keys.clone()).await.unwrap();
        assert_eq!([found[0].is_some(), found[1].is_some()], [false, true]);
        db.delete_many("Note", keys).await.unwrap();
    });
}
