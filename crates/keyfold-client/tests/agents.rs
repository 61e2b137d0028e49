//! The `User-Agent` of an endpoint's requests, by which a policy of the server distinguishes programs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{ErrorKind, Operation, Request};
use keyfold_client::{Backend, Endpoint, Terms};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use std::net::SocketAddr;
use std::sync::Arc;

const TABLE: &str = r#"{"TableName":"Tab","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}]}"#;
const POLICY: &str = r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab",
    "Policy":"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"dynamodb:PutItem\",\"Resource\":\"*\",\"Condition\":{\"StringNotLike\":{\"aws:UserAgent\":\"mover/*\"}}}]}"}"#;
const PUT: &str = r#"{"TableName":"Tab","Item":{"p":{"S":"a"}}}"#;

fn request(operation: Operation, body: &str) -> Request {
    keyfold_wire::decode(operation, body.as_bytes()).unwrap()
}

/// The kinds of the errors of a put that blocks, and of one that is awaited.
fn puts(runtime: &tokio::runtime::Runtime, backend: &Backend) -> [Option<ErrorKind>; 2] {
    let blocked = backend.call(request(Operation::PutItem, PUT));
    let awaited = backend.start(request(Operation::PutItem, PUT), &Terms::default());
    let awaited = runtime.block_on(awaited);
    [blocked, awaited].map(|answer| answer.err().and_then(|error| error.kind()))
}

#[test]
fn a_policy_sees_the_agent_of_both_transports() {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
    let server = runtime
        .block_on(Server::bind(Arc::new(engine), config))
        .unwrap();
    let url = format!("http://{}", server.address());
    runtime.spawn(server.run(std::future::pending()));
    let of = |agent: Option<&str>| {
        let agent = agent.map(str::to_owned);
        Backend::at(Endpoint {
            agent,
            ..Endpoint::new(&url)
        })
        .unwrap()
    };
    let usual = of(None);
    usual.call(request(Operation::CreateTable, TABLE)).unwrap();
    assert_eq!(puts(&runtime, &usual), [None, None]);
    usual
        .call(request(Operation::PutResourcePolicy, POLICY))
        .unwrap();
    let denied = Some(ErrorKind::AccessDenied);
    assert_eq!(puts(&runtime, &usual), [denied, denied]);
    assert_eq!(puts(&runtime, &of(Some("mover/1"))), [None, None]);
    assert_eq!(puts(&runtime, &of(Some("other/1"))), [denied, denied]);
    let as_mover = usual.call_as("mover/2", request(Operation::PutItem, PUT));
    assert!(as_mover.is_ok());
}
