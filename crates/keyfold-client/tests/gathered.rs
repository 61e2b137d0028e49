//! What a transaction over many entities rests on is read in few requests, and it is the same.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::given;
use keyfold_client::arguments::{Values, of_entity, some_of_entity};
use keyfold_client::write::{self, Part, Transacted};
use keyfold_client::{Backend, ClientError, Endpoint, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_server::{Server, ServerConfig};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

const SHOP: &str = r##"
model shop 1
table Tab (PK, SK) type kind
table Other (PK, SK) type kind
entity Customer in Tab
  id: string, mail: string, orders: int, paid: int
  key "CUSTOMER#{id}" "PROFILE"
  unique mail
  count orders of Order
  sum paid of Order.cents
entity Order in Tab
  id: Customer.id, number: int, cents: int, note: string?
  key "CUSTOMER#{id}" "ORDER#{number:04}"
entity Note in Other
  id: string, text: string
  key "NOTE#{id}" "NOTE"
  unique text
"##;

struct Place {
    model: Model,
    engine: Arc<Engine>,
    backend: Backend,
    address: SocketAddr,
    /// Dropped last: the server runs on it.
    _runtime: tokio::runtime::Runtime,
}

impl Place {
    fn new() -> Place {
        let model = keyfold_model::compile(SHOP).model.unwrap();
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
        let backend = Backend::at(Endpoint::new(&format!("http://{address}"))).unwrap();
        tables::ensure(&backend, &model).unwrap();
        Place {
            model,
            engine,
            backend,
            address,
            _runtime: runtime,
        }
    }

    fn values(&self, entity: &str, text: &[(&str, &str)]) -> Values {
        of_entity(self.model.entity(entity).unwrap(), &given(text)).unwrap()
    }

    fn key(&self, entity: &str, text: &[(&str, &str)]) -> Values {
        some_of_entity(self.model.entity(entity).unwrap(), &given(text)).unwrap()
    }

    fn put(&self, entity: &str, values: &Values) {
        let entity = self.model.entity(entity).unwrap();
        let embedded = Backend::Embedded(Arc::clone(&self.engine));
        write::put(&embedded, &self.model, entity, values).unwrap();
    }

    /// How often an operation has succeeded.
    fn count(&self, operation: &str) -> u64 {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let name = format!("keyfold_requests_total{{operation=\"{operation}\",outcome=\"ok\"}} ");
        let line = text.lines().find_map(|line| line.strip_prefix(&name));
        line.map_or(0, |number| number.trim().parse().unwrap())
    }

    /// All items, for a comparison.
    fn items(&self) -> Vec<String> {
        let embedded = Backend::Embedded(Arc::clone(&self.engine));
        let mut all = Vec::new();
        for table in ["Tab", "Other"] {
            let input = keyfold_api::ScanInput {
                table_name: Some(table.to_owned()),
                ..keyfold_api::ScanInput::default()
            };
            let Ok(keyfold_api::Response::Scan(page)) = embedded.call(input.into()) else {
                panic!("the table {table} is read");
            };
            assert_eq!(page.last_evaluated_key, None);
            let items = page.items.into_iter().flatten();
            all.extend(items.map(|item| format!("{:?}", item.to_item())));
        }
        all.sort();
        all
    }
}

type Transact = fn(&Backend, &Model, &[Part<'_>]) -> Result<Transacted, ClientError>;

/// Changes, adds and deletes orders and notes in one transaction.
fn changed(transact: Transact) -> Place {
    let place = Place::new();
    for customer in ["ada", "bob"] {
        let mail = format!("{customer}@mail.example");
        let values = [("id", customer), ("mail", mail.as_str())];
        place.put("Customer", &place.values("Customer", &values));
    }
    let order = |id: &str, number: usize, cents: &str| {
        let number = number.to_string();
        place.values(
            "Order",
            &[("id", id), ("number", &number), ("cents", cents)],
        )
    };
    for number in 0..12 {
        place.put("Order", &order("ada", number, "100"));
        place.put("Order", &order("bob", number, "300"));
    }
    let note = place.values("Note", &[("id", "n"), ("text", "one")]);
    place.put("Note", &note);
    let entity = |name: &str| place.model.entity(name).unwrap();
    // Numbers 6 to 11 are there already, and those behind are new.
    let puts: Vec<Values> = (6..18).map(|number| order("ada", number, "250")).collect();
    let keys: Vec<Values> = (0..4)
        .map(|number: usize| {
            let number = number.to_string();
            place.key("Order", &[("id", "bob"), ("number", &number)])
        })
        .collect();
    let other = place.values("Note", &[("id", "n"), ("text", "two")]);
    let mut parts: Vec<Part<'_>> = Vec::new();
    for values in &puts {
        let entity = entity("Order");
        parts.push(Part::Put { entity, values });
    }
    for key in &keys {
        let entity = entity("Order");
        parts.push(Part::Delete { entity, key });
    }
    parts.push(Part::Put {
        entity: entity("Note"),
        values: &other,
    });
    transact(&place.backend, &place.model, &parts).unwrap();
    place
}

#[test]
fn what_a_transaction_rests_on_is_read_in_one_request() {
    let one_by_one = changed(write::transact);
    let gathered = changed(write::transact_at_once);
    assert_eq!(gathered.items(), one_by_one.items());
    assert!(one_by_one.count("GetItem") > 16);
    assert!(gathered.count("GetItem") <= 1);
    assert_eq!(gathered.count("BatchGetItem"), 1);
    assert_eq!(gathered.count("TransactWriteItems"), 1);
}

#[test]
fn what_one_answer_does_not_hold_is_read_one_by_one() {
    let place = Place::new();
    let customer = [("id", "ada"), ("mail", "ada@mail.example")];
    place.put("Customer", &place.values("Customer", &customer));
    let note = "x".repeat(390_000);
    let order = |number: usize, note: &str| {
        let number = number.to_string();
        let values = [("id", "ada"), ("number", number.as_str()), ("cents", "5")];
        let mut values = values.to_vec();
        values.push(("note", note));
        place.values("Order", &values)
    };
    for number in 0..49 {
        place.put("Order", &order(number, &note));
    }
    let puts: Vec<Values> = (0..49).map(|number| order(number, "short")).collect();
    let entity = place.model.entity("Order").unwrap();
    let parts: Vec<Part<'_>> = puts
        .iter()
        .map(|values| Part::Put { entity, values })
        .collect();
    let gathered = write::transact_at_once(&place.backend, &place.model, &parts).unwrap_err();
    assert_eq!(place.count("BatchGetItem"), 1);
    let left = place.count("GetItem");
    assert!((1..49).contains(&left), "{left} were read one by one");
    // A transaction does not hold so much.
    let alone = write::transact(&place.backend, &place.model, &parts).unwrap_err();
    assert_eq!(gathered.to_string(), alone.to_string());
    assert!(alone.to_string().contains("4 MB"), "{alone}");
}
