//! The contenders: Amazon's SDK with keys by hand, the same with `serde_dynamo`, and the generated
//! client awaited, blocking and embedded.

use crate::data::{ORDERS, USERS, order};
use crate::model::{AsyncBenchClient, BenchClient};
use crate::sdk::Sdk;
use crate::{profile, typed};
use keyfold::{Keyfold, nonblocking};

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub enum Operation {
    Get,
    Query,
    Put,
}

/// Who is measured.
#[derive(Clone)]
pub enum Contender {
    Sdk(Sdk),
    Awaited(&'static str, AsyncBenchClient),
    Blocking(BenchClient),
    Embedded(BenchClient),
}

impl Contender {
    /// All contenders with their first orders, Amazon's SDK first. Blocking ones work one at a time.
    pub async fn all(endpoint: &str, parallel: usize) -> Vec<Contender> {
        let raw = Sdk::new(endpoint, "BenchRaw", false).await;
        let serde = Sdk::new(endpoint, "BenchSerde", true).await;
        let local = awaited(endpoint).await;
        let chain = awaited(&profile::connection(endpoint)).await;
        let memory = Keyfold::memory().expect("it is in memory");
        let embedded = BenchClient::new(&memory).expect("it is in memory");
        let mut all = vec![
            Contender::Sdk(raw),
            Contender::Sdk(serde),
            Contender::Awaited("keyfold", local),
            Contender::Embedded(embedded),
        ];
        for first in &all {
            for number in 0..ORDERS {
                first.put(number).await;
            }
        }
        all.insert(3, Contender::Awaited("keyfold, aws", chain));
        if parallel == 1 {
            let blocking = Keyfold::connect(endpoint).expect("it is an address");
            let blocking = BenchClient::new(&blocking).expect("the server is there");
            all.insert(4, Contender::Blocking(blocking));
        }
        all
    }

    pub fn name(&self) -> &'static str {
        match self {
            Contender::Sdk(sdk) if sdk.is_serde => "serde_dynamo",
            Contender::Sdk(_) => "aws-sdk-dynamodb",
            Contender::Awaited(name, _) => name,
            Contender::Blocking(_) => "keyfold, blocking",
            Contender::Embedded(_) => "keyfold, embedded",
        }
    }

    pub async fn run(&self, operation: Operation, number: u64) {
        match operation {
            Operation::Get => self.get(&order(number % ORDERS).order_id).await,
            Operation::Query => self.query(&format!("u{}", number % USERS)).await,
            Operation::Put => self.put(number).await,
        }
    }

    async fn get(&self, id: &str) {
        let found = match self {
            Contender::Sdk(sdk) => sdk.get(id).await,
            Contender::Awaited(_, client) => {
                let found = client.order(&id.into()).await;
                found.expect("it answers").is_some()
            }
            Contender::Blocking(client) | Contender::Embedded(client) => {
                let found = client.order(&id.into());
                found.expect("it answers").is_some()
            }
        };
        assert!(found, "{id} is there");
    }

    async fn query(&self, user: &str) {
        let count = match self {
            Contender::Sdk(sdk) => sdk.query(user).await,
            Contender::Awaited(_, client) => {
                let page = client.orders_of_user(user).page().await;
                page.expect("it answers").items.len()
            }
            Contender::Blocking(client) | Contender::Embedded(client) => {
                let page = client.orders_of_user(user).page();
                page.expect("it answers").items.len()
            }
        };
        assert_eq!(count, 20);
    }

    async fn put(&self, number: u64) {
        let order = order(number);
        match self {
            Contender::Sdk(sdk) => sdk.put(order).await,
            Contender::Awaited(_, client) => {
                let written = client.order.create(&typed::new(order)).await;
                written.expect("it answers");
            }
            Contender::Blocking(client) | Contender::Embedded(client) => {
                let written = client.order.create(&typed::new(order));
                written.expect("it answers");
            }
        }
    }
}

async fn awaited(connection: &str) -> AsyncBenchClient {
    let keyfold = nonblocking::Keyfold::connect(connection).await;
    let keyfold = keyfold.expect("it is an address");
    let client = AsyncBenchClient::new(&keyfold).await;
    client.expect("the server is there")
}
