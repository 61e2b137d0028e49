//! What a program on an asynchronous runtime meets: the same answers, on a runtime of one thread
//! that no call may block, and futures that can be moved between threads and dropped.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use futures_core::Stream;
use keyfold::api::{ListTablesInput, PutItemInput, ScanInput};
use keyfold::nonblocking::{Database, Keyfold};
use keyfold::types::Value;
use keyfold::{Error, values};
use keyfold_server::{Server, ServerConfig};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

const MODEL: &str = r#"
model m 1
table Tab (PK, SK)
entity Counter
  id: string, mail: string?
  key "C#{id}" "C"
  unique mail
  count hits of Hit
entity Hit
  id: Counter.id, n: int
  key "C#{id}" "H#{n:04}"
pattern counter(id) -> Counter
pattern hits(id) -> Hit[] page 10
write hit(n)
  create Hit
"#;

/// A runtime with one thread: a call that blocked it would hold up all others.
fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

#[derive(serde::Deserialize)]
struct Hit {
    n: u32,
}

fn sent<F: Future + Send>(future: F) -> F {
    future
}

async fn works(database: Database) {
    database
        .put("Counter", values! { "id": "a" })
        .await
        .unwrap();
    let mut tasks = Vec::new();
    for n in 0..35 {
        let database = database.clone();
        tasks.push(tokio::spawn(async move {
            database.run("hit").arg("id", "a").arg("n", n).send().await
        }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let counter = sent(database.query("counter").arg("id", "a").one());
    assert_eq!(counter.await.unwrap().unwrap().int("hits"), Some(35));
    let mut pages = database.query("hits").arg("id", "a").limit(10).pages();
    let mut sizes = Vec::new();
    while let Some(page) = sent(pages.next()).await {
        sizes.push(page.unwrap().items.len());
    }
    assert_eq!(sizes, [10, 10, 10, 5]);
    // A call that is dropped leaves its page to the next one; the same as a stream.
    let mut pages = database.query("hits").arg("id", "a").limit(10).pages();
    let mut sizes = Vec::new();
    loop {
        let begun = Box::pin(pages.next())
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        let page = match begun {
            Poll::Ready(page) => page,
            Poll::Pending => {
                std::future::poll_fn(|context| Pin::new(&mut pages).poll_next(context)).await
            }
        };
        match page {
            Some(page) => sizes.push(page.unwrap().to::<Hit>().unwrap().items.len()),
            None => break,
        }
        if sizes.len() == 4 {
            assert!(pages.next_as::<Hit>().await.is_none());
            break;
        }
    }
    assert_eq!(sizes, [10, 10, 10, 5]);
    let first = database
        .query("hits")
        .args(values! { "id": "a" })
        .one_as::<Hit>();
    assert_eq!(sent(first).await.unwrap().unwrap().n, 0);
    let all = database.query("hits").arg("id", "a").backward().all();
    assert_eq!(all.await.unwrap()[0].int("n"), Some(34));

    let change = values! { "id": "a", "mail": "a@x" };
    sent(database.update("Counter", change)).await.unwrap();
    let taken = sent(database.create("Counter", values! { "id": "b", "mail": "a@x" })).await;
    assert!(matches!(taken, Err(Error::Taken { .. })), "{taken:?}");
    let change = database.change("Counter", values! { "id": "a" }, &["mail"]);
    sent(change).await.unwrap();
    let counted = sent(database.delete("Counter", values! { "id": "a" })).await;
    assert!(matches!(counted, Err(Error::Refused(_))), "{counted:?}");
    let unknown = database.query("nope").page().await;
    assert!(matches!(unknown, Err(Error::Invalid { .. })), "{unknown:?}");
    assert_eq!(database.patterns().collect::<Vec<_>>(), ["counter", "hits"]);
}

#[test]
fn the_same_is_awaited_in_memory_in_a_folder_and_at_an_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let memory = Keyfold::memory().await.unwrap();
        works(memory.model(MODEL).await.unwrap()).await;
        let on_disk = Keyfold::open(folder.path()).await.unwrap();
        works(on_disk.model(MODEL).await.unwrap()).await;
    });
    let server_runtime = tokio::runtime::Runtime::new().unwrap();
    let engine = keyfold_engine::Engine::open(keyfold_engine::EngineOptions::new(
        keyfold_engine::StoreOptions::Memory,
    ));
    let bound = Server::bind(
        Arc::new(engine.unwrap()),
        ServerConfig::new("127.0.0.1:0".parse().unwrap()),
    );
    let server = server_runtime.block_on(bound).unwrap();
    let url = format!("http://{}", server.address());
    server_runtime.spawn(server.run(std::future::pending()));
    runtime().block_on(async {
        let there = Keyfold::connect(&url).await.unwrap();
        assert!(there.send(ListTablesInput::default()).await.is_ok());
        works(there.model(MODEL).await.unwrap()).await;
    });
}

