//! A slow device: readers are answered, however much is waiting to be written.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "../../keyfold-engine/tests/common/disk.rs"]
mod disk;

use disk::Disk;
use keyfold_engine::{Durability, Engine, EngineOptions, FolderOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// Sends a request after which the server closes.
fn send(address: SocketAddr, operation: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
}

fn answer(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A server on a device whose syncs can be held back, with a table.
struct Slow {
    runtime: tokio::runtime::Runtime,
    address: SocketAddr,
    disk: Disk,
    stop: tokio::sync::oneshot::Sender<()>,
    running: tokio::task::JoinHandle<()>,
    _folder: tempfile::TempDir,
}

const TABLE: &str = r#"{"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],"KeySchema":[{"AttributeName":"p","KeyType":"HASH"}]}"#;

impl Slow {
    fn start(threads: usize, configure: impl FnOnce(&mut ServerConfig)) -> Slow {
        let (folder, disk) = (tempfile::tempdir().unwrap(), Disk::default());
        let store = FolderOptions {
            durability: Durability::Synced,
            log_files: Some(Arc::new(disk.clone())),
            ..FolderOptions::new(folder.path())
        };
        let options = EngineOptions::new(StoreOptions::Folder(store));
        let engine = Arc::new(Engine::open(options).unwrap());
        let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        config.allow_unsigned = true;
        configure(&mut config);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(Server::bind(engine, config)).unwrap();
        let address = server.address();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = runtime.spawn(server.run(async { drop(stopped.await) }));
        assert!(answer(send(address, "CreateTable", TABLE)).starts_with("HTTP/1.1 200"));
        Slow {
            runtime,
            address,
            disk,
            stop,
            running,
            _folder: folder,
        }
    }
}

#[test]
fn readers_are_answered_while_more_is_written_than_the_device_takes() {
    let slow = Slow::start(2, |_| {});
    let (address, disk) = (slow.address, &slow.disk);

    let held = disk.block_syncs();
    let text = "x".repeat(390_000);
    let puts: Vec<TcpStream> = (0..120)
        .map(|n| {
            let put = format!(
                r#"{{"TableName":"Tab","Item":{{"p":{{"S":"{n}"}},"t":{{"S":"{text}"}}}}}}"#
            );
            send(address, "PutItem", &put)
        })
        .collect();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(20));
        let get = r#"{"TableName":"Tab","Key":{"p":{"S":"other"}}}"#;
        assert!(answer(send(address, "GetItem", get)).starts_with("HTTP/1.1 200"));
    }
    drop(held);
    for put in puts {
        assert!(answer(put).starts_with("HTTP/1.1 200"));
    }
    slow.stop.send(()).unwrap();
    slow.runtime.block_on(slow.running).unwrap();
}

/// A request that the device never finishes does not hold the server beyond its time for stopping, and
/// none of the threads that answer either: the server owns the engine here, and closing it waits for
/// the device.
#[test]
fn a_shutdown_does_not_wait_for_ever_for_the_device() {
    // With one thread all that waits for the device is seen to hold it up.
    for threads in [1, 2] {
        let slow = Slow::start(threads, |config| {
            config.shutdown_timeout = Duration::from_millis(300);
        });
        let held = slow.disk.block_syncs();
        let put = r#"{"TableName":"Tab","Item":{"p":{"S":"a"}}}"#;
        let waiting = send(slow.address, "PutItem", put);
        // It is under way once a request behind it was answered.
        let get = r#"{"TableName":"Tab","Key":{"p":{"S":"other"}}}"#;
        assert!(answer(send(slow.address, "GetItem", get)).starts_with("HTTP/1.1 200"));
        slow.stop.send(()).unwrap();
        // The clock of this thread: where all threads of the runtime wait, its own stands still.
        let soon = Duration::from_secs(20);
        let (ended, end) = std::sync::mpsc::channel();
        let running = slow.running;
        slow.runtime.spawn(async move { ended.send(running.await) });
        assert!(end.recv_timeout(soon).is_ok(), "it waits for the device");
        // The connections that were broken off have left the threads, too.
        std::thread::sleep(Duration::from_millis(100));
        let (done, other) = std::sync::mpsc::channel();
        for _ in 0..threads {
            let done = done.clone();
            slow.runtime.spawn(async move { done.send(()) });
        }
        for _ in 0..threads {
            let other = other.recv_timeout(soon);
            assert!(
                other.is_ok(),
                "a thread of the runtime waits for the device"
            );
        }
        drop((held, waiting));
        slow.runtime.shutdown_background();
    }
}
