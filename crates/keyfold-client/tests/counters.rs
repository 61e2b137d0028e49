//! The counters of a server, as a client reads them: those of Keyfold, and nothing of another engine.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_api::ListTablesInput;
use keyfold_client::{Backend, ClientError};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What a client makes of an answer, and the request that it has sent.
fn asked(status: &str, kind: &str, body: &str) -> (Result<Option<String>, ClientError>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let lines = lines
            .map(Result::unwrap)
            .take_while(|line| !line.is_empty());
        let request: Vec<String> = lines.collect();
        stream.write_all(answer.as_bytes()).unwrap();
        request.join("\n")
    });
    let backend = Backend::endpoint(&url, "us-east-1", "AKIDKEPT", "kept").unwrap();
    (backend.counters(), serving.join().unwrap())
}

#[test]
fn a_keyfold_server_has_counters_and_gets_no_credentials_for_them() {
    let (counters, request) = asked("200 OK", OPENMETRICS, "keyfold_connections 1\n");
    assert_eq!(counters.unwrap().unwrap(), "keyfold_connections 1\n");
    assert!(request.starts_with("GET /metrics HTTP/1.1"), "{request}");
    let request = request.to_lowercase();
    assert!(
        !request.contains("authorization") && !request.contains("akidkept"),
        "{request}"
    );
}

#[test]
fn another_engine_has_none() {
    for (status, kind) in [
        ("404 Not Found", "text/html"),
        ("200 OK", "text/html"),
        ("400 Bad Request", OPENMETRICS),
        ("302 Found", OPENMETRICS),
    ] {
        let (counters, _) = asked(status, kind, "keyfold_connections 1\n");
        assert_eq!(counters.unwrap(), None, "{status} {kind}");
    }
}

#[test]
fn a_server_that_is_not_there_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let backend = Backend::endpoint(&url, "us-east-1", "k", "s").unwrap();
    match backend.counters() {
        Err(ClientError::Transport(why)) => assert!(why.contains(&url), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// Who has the counters of a server does not keep its engine.
#[test]
fn counters_of_a_server_are_those_in_its_process_and_end_with_it() {
    let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
    let held = Arc::downgrade(&engine);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
    let server = runtime.block_on(Server::bind(engine, config)).unwrap();
    let (url, counters) = (format!("http://{}", server.address()), server.counters());
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = runtime.spawn(server.run(async { ended.await.unwrap() }));
    let backend = Backend::endpoint(&url, "us-east-1", "k", "s").unwrap();
    for _ in 0..3 {
        backend.call(ListTablesInput::default().into()).unwrap();
    }
    let line = "keyfold_requests_total{operation=\"ListTables\",outcome=\"ok\"} 3";
    for text in [backend.counters().unwrap(), counters.text()] {
        let text = text.unwrap();
        assert!(text.lines().any(|one| one == line), "{text}");
    }
    drop(backend);
    end.send(()).unwrap();
    runtime.block_on(serving).unwrap();
    assert!(counters.text().is_none() && held.upgrade().is_none());
}
