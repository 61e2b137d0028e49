//! Workers on threads: a record that fails stands alone and is set aside, one that comes back is
//! handled, gaps are decided on, and workers hand over.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::{
    Ahead, ITERATOR_IS_OLD, SOURCE, VIEW, add, assert_in_order, compare, delete_leases, histories,
    make_tables, marked, put_order, sales, scan, text, whole,
};
use keyfold_api::{ErrorKind, Request};
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions, StreamShards};
use keyfold_stream::{
    AtGap, Effects, Failure, Handler, Options, Record, Report, Start, Worker, replay, set_aside,
};
use keyfold_stream::{Sends, sends};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn engine(shards: StreamShards) -> (Arc<Engine>, Sends) {
    let options = EngineOptions {
        shards,
        ..EngineOptions::new(StoreOptions::Memory)
    };
    let engine = Arc::new(Engine::open(options).unwrap());
    make_tables(&engine);
    (
        Arc::clone(&engine),
        sends(Arc::new(Backend::Embedded(engine))),
    )
}

fn options() -> Options {
    Options {
        poll_time: Duration::from_millis(5),
        discovery_time: Duration::from_millis(100),
        retry_pause: Duration::from_millis(1),
        ..Options::new("sales", SOURCE)
    }
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a worker; collects its reports.
fn start(
    backend: &Sends,
    options: Options,
    handler: impl Handler,
) -> (Worker, Arc<Mutex<Vec<Report>>>) {
    let reports: Arc<Mutex<Vec<Report>>> = Arc::default();
    let into = Arc::clone(&reports);
    let options = options.on_report(move |report| into.lock().unwrap().push(report.clone()));
    (
        Worker::start(Arc::clone(backend), options, handler).unwrap(),
        reports,
    )
}

fn order_of(record: &Record) -> String {
    let keys = record.dynamodb.as_ref().unwrap().keys.as_ref().unwrap();
    text(keys.as_ref().unwrap(), "id")
}

/// A record that always fails is found by halving: the others have their effects, and it can be
/// replayed when its cause is gone.
#[test]
fn a_record_that_always_fails_stands_alone() {
    let (engine, backend) = engine(StreamShards::default());
    for n in 0..64 {
        put_order(&engine, &n.to_string(), "cup", 1, n + 1);
    }
    let tries = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tries);
    let is_mended = Arc::new(AtomicBool::new(false));
    let mended = Arc::clone(&is_mended);
    let handler = move |records: &[Record]| {
        count.fetch_add(1, Ordering::SeqCst);
        if records.iter().any(|one| order_of(one) == "41") && !mended.load(Ordering::SeqCst) {
            return Err(Failure::of("order 41 is odd"));
        }
        sales(records)
    };
    let settings = Options {
        batch: 64,
        retries: 0,
        ..options()
    };
    let (worker, reports) = start(&backend, settings.clone(), handler.clone());
    until("64 records", || {
        scan(&engine, VIEW)
            .keys()
            .filter(|id| id.starts_with("mark"))
            .count()
            == 63
    });
    until("it is set aside", || {
        set_aside(&backend, &settings).unwrap().len() == 1
    });
    worker.stop().unwrap();
    // The batch, each half that has it down to itself, and the other halves.
    assert_eq!(tries.load(Ordering::SeqCst), 1 + 6 + 6);
    let aside = set_aside(&backend, &settings).unwrap().pop().unwrap();
    assert_eq!(aside.why, "order 41 is odd");
    assert_eq!(order_of(&aside.record), "41");
    let said = reports
        .lock()
        .unwrap()
        .iter()
        .any(|one| matches!(one, Report::SetAside { .. }));
    assert!(said);

    let error = replay(&backend, &settings, &aside, &handler).unwrap_err();
    assert_eq!(error, Failure::Records("order 41 is odd".to_owned()));
    is_mended.store(true, Ordering::SeqCst);
    replay(&backend, &settings, &aside, &handler).unwrap();
    assert_eq!(compare(&engine), Ok(64));
    assert_eq!(set_aside(&backend, &settings).unwrap(), []);
    // Twice is not possible.
    assert!(replay(&backend, &settings, &aside, &handler).is_err());
    assert_eq!(compare(&engine), Ok(64));
}

