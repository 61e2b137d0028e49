//! Opening with settings, closing, dropping, and endpoints that are slow, wrong or gone.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking"
)]

use keyfold::api::{ListTablesInput, ScanInput};
use keyfold::time::{self, Precision};
use keyfold::{
    Credentials, Durability, Endpoint, Error, Keyfold, OpenError, Options, nonblocking, values,
};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const MODEL: &str = "model m 1\ntable Tab (PK, SK)\nentity Item\n  id: string, at: time?, day: time(s)?, n: int?\n  key \"I#{id}\" \"I\"\npattern item(id) -> Item?\npattern items(id[]) -> Item[]\n";

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

#[test]
fn a_database_is_closed_for_all_and_opened_again() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("data");
    let options = Options::new()
        .durability(Durability::Buffered)
        .cache_bytes(1 << 20)
        .memtable_bytes(1 << 16)
        .concurrency(2);
    let db = Keyfold::open_with(&folder, options).unwrap();
    let items = db.model(MODEL).unwrap();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let items = items.clone();
            std::thread::spawn(move || {
                let mut written = 0;
                loop {
                    let id = format!("{writer}-{written}");
                    match items.put("Item", values! { "id": id, "n": 1 }) {
                        Ok(_) => written += 1,
                        Err(error) => {
                            assert_eq!(error, Error::Closed);
                            return written;
                        }
                    }
                }
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(30));
    let second = db.clone();
    let other = std::thread::spawn(move || second.close());
    db.close().unwrap();
    other.join().unwrap().unwrap();
    // Everybody still holds a clone, and the folder is free.
    let again = Keyfold::open(&folder).unwrap();
    let written: u32 = writers.into_iter().map(|one| one.join().unwrap()).sum();
    let scan = ScanInput {
        table_name: Some("Tab".to_owned()),
        ..ScanInput::default()
    };
    assert_eq!(again.send(scan).unwrap().count, u64::from(written));
    assert_eq!(db.close(), Ok(()), "closing again does nothing");
    assert_eq!(db.send(ListTablesInput::default()), Err(Error::Closed));
    assert!(matches!(
        items.query("item").arg("id", "0-0").one(),
        Err(Error::Closed)
    ));
    assert_eq!(Error::Closed.to_string(), "the database is closed");
}

#[test]
fn tasks_close_too_and_the_last_drop_is_not_theirs() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("data");
    runtime().block_on(async {
        let db = nonblocking::Keyfold::open_with(&folder, Options::new())
            .await
            .unwrap();
        let items = db.model(MODEL).await.unwrap();
        items.put("Item", values! { "id": "a" }).await.unwrap();
        // A write that nobody awaits any more does not hold up the closing.
        let input = ScanInput {
            table_name: Some("Tab".to_owned()),
            ..ScanInput::default()
        };
        let scan = Box::pin(db.send(input));
        db.close().await.unwrap();
        drop(scan);
        let closed = items.put("Item", values! { "id": "b" }).await;
        assert!(matches!(closed, Err(Error::Closed)), "{closed:?}");
        // Dropped instead of closed: a thread of the pool lets go of the folder.
        let again = nonblocking::Keyfold::open(&folder).await.unwrap();
        let items = again.model(MODEL).await.unwrap();
        assert!(
            items
                .query("item")
                .arg("id", "a")
                .one()
                .await
                .unwrap()
                .is_some()
        );
        drop(again);
        let began = Instant::now();
        drop(items);
        assert!(
            began.elapsed() < Duration::from_millis(500),
            "{:?}",
            began.elapsed()
        );
        for _ in 0..1000 {
            match nonblocking::Keyfold::open(&folder).await {
                Ok(_) => return,
                Err(error) => assert!(is_in_use(&error), "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the folder was never let go of");
    });
}

/// A server that answers each connection after a moment, and how many it has at once at the most.
fn slow_server(delay: Duration) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || answer(stream, delay, &sender));
        }
    });
    (url, received)
}

fn answer(mut stream: TcpStream, delay: Duration, sender: &mpsc::Sender<String>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
        head.extend(byte);
    }
    let _unread = sender.send(String::from_utf8_lossy(&head).to_ascii_lowercase());
    std::thread::sleep(delay);
    let body = r#"{"TableNames":[]}"#;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _gone = stream.write_all(format!("{head}{body}").as_bytes());
}

#[test]
fn endpoints_take_credentials_times_and_attempts() {
    let (url, received) = slow_server(Duration::ZERO);
    let token = Credentials::new("key", "hunter2").session_token("the-token");
    assert!(
        !format!("{token:?}").contains("hunter2") && !format!("{token:?}").contains("the-token")
    );
    let endpoint = Endpoint::new(&url).region("eu-west-1").credentials(token);
    let db = Keyfold::connect_with(endpoint).unwrap();
    db.send(ListTablesInput::default()).unwrap();
    let head = received.recv().unwrap();
    assert!(
        head.contains("x-amz-security-token: the-token\r\n"),
        "{head}"
    );
    assert!(
        head.contains("host;x-amz-date;x-amz-security-token;x-amz-target"),
        "{head}"
    );
    assert!(head.contains("/eu-west-1/dynamodb/"), "{head}");

    let (url, received) = slow_server(Duration::from_secs(5));
    let endpoint = Endpoint::new(&url)
        .request_timeout(Duration::from_millis(50))
        .retries(2);
    let began = Instant::now();
    let db = Keyfold::connect_with(endpoint).unwrap();
    let late = db.send(ListTablesInput::default());
    assert!(matches!(late, Err(Error::Unavailable(_))), "{late:?}");
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    let heads = || received.recv_timeout(Duration::from_secs(1));
    assert!(
        heads().is_ok() && heads().is_ok() && heads().is_ok(),
        "two retries"
    );
    assert!(heads().is_err(), "and no third");
    for wrong in [
        "http://",
        "host:8000",
        "ftp://host",
        "http://u:hunter2@host",
        "http://host/x",
    ] {
        let Err(Error::Invalid { message: why, .. }) = Keyfold::connect(wrong) else {
            panic!("{wrong} is taken")
        };
        assert!(!why.contains("hunter2"), "{why}");
    }
}