/// A write is staged when its future is first polled, and the thread goes on: many writes wait for
/// the disk at once on a single thread, without a runtime.
#[test]
fn writes_of_one_thread_wait_for_the_disk_together() {
    let folder = tempfile::tempdir().unwrap();
    let blocking = keyfold::Keyfold::open(folder.path()).unwrap();
    blocking.model(MODEL).unwrap();
    let database = Keyfold::from(blocking.clone());
    let keys: Vec<String> = (0..64).map(|n| format!("k{n}")).collect();
    let mut writes: Vec<_> = keys
        .iter()
        .map(|key| Box::pin(sent(database.send(put(key)))))
        .collect();
    let mut context = Context::from_waker(Waker::noop());
    let waiting = writes
        .iter_mut()
        .map(|write| write.as_mut().poll(&mut context))
        .filter(Poll::is_pending)
        .count();
    assert!(
        waiting > 0,
        "every write blocked the thread until it was on the disk"
    );
    drop(writes);
    // What was staged is written, although nobody awaits it any more.
    let scan = || ScanInput {
        table_name: Some("Tab".to_owned()),
        consistent_read: Some(true),
        ..ScanInput::default()
    };
    while blocking.send(scan()).unwrap().count < 64 {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Writes through a model wait for the disk on their tasks: no thread of the pool, no runtime, and all
/// of them at once, although one thread may be occupied.
#[test]
fn writes_of_a_model_wait_for_the_disk_together() {
    let folder = tempfile::tempdir().unwrap();
    let options = keyfold::Options::new().concurrency(1);
    let blocking = keyfold::Keyfold::open_with(folder.path(), options).unwrap();
    let database = Database::from(blocking.model(MODEL).unwrap());
    let ids: Vec<String> = (0..64).map(|n| format!("k{n}")).collect();
    let mut writes: Vec<_> = ids
        .iter()
        .map(|id| Box::pin(sent(database.create("Counter", values! { "id": id }))))
        .collect();
    let mut context = Context::from_waker(Waker::noop());
    let waiting = writes
        .iter_mut()
        .map(|write| write.as_mut().poll(&mut context))
        .filter(Poll::is_pending)
        .count();
    assert!(
        waiting > 1,
        "every write blocked the thread until it was on the disk"
    );
    drop(writes);
    // What was sent is written, although nobody awaits it any more.
    let database = blocking.model(MODEL).unwrap();
    let is_there = |id: &String| {
        let found = database.query("counter").arg("id", id).one();
        found.is_ok_and(|item| item.is_some())
    };
    while !ids.iter().all(is_there) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A call of several requests lets other tasks go between them, and does not hold up the closing.
#[test]
fn a_database_is_closed_while_calls_are_under_way() {
    runtime().block_on(async {
        let keyfold = Keyfold::memory().await.unwrap();
        let database = keyfold.model(MODEL).await.unwrap();
        let (put, all) = (
            database.put("Counter", values! { "id": "a" }),
            database.query("hits").arg("id", "a").pages(),
        );
        let (mut put, mut pages) = (Box::pin(put), all);
        let mut context = Context::from_waker(Waker::noop());
        assert!(
            put.as_mut().poll(&mut context).is_pending(),
            "it has read, and others go before it writes"
        );
        let first = Pin::new(&mut pages).poll_next(&mut context);
        keyfold.close().await.unwrap();
        assert!(matches!(put.await, Err(Error::Closed)));
        match first {
            Poll::Ready(page) => assert!(page.unwrap().is_ok()),
            Poll::Pending => assert!(matches!(pages.next().await, Some(Err(Error::Closed)))),
        }
    });
}

/// A future that is dropped leaves nothing half-written, and its database usable.
#[test]
fn a_call_that_is_dropped_happens_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let keyfold = Keyfold::open(folder.path()).await.unwrap();
        let database = keyfold.model(MODEL).await.unwrap();
        database
            .put("Counter", values! { "id": "a" })
            .await
            .unwrap();
        let mut dropped = [0; 2];
        for n in 0..100 {
            // One request, or a read and a transaction.
            let run = database.run("hit").arg("id", "a").arg("n", n);
            let put = database.put("Hit", values! { "id": "a", "n": n });
            let mut call: Pin<Box<dyn Future<Output = _>>> = match n % 2 {
                0 => Box::pin(run.send()),
                _ => Box::pin(put),
            };
            // Some are dropped at once, others while they are carried out.
            let mut is_over = false;
            for _ in 0..=n % 3 {
                let mut context = Context::from_waker(Waker::noop());
                is_over = is_over || call.as_mut().poll(&mut context).is_ready();
            }
            dropped[usize::from(n % 2 == 1)] += u32::from(!is_over);
            tokio::time::sleep(Duration::from_micros(n * 5)).await;
        }
        assert!(
            dropped.iter().all(|count| *count > 0),
            "every call was carried out when it was first polled"
        );
        // Calls that were dropped may still be under way: two equal counts say that they are not.
        let mut before = None;
        loop {
            let hits = database
                .query("hits")
                .arg("id", "a")
                .all()
                .await
                .unwrap()
                .len();
            let counter = database
                .query("counter")
                .arg("id", "a")
                .one()
                .await
                .unwrap();
            let counted = counter
                .unwrap()
                .int("hits")
                .and_then(|n| usize::try_from(n).ok());
            if counted == Some(hits) && before == counted {
                break;
            }
            before = counted;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}

fn put(key: &str) -> PutItemInput {
    let attributes = [("PK", key), ("SK", "x")];
    let item: BTreeMap<String, Value> = attributes
        .into_iter()
        .map(|(name, text)| (name.to_owned(), Value::from(text)))
        .collect();
    PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(item.into())),
        ..PutItemInput::default()
    }
}