/// A record with two images of nearly 400 KB is larger than an item, and is set aside whole.
#[test]
fn a_large_record_is_set_aside_whole() {
    let (engine, backend) = engine(StreamShards::default());
    let mut noise = 1_u64;
    for version in 0..2 {
        let large: String = (0..390_000)
            .map(|_| {
                noise = noise
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(version);
                char::from(b'a' + u8::try_from(noise >> 40 & 15).unwrap())
            })
            .collect();
        put_order(&engine, "1", &large, 1, version + 1);
    }
    let settings = Options {
        retries: 0,
        ..options()
    };
    let (worker, _) = start(
        &backend,
        settings.clone(),
        |records: &[Record]| match records.iter().all(|one| {
            one.event_name
                == Some(keyfold_api::Named::Known(
                    keyfold_api::OperationType::Insert,
                ))
        }) {
            true => Ok(Effects::none()),
            false => panic!("a change"),
        },
    );
    until("it is set aside", || {
        set_aside(&backend, &settings).unwrap().len() == 1
    });
    worker.stop().unwrap();
    let aside = set_aside(&backend, &settings).unwrap().pop().unwrap();
    assert_eq!(aside.why, "the handler panicked: a change");
    let images = aside.record.dynamodb.clone().unwrap();
    let sides = [images.old_image, images.new_image]
        .map(|one| text(&one.unwrap().unwrap(), "product").len());
    assert_eq!(sides, [390_000, 390_000]);
    replay(&backend, &settings, &aside, &|_: &[Record]| {
        Ok(Effects::of(vec![add("of it", 1, 1)]))
    })
    .unwrap();
    assert_eq!(set_aside(&backend, &settings).unwrap(), []);
}

/// Effects that do not fit into a transaction are made in parts.
#[test]
fn more_effects_than_a_transaction_takes_are_divided() {
    let (engine, backend) = engine(StreamShards::default());
    for n in 0..300 {
        put_order(&engine, &n.to_string(), &(n % 5).to_string(), 2, n + 1);
    }
    let (worker, reports) = start(&backend, options(), sales);
    until("300 records", || compare(&engine) == Ok(300));
    worker.stop().unwrap();
    let failed = reports
        .lock()
        .unwrap()
        .iter()
        .any(|one| matches!(one, Report::Failed { .. }));
    assert!(!failed, "a division is no failure");
}

/// What is not the records' fault is tried until it succeeds, and nothing is set aside.
#[test]
fn a_passing_failure_is_waited_for() {
    let (engine, backend) = engine(StreamShards::default());
    put_order(&engine, "1", "cup", 2, 1);
    let tries = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tries);
    let (worker, _) = start(&backend, options(), move |records: &[Record]| {
        match count.fetch_add(1, Ordering::SeqCst) {
            0..6 => Err(Failure::again("the mail server is down")),
            _ => sales(records),
        }
    });
    until("the record", || compare(&engine) == Ok(1));
    worker.stop().unwrap();
    assert_eq!(tries.load(Ordering::SeqCst), 7);
    assert_eq!(set_aside(&backend, &options()).unwrap(), []);
}