/// An endpoint that hangs does not take all threads of the pool.
#[test]
fn calls_of_a_database_are_bounded() {
    let (url, received) = slow_server(Duration::from_millis(400));
    runtime().block_on(async {
        let endpoint = Endpoint::new(&url).concurrency(2);
        let db = nonblocking::Keyfold::connect_with(endpoint).unwrap();
        let began = Instant::now();
        let tasks: Vec<_> = (0..6)
            .map(|_| {
                let db = db.clone();
                tokio::spawn(async move { db.send(ListTablesInput::default()).await })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(100)).await;
        let first = received.try_iter().count();
        assert!(first <= 2, "{first}");
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert!(
            began.elapsed() >= Duration::from_millis(1200),
            "three rounds of two"
        );
        assert_eq!(first + received.try_iter().count(), 6);
        // A call that is dropped while it waits for its turn never happens, and gives its turn back.
        for _ in 0..20 {
            let call = db.send(ListTablesInput::default());
            let patience = Duration::from_micros(100);
            drop(tokio::time::timeout(patience, call).await);
        }
        db.send(ListTablesInput::default()).await.unwrap();
    });
}

fn is_in_use(error: &Error) -> bool {
    matches!(
        error,
        Error::Open {
            error: OpenError::InUse,
            ..
        }
    )
}

#[test]
fn a_folder_that_cannot_be_opened_says_why() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    std::fs::write(&file, "x").unwrap();
    for wrong in [file.clone(), file.join("below")] {
        let error = Keyfold::open(&wrong).unwrap_err();
        assert!(matches!(error, Error::Open { .. }), "{error:?}");
        assert!(!error.to_string().contains("device"), "{error}");
        assert_eq!(error, Keyfold::open(&wrong).unwrap_err());
    }
    let odd = Keyfold::open("a\u{0}\u{1b}[31m").unwrap_err().to_string();
    assert!(odd.contains("a\\u{0}\\u{1b}"), "{odd}");
    let folder = place.path().join("data");
    let _open = Keyfold::open(&folder).unwrap();
    let error = Keyfold::open(&folder).unwrap_err();
    assert!(is_in_use(&error), "{error}");
    assert!(error.to_string().contains("or this one"), "{error}");
    assert!(
        error.to_string().contains(&*folder.to_string_lossy()),
        "{error}"
    );
    assert_ne!(error, Keyfold::open(&file).unwrap_err());
}

#[test]
fn times_of_clocks_are_cut_on_purpose_only() {
    let items = Keyfold::memory().unwrap().model(MODEL).unwrap();
    let fine = "2024-01-15T10:30:00.123456789+02:00";
    let Err(Error::Invalid { message: why, .. }) =
        items.put("Item", values! { "id": "a", "at": fine })
    else {
        panic!("digits are lost")
    };
    assert!(
        why.contains("at: `2024") && why.contains("keyfold::time::truncate"),
        "{why}"
    );
    for (precision, expected) in [
        (Precision::Seconds, "2024-01-15T08:30:00Z"),
        (Precision::Millis, "2024-01-15T08:30:00.123Z"),
        (Precision::Micros, "2024-01-15T08:30:00.123456Z"),
        (Precision::Nanos, "2024-01-15T08:30:00.123456789Z"),
    ] {
        assert_eq!(time::truncate(fine, precision).as_deref(), Ok(expected));
        let now = time::now(precision);
        assert_eq!(time::truncate(&now, precision), Ok(now));
    }
    for wrong in ["yesterday", "2024-01-15T10:30:00", ""] {
        assert!(matches!(
            time::truncate(wrong, Precision::Millis),
            Err(Error::Invalid { .. })
        ));
    }
    assert!(time::truncate(5, Precision::Millis).is_err());
    assert!(time::truncate(None::<&str>, Precision::Millis).is_err());

    #[derive(serde::Serialize)]
    struct Item {
        id: &'static str,
        #[serde(serialize_with = "time::millis")]
        at: Option<&'static str>,
        #[serde(serialize_with = "time::seconds")]
        day: &'static str,
    }
    let at = fine;
    items
        .put(
            "Item",
            Item {
                id: "b",
                at: Some(at),
                day: at,
            },
        )
        .unwrap();
    items
        .put(
            "Item",
            Item {
                id: "c",
                at: None,
                day: at,
            },
        )
        .unwrap();
    let found = items.query("items").arg("id", ["b", "c"]).all().unwrap();
    let texts: Vec<_> = found
        .iter()
        .map(|item| (item.text("at"), item.text("day")))
        .collect();
    let day = Some("2024-01-15T08:30:00Z");
    assert_eq!(
        texts,
        [(Some("2024-01-15T08:30:00.123Z"), day), (None, day)]
    );
}
