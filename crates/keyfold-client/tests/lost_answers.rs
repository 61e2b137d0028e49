//! A proxy between client and server loses an answer, a request, or a part of either. Every write is
//! done once or not at all, and reports which, or that the outcome is unknown.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{DeleteItemInput, ErrorKind, Response, ScanInput};
use keyfold_client::arguments::{self, Values};
use keyfold_client::{Backend, ClientError, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_server::{Server, ServerConfig};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const MODEL: &str = r##"
model shop 1
table Shop (PK, SK) type entity
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  id: string, email: string, city: string?
  key  "USER#{id}" "PROFILE"
  GSI1 "CITY#{city}" "{id}"
  copy card "CARDS" "{email}#{id}" only id
  unique email
entity Product
  sku: string, stock: int
  key "PRODUCT#{sku}" "INFO"
entity Order
  orderId: string
  key "ORDER#{orderId}" "META"
pattern user(id) -> User?
write take(quantity: int, sku)
  update Product set stock = stock - quantity when stock >= quantity
write place_order(quantity: int, sku)
  create Order
  update Product set stock = stock - quantity when stock >= quantity
"##;

/// The fault of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The request is carried out, and the answer is lost.
    NoAnswer,
    /// The request is carried out, and half of the answer arrives.
    HalfAnswer,
    /// The request is carried out, and another answers in the service's place.
    AnotherAfter(u16, &'static str),
    /// The request is not carried out, and there is no answer.
    NoRequest,
    /// The request is not carried out, and another answers in the service's place.
    AnotherBefore(u16, &'static str),
}

/// What proxies and gateways answer in the place of a service that has answered too late, or not at
/// all: whatever the status says, the request may have been carried out.
const BY_OTHERS: [(u16, &str); 17] = [
    (200, "<html>signed out</html>"),
    (200, r#"{"status":"ok"}"#),
    (
        200,
        r#"{"ConsumedCapacity":7,"Attributes":[],"Items":{},"Responses":5,"Item":5}"#,
    ),
    (201, "{}"),
    (202, "{}"),
    (204, ""),
    (302, ""),
    (307, ""),
    (400, "<html>bad request</html>"),
    (403, "<html>forbidden</html>"),
    (404, ""),
    (408, "<html>the request took too long</html>"),
    (425, ""),
    (429, "<html>slower</html>"),
    (500, ""),
    (502, "<html>bad gateway</html>"),
    (504, ""),
];

/// Every fault.
fn faults() -> Vec<Fault> {
    let by_others = BY_OTHERS
        .iter()
        .map(|(status, body)| Fault::AnotherAfter(*status, body));
    [
        Fault::NoAnswer,
        Fault::HalfAnswer,
        Fault::NoRequest,
        Fault::AnotherBefore(500, ""),
        Fault::AnotherBefore(429, "<html>slower</html>"),
    ]
    .into_iter()
    .chain(by_others)
    .collect()
}

/// The answer of another, which ends the connection.
fn by_another(status: u16, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Other\r\nContent-Length: {length}\r\nLocation: /\r\nConnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A proxy that numbers the exchanges; one of them has a fault.
struct Proxy {
    address: SocketAddr,
    passed: Arc<AtomicUsize>,
    fault: Arc<Mutex<Option<(usize, Fault)>>>,
}

fn message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .unwrap_or("0");
    let mut body = vec![0; length.trim().parse().unwrap()];
    stream.read_exact(&mut body).ok()?;
    bytes.extend_from_slice(&body);
    Some(bytes)
}

impl Proxy {
    fn start(server: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (passed, fault) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(None)));
        let proxy = Proxy {
            address,
            passed: Arc::clone(&passed),
            fault: Arc::clone(&fault),
        };
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (passed, fault) = (Arc::clone(&passed), Arc::clone(&fault));
                std::thread::spawn(move || pass(client.unwrap(), server, &passed, &fault));
            }
        });
        proxy
    }

    /// Numbers the following exchanges from 0; one of them may have a fault.
    fn expect(&self, fault: Option<(usize, Fault)>) {
        *self.fault.lock().unwrap() = fault;
        self.passed.store(0, Ordering::SeqCst);
    }
}