/// Several workers, of which some stop and others start while shards are split, handle each record once, those of
/// an order one behind another, and without dividing any batch.
#[test]
fn workers_come_and_go() {
    let (engine, backend) = engine(StreamShards {
        open_min: 3,
        open_max: 8,
        lifetime: Some(Duration::from_millis(300)),
        ..StreamShards::default()
    });
    let settings = Options {
        lease_time: Duration::from_millis(900),
        batch: 40,
        lanes: 2,
        ..options()
    };
    let mut written: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    // An order changes several times in a batch.
    let mut put = |n: u64| {
        let order = (n / 4 % 30).to_string();
        put_order(&engine, &order, "cup", 1, n + 1);
        let version = i64::try_from(n + 1).unwrap();
        written.entry(order).or_default().push(version);
    };
    (0..300).for_each(&mut put);
    let begin = || start(&backend, settings.clone(), histories);
    let mut workers = vec![begin(), begin(), begin()];
    let mut reports = Vec::new();
    for n in 300..1_500 {
        put(n);
        if n % 250 == 249 {
            engine.work().unwrap();
            let (worker, of_worker) = workers.remove(0);
            worker.stop().unwrap();
            reports.extend(of_worker.lock().unwrap().clone());
            workers.push(begin());
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    let aside = || set_aside(&backend, &settings).unwrap();
    until("all records", || marked(&engine) + aside().len() == 1_500);
    for (worker, of_worker) in workers {
        worker.stop().unwrap();
        reports.extend(of_worker.lock().unwrap().clone());
    }
    assert_eq!(aside(), []);
    assert_in_order(&engine, &written);
    let is_divided = |one: &&Report| {
        matches!(one, Report::Failed { why, .. } if !why.contains("TransactionConflict"))
            || matches!(one, Report::SetAside { .. })
    };
    assert_eq!(reports.iter().find(is_divided), None);
    let taken = reports.iter();
    let taken = taken.filter(|one| matches!(one, Report::Taken(_)));
    let shards = taken.map(Report::to_string).collect::<BTreeSet<_>>();
    assert!(shards.len() > 3, "no child was read");
}

/// A lease is renewed however long the handler takes: a worker beside it takes nothing, and the record
/// is handled once.
#[test]
fn a_handler_may_take_longer_than_a_lease() {
    let (engine, backend) = engine(StreamShards::default());
    let settings = Options {
        lease_time: Duration::from_millis(1_500),
        ..options()
    };
    let calls: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let into = Arc::clone(&calls);
    let takes = settings.lease_time * 3;
    let slow = move |records: &[Record]| {
        let began = Instant::now();
        std::thread::sleep(takes);
        into.lock().unwrap().push(began.elapsed());
        sales(records)
    };
    let (first, of_first) = start(&backend, settings.clone(), slow);
    let taken = |reports: &Mutex<Vec<Report>>| {
        let reports = reports.lock().unwrap();
        let is_taken = |one: &&Report| matches!(one, Report::Taken(_) | Report::Lost(_));
        reports.iter().filter(is_taken).count()
    };
    until("the shard is taken", || taken(&of_first) == 1);
    put_order(&engine, "1", "cup", 2, 1);
    let (second, of_second) = start(&backend, settings, sales);
    until("the record", || compare(&engine) == Ok(1));
    // The one that waited looks for leases that are over three times in the time of one.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(calls.lock().unwrap().len(), 1);
    assert_eq!((taken(&of_first), taken(&of_second)), (1, 0));
    let handled = |reports: &Mutex<Vec<Report>>| {
        let reports = reports.lock().unwrap();
        let is_handled = |one: &&Report| matches!(one, Report::Handled { .. });
        reports.iter().filter(is_handled).count()
    };
    assert_eq!((handled(&of_first), handled(&of_second)), (1, 0));
    first.stop().unwrap();
    second.stop().unwrap();
}

/// A worker that slept for longer than an iterator lives goes on behind the records that it has read.
#[test]
fn an_iterator_expires_while_its_consumer_is_idle() {
    let clock = Arc::new(Ahead::default());
    let engine = Arc::new(Engine::open(clock.engine()).unwrap());
    make_tables(&engine);
    let send = sends(Arc::new(Backend::Embedded(Arc::clone(&engine))));
    let (asked, expired) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (ask, expire) = (Arc::clone(&asked), Arc::clone(&expired));
    let backend: Sends = Arc::new(move |request| {
        let is_read = matches!(request, Request::GetRecords(_));
        let answer = send(request);
        if is_read {
            ask.fetch_add(1, Ordering::SeqCst);
        }
        if let Err(error) = &answer
            && error.kind() == Some(ErrorKind::ExpiredIterator)
        {
            expire.fetch_add(1, Ordering::SeqCst);
        }
        answer
    });
    put_order(&engine, "1", "cup", 1, 1);
    let (worker, reports) = start(&backend, options(), sales);
    until("the first record", || compare(&engine) == Ok(1));
    for round in 1..=3 {
        let read = || asked.load(Ordering::SeqCst);
        let before = expired.load(Ordering::SeqCst);
        let mut so_far = read();
        until("an iterator has expired", || {
            let is_old = expired.load(Ordering::SeqCst) > before;
            // The answer to a read under way may have an iterator of the later time already.
            if !is_old && read() > so_far + 2 {
                so_far = read();
                clock.put_forward(ITERATOR_IS_OLD);
            }
            is_old
        });
        put_order(&engine, "1", "pot", 2, round as u64 + 1);
        until("the next record", || compare(&engine) == Ok(round + 1));
    }
    worker.stop().unwrap();
    let reports = reports.lock().unwrap();
    let is_trouble = |one: &&Report| matches!(one, Report::Trouble(_) | Report::Failed { .. });
    assert_eq!(reports.iter().find(is_trouble), None);
}

/// Records that were trimmed before they were handled stop the worker, or are passed over when the
/// program says so.
#[test]
fn a_gap_is_decided_on() {
    let (engine, backend) = engine(StreamShards {
        retention: Duration::from_secs(1),
        ..StreamShards::default()
    });
    // Its tables take longer to be made than a record is kept.
    let (worker, _) = start(&backend, options(), sales);
    put_order(&engine, "1", "cup", 1, 1);
    until("the first record", || compare(&engine) == Ok(1));
    worker.stop().unwrap();
    put_order(&engine, "2", "cup", 1, 2);
    std::thread::sleep(Duration::from_millis(1_500));
    until("it is trimmed", || {
        engine.work().unwrap();
        let (worker, _) = start(&backend, options(), sales);
        std::thread::sleep(Duration::from_millis(200));
        let has_stopped = worker.has_stopped();
        let result = worker.stop();
        assert_eq!(result.is_err(), has_stopped);
        result.is_err_and(|error| error.to_string().contains("are missing"))
    });
    let (worker, reports) = start(&backend, options().on_gap(|_| AtGap::GoOn), sales);
    put_order(&engine, "3", "pot", 7, 3);
    until("the third", || {
        scan(&engine, VIEW)
            .get("of pot")
            .is_some_and(|row| whole(row, "total") == 7)
    });
    worker.stop().unwrap();
    let gaps = reports
        .lock()
        .unwrap()
        .iter()
        .filter(|one| matches!(one, Report::Gap(_)))
        .count();
    assert_eq!(gaps, 1);
    assert!(!scan(&engine, VIEW).contains_key("of 2"));
}

/// Somebody deletes the leases of a consumer that runs: it stops, and handles nothing twice.
#[test]
fn a_consumer_whose_leases_are_deleted_stops() {
    for with_table in [false, true] {
        let (engine, backend) = engine(StreamShards::default());
        put_order(&engine, "1", "cup", 1, 1);
        let (worker, _) = start(&backend, options(), sales);
        until("the first record", || compare(&engine) == Ok(1));
        delete_leases(&engine, with_table);
        until("it stops", || worker.has_stopped());
        let error = worker.stop().unwrap_err().to_string();
        assert!(error.contains("were deleted from the table"), "{error}");
        assert_eq!(compare(&engine), Ok(1));
    }
}

/// A consumer that begins with the latest record sees no earlier one; a filter leaves records out; two
/// consumers of one table are independent of each other.
#[test]
fn consumers_see_what_they_ask_for() {
    let (engine, backend) = engine(StreamShards::default());
    put_order(&engine, "1", "cup", 1, 1);
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&seen);
    let latest = Options {
        start: Start::Latest,
        name: "latest".to_owned(),
        ..options()
    }
    .filter(|event| {
        let keys = event.dynamodb.as_ref().unwrap().keys.as_ref().unwrap();
        text(keys.as_ref().unwrap(), "id") != "3"
    });
    let (first, reports) = start(&backend, latest.clone(), move |records: &[Record]| {
        into.lock().unwrap().extend(records.iter().map(order_of));
        Ok(Effects::none())
    });
    let (second, _) = start(&backend, options(), sales);
    until("it is taken", || {
        reports
            .lock()
            .unwrap()
            .iter()
            .any(|one| matches!(one, Report::Taken(_)))
    });
    // The iterator is made after the lease was taken.
    std::thread::sleep(Duration::from_millis(100));
    for (n, id) in ["2", "3", "4"].into_iter().enumerate() {
        put_order(&engine, id, "cup", 1, n as u64 + 2);
    }
    until("two records", || seen.lock().unwrap().len() == 2);
    until("all records", || compare(&engine) == Ok(4));
    first.stop().unwrap();
    second.stop().unwrap();
    assert_eq!(*seen.lock().unwrap(), ["2", "4"]);
}

/// Settings that contradict each other, and tables that are none, are refused before anything is made.
#[test]
fn wrong_settings_are_refused() {
    let (_, backend) = engine(StreamShards::default());
    for (settings, why) in [
        (
            Options {
                batch: 0,
                ..options()
            },
            "`batch` is 0, and not 1 to 10,000",
        ),
        (
            Options {
                lanes: 65,
                ..options()
            },
            "`lanes` is 65, and not 1 to 64",
        ),
        (
            Options {
                leases: SOURCE.to_owned(),
                ..options()
            },
            "each lease would be a record",
        ),
        (
            Options {
                failures: "keyfold_leases".to_owned(),
                ..options()
            },
            "are one table: name two",
        ),
        (
            Options {
                name: String::new(),
                ..options()
            },
            "the consumer's `name` is empty",
        ),
        (
            Options {
                table: "Nothing".to_owned(),
                ..options()
            },
            "there is no table Nothing",
        ),
        (
            Options {
                table: VIEW.to_owned(),
                ..options()
            },
            "the table Sales has no stream",
        ),
        (
            Options {
                lease_time: Duration::from_millis(1),
                ..options()
            },
            "`lease_time` is 1ms",
        ),
        (
            Options {
                leases: VIEW.to_owned(),
                ..options()
            },
            "its key is not (consumer, lease)",
        ),
    ] {
        let error = Worker::start(Arc::clone(&backend), settings, sales).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

/// A batch is handled when it is full, or when its first record has waited for its window. What waits when the worker
/// stops is handled by the next one.
#[test]
fn a_batch_is_handled_when_it_is_full_or_has_waited() {
    let (engine, backend) = engine(StreamShards::default());
    let batches: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
    let begin = |window: Duration| {
        let into = Arc::clone(&batches);
        let settings = Options {
            batch: 3,
            window,
            ..options()
        };
        let (worker, _) = start(&backend, settings, move |records: &[Record]| {
            into.lock()
                .unwrap()
                .push(records.iter().map(order_of).collect());
            sales(records)
        });
        worker
    };
    let put = |ids: std::ops::Range<u64>| {
        for id in ids {
            put_order(&engine, &id.to_string(), "cup", 1, id);
        }
    };
    let hour = Duration::from_secs(3_600);
    put(1..6);
    let worker = begin(hour);
    until("a full batch", || batches.lock().unwrap().len() == 1);
    // Long enough for many looks at the stream.
    std::thread::sleep(Duration::from_millis(300));
    put(6..9);
    until("another one", || batches.lock().unwrap().len() == 2);
    worker.stop().unwrap();
    let worker = begin(Duration::from_millis(200));
    until("the rest", || compare(&engine) == Ok(8));
    worker.stop().unwrap();
    let wanted = [vec!["1", "2", "3"], vec!["4", "5", "6"], vec!["7", "8"]];
    assert_eq!(*batches.lock().unwrap(), wanted);
}
