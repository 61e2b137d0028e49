//! The importer and the program on a legacy system that is given.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rustix::process::{Pid, Signal, kill_process};
use sales::{Desk, Imported, Legacy, Postgres, Storage, import};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_postgres::NoTls;

const WITHIN: Duration = Duration::from_secs(40);

/// Changes something in the legacy system, as its own programs do.
async fn change(postgres: &Postgres, statements: &str) {
    let connected = tokio_postgres::connect(&postgres.connection(), NoTls).await;
    let (client, connection) = connected.unwrap();
    let running = tokio::spawn(connection);
    client.batch_execute(statements).await.unwrap();
    drop(client);
    running.await.unwrap().unwrap();
}

fn program(legacy: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_sales"))
        .args(["--legacy", legacy])
        .env("SALES_CONNECTION", "memory:")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// The answer of its page: then it hears signals, too.
async fn page(address: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn n5_products_and_regions_are_those_of_the_legacy_system() {
    let postgres = Postgres::start().await.unwrap();
    let tested = timeout(WITHIN, follows(&postgres)).await;
    postgres.stop().await.unwrap();
    tested.unwrap();
}

async fn follows(postgres: &Postgres) {
    let legacy = Legacy::open(&postgres.connection()).await.unwrap();
    let storage = Storage::open("memory:").await.unwrap();
    let desk = Desk::open(&storage).await.unwrap();
    let missing = import(&desk, &legacy).await.unwrap_err().to_string();
    assert!(missing.contains("\"products\" does not exist"), "{missing}");
    legacy.found().await.unwrap();
    import(&desk, &legacy).await.unwrap();
    let statements = "DELETE FROM products WHERE id = 'map';
        UPDATE products SET price = 45.05 WHERE id = 'kettle';
        UPDATE regions SET manager = 'Eli Novak' WHERE id = 'west';
        INSERT INTO regions VALUES ('centre', 'Centre', 'Fay Ito')";
    change(postgres, statements).await;
    let imported = import(&desk, &legacy).await.unwrap();
    let expected = Imported {
        written: 3,
        deleted: 1,
    };
    assert_eq!(imported, expected);
    assert_eq!(import(&desk, &legacy).await.unwrap(), Imported::default());
    // A connection that is lost is made again.
    let mine = "pid <> pg_backend_pid() AND usename = 'sales'";
    let lost = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {mine}");
    change(postgres, &lost).await;
    while import(&desk, &legacy).await.is_err() {}
    storage.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn n5_the_program_opens_on_a_legacy_system_that_is_given() {
    let postgres = Postgres::start().await.unwrap();
    let tested = timeout(WITHIN, opens(&postgres)).await;
    // It was not this program's, which has left it as it was.
    change(&postgres, "DROP TABLE products, regions").await;
    postgres.stop().await.unwrap();
    tested.unwrap();
}

async fn opens(postgres: &Postgres) {
    let connection = postgres.connection();
    let closed = program(&connection).wait_with_output().await.unwrap();
    assert_eq!(closed.status.code(), Some(1));
    let said = String::from_utf8(closed.stderr).unwrap();
    assert!(said.starts_with("Sales stays closed: the legacy"), "{said}");
    assert!(said.contains("\"products\" does not exist"), "{said}");

    let legacy = Legacy::open(&connection).await.unwrap();
    legacy.found().await.unwrap();
    let mut open = program(&connection);
    let mut lines = BufReader::new(open.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let address = line.strip_prefix("Sales is open at http://").unwrap();
    let address = address.split_whitespace().next().unwrap();
    assert!(page(address).await.starts_with("HTTP/1.1 200 "));
    let pid = Pid::from_raw(i32::try_from(open.id().unwrap()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let ended = open.wait_with_output().await.unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), said.as_str()), (Some(0), ""));
}