/// Passes the exchanges of one connection.
fn pass(
    mut client: TcpStream,
    server: SocketAddr,
    passed: &AtomicUsize,
    fault: &Mutex<Option<(usize, Fault)>>,
) {
    let mut behind = TcpStream::connect(server).unwrap();
    while let Some(request) = message(&mut client) {
        let number = passed.fetch_add(1, Ordering::SeqCst);
        let fault = fault
            .lock()
            .unwrap()
            .filter(|(at, _)| *at == number)
            .map(|(_, fault)| fault);
        match fault {
            Some(Fault::NoRequest) => return,
            Some(Fault::AnotherBefore(status, body)) => {
                return client.write_all(&by_another(status, body)).unwrap();
            }
            Some(Fault::NoAnswer | Fault::HalfAnswer | Fault::AnotherAfter(..)) | None => {}
        }
        behind.write_all(&request).unwrap();
        let answer = message(&mut behind).unwrap();
        match fault {
            Some(Fault::NoAnswer) => return,
            Some(Fault::HalfAnswer) => {
                return client.write_all(&answer[..answer.len() / 2]).unwrap();
            }
            Some(Fault::AnotherAfter(status, body)) => {
                return client.write_all(&by_another(status, body)).unwrap();
            }
            Some(Fault::NoRequest | Fault::AnotherBefore(..)) | None => {
                client.write_all(&answer).unwrap();
            }
        }
    }
}

/// A server in this process, a backend through the proxy, and one on the engine itself.
struct Stage {
    model: Arc<Model>,
    near: Backend,
    far: Backend,
    proxy: Proxy,
    _runtime: tokio::runtime::Runtime,
}

impl Stage {
    fn new() -> Stage {
        let compiled = keyfold_model::compile(MODEL);
        let model = compiled
            .model
            .unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
        let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        let server = runtime
            .block_on(Server::bind(Arc::clone(&engine), config))
            .unwrap();
        let address = server.address();
        runtime.spawn(server.run(std::future::pending()));
        let proxy = Proxy::start(address);
        let near = Backend::Embedded(engine);
        let far =
            Backend::endpoint(&format!("http://{}", proxy.address), "us-east-1", "a", "s").unwrap();
        tables::ensure(&near, &model).unwrap();
        Stage {
            model: Arc::new(model),
            near,
            far,
            proxy,
            _runtime: runtime,
        }
    }

    fn values(&self, entity: &str, text: &str) -> Values {
        let given: BTreeMap<_, _> = text
            .split(' ')
            .map(|one| arguments::split(one).unwrap())
            .collect();
        arguments::some_of_entity(self.model.entity(entity).unwrap(), &given).unwrap()
    }

    /// Restores the items that every write starts with.
    fn reset(&self) {
        for item in self.everything() {
            let key = ["PK", "SK"].map(|name| (name.to_owned(), item.get(name).unwrap().clone()));
            let input = DeleteItemInput {
                table_name: Some("Shop".to_owned()),
                key: Some(Ok(key.into_iter().collect())),
                ..DeleteItemInput::default()
            };
            self.near.call(input.into()).unwrap();
        }
        for (entity, text) in [
            ("User", "id=1 email=a city=Rome"),
            ("Product", "sku=p stock=10"),
            ("Order", "orderId=old"),
        ] {
            let values = self.values(entity, text);
            write::create(
                &self.near,
                &self.model,
                self.model.entity(entity).unwrap(),
                &values,
            )
            .unwrap();
        }
    }

    fn everything(&self) -> Vec<keyfold_types::Item> {
        let input = ScanInput {
            table_name: Some("Shop".to_owned()),
            ..ScanInput::default()
        };
        let Response::Scan(page) = self.near.call(input.into()).unwrap() else {
            panic!("no page")
        };
        page.items
            .unwrap()
            .iter()
            .map(|item| item.to_item())
            .collect()
    }

    fn state(&self) -> String {
        let tables = tables::describe(&self.near, "New").unwrap().is_some();
        format!("{tables} {:?}", self.everything())
    }
}

type Command = Box<dyn Fn(&Stage) -> Result<(), ClientError>>;

fn of_entity(
    entity: &'static str,
    text: &'static str,
    command: fn(
        &Backend,
        &Model,
        &keyfold_model::Entity,
        &Values,
    ) -> Result<write::Written, ClientError>,
) -> Command {
    Box::new(move |stage| {
        let entity_of = stage.model.entity(entity).unwrap();
        command(
            &stage.far,
            &stage.model,
            entity_of,
            &stage.values(entity, text),
        )
        .map(drop)
    })
}

fn named(name: &'static str, given: &'static str) -> Command {
    Box::new(move |stage| {
        let given: BTreeMap<_, _> = given
            .split(' ')
            .map(|one| arguments::split(one).unwrap())
            .collect();
        let write = stage.model.write(name).unwrap();
        let arguments = arguments::of_write(write, &given).unwrap();
        write::run(&stage.far, &stage.model, write, &arguments).map(drop)
    })
}

fn raw(operation: &'static str, body: &'static str) -> Command {
    Box::new(move |stage| {
        let target = format!("DynamoDB_20120810.{operation}");
        let operation = keyfold_wire::target::operation(&target).unwrap();
        let request = keyfold_wire::decode(operation, body.as_bytes()).unwrap();
        stage.far.call(request).map(drop)
    })
}

/// Every kind of write, and whether its outcome is known with every fault.
fn commands() -> Vec<(&'static str, bool, Command)> {
    fn update(
        b: &Backend,
        m: &Model,
        e: &keyfold_model::Entity,
        v: &Values,
    ) -> Result<write::Written, ClientError> {
        write::update(b, m, e, v, &[])
    }
    vec![
        (
            "create with guard and copy",
            true,
            of_entity("User", "id=2 email=b", write::create),
        ),
        (
            "create",
            false,
            of_entity("Product", "sku=q stock=5", write::create),
        ),
        (
            "put over",
            false,
            of_entity("Product", "sku=p stock=7", write::put),
        ),
        (
            "put with guard and copy",
            true,
            of_entity("User", "id=1 email=c city=Oslo", write::put),
        ),
        (
            "update",
            false,
            of_entity("Product", "sku=p stock=3", update),
        ),
        (
            "update of a guarded attribute",
            true,
            of_entity("User", "id=1 email=z", update),
        ),
        (
            "delete",
            false,
            of_entity("Order", "orderId=old", write::delete),
        ),
        (
            "delete with guard and copy",
            true,
            of_entity("User", "id=1", write::delete),
        ),
        ("named, one item", false, named("take", "quantity=1 sku=p")),
        (
            "named, two items",
            true,
            named("place_order", "quantity=1 sku=p orderId=new"),
        ),
        (
            "an ADD in a transaction",
            true,
            raw(
                "TransactWriteItems",
                r#"{"TransactItems":[{"Update":{"TableName":"Shop","Key":{"PK":{"S":"n"},"SK":{"S":"n"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}}]}"#,
            ),
        ),
        (
            "a transaction of statements",
            true,
            raw(
                "ExecuteTransaction",
                r#"{"TransactStatements":[{"Statement":"UPDATE Shop SET stock = stock - 1 WHERE PK = 'PRODUCT#p' AND SK = 'INFO'"}]}"#,
            ),
        ),
        (
            "an ADD",
            false,
            raw(
                "UpdateItem",
                r#"{"TableName":"Shop","Key":{"PK":{"S":"n"},"SK":{"S":"n"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}"#,
            ),
        ),
        (
            "a statement",
            false,
            raw(
                "ExecuteStatement",
                r#"{"Statement":"UPDATE Shop SET stock = stock - 1 WHERE PK = 'PRODUCT#p' AND SK = 'INFO'"}"#,
            ),
        ),
        (
            "a batch",
            false,
            raw(
                "BatchWriteItem",
                r#"{"RequestItems":{"Shop":[{"PutRequest":{"Item":{"PK":{"S":"n"},"SK":{"S":"n"}}}}]}}"#,
            ),
        ),
    ]
}

#[test]
fn a_write_whose_answer_is_lost_is_never_done_twice() {
    let stage = Stage::new();
    let mut unknown = 0;
    for (name, is_always_known, command) in commands() {
        stage.reset();
        let before = stage.state();
        stage.proxy.expect(None);
        command(&stage).unwrap_or_else(|error| panic!("{name}: {error}"));
        let exchanges = stage.proxy.passed.load(Ordering::SeqCst);
        let after = stage.state();
        assert_ne!(before, after, "{name}");
        for at in 0..exchanges {
            for fault in faults() {
                stage.reset();
                stage.proxy.expect(Some((at, fault)));
                let outcome = command(&stage);
                let state = stage.state();
                let place = format!("{name}, exchange {at} of {exchanges}, {fault:?}: {outcome:?}");
                match outcome {
                    Ok(()) => assert_eq!(state, after, "{place}"),
                    Err(ClientError::OutcomeUnknown { check, .. }) => {
                        assert!(state == before || state == after, "{place}");
                        assert!(!is_always_known, "{place}");
                        assert!(!check.is_empty());
                        unknown += 1;
                    }
                    Err(_) => panic!("{place}"),
                }
            }
        }
    }
    assert!(unknown >= 8 * faults().len(), "{unknown}");
}

#[test]
fn a_read_is_sent_again() {
    let stage = Stage::new();
    stage.reset();
    for fault in faults() {
        stage.proxy.expect(Some((0, fault)));
        let input = ScanInput {
            table_name: Some("Shop".to_owned()),
            ..ScanInput::default()
        };
        assert!(stage.far.call(input.into()).is_ok(), "{fault:?}");
    }
    // A refusal is returned at once.
    stage.proxy.expect(None);
    let input = ScanInput {
        table_name: Some("Other".to_owned()),
        ..ScanInput::default()
    };
    let refused = stage.far.call(input.into()).unwrap_err();
    assert_eq!(refused.kind(), Some(ErrorKind::ResourceNotFound));
    assert_eq!(stage.proxy.passed.load(Ordering::SeqCst), 1);
}
