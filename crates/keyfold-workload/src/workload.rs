//! The operations of the benchmarks, over the same data for every server.
//!
//! Table `Bench` holds collections of twenty items of about 300 bytes. Table `Shop` is the
//! e-commerce model (`models/shop.keyfold`): products, orders with their copies below the user, and
//! an index by status. Its requests are those that the client makes of the model's patterns and
//! writes.

use crate::request::{self, Protocol};
use keyfold_api::Operation as ApiOperation;
use std::io::Write;

/// Items of a collection.
pub const COLLECTION: u64 = 20;
const PAYLOAD: &str = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi.";

/// Bytes of a large item.
const LARGE_BYTES: usize = 350 * 1024;
/// The number of large items.
const LARGE_ITEMS: u64 = 100;

/// One kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Operation {
    /// GetItem of one item.
    Get,
    /// PutItem over an item.
    Put,
    /// Query of a collection of twenty.
    Query,
    /// UpdateItem that adds one to a number.
    Update,
    /// PutItem if the item is there.
    ConditionalPut,
    /// TransactWriteItems of three puts.
    Transact,
    /// BatchWriteItem of twenty-five puts.
    Batch,
    /// The e-commerce model: reads of products, orders and users' orders, new orders, changes of
    /// stock.
    Shop,
    /// PutItem of items of 350 KB.
    Large,
    /// Scan of one page, of a megabyte.
    Scan,
}

impl Operation {
    /// The operations of a comparison, in the order of reports.
    pub const ALL: [Operation; 8] = [
        Operation::Get,
        Operation::Put,
        Operation::Query,
        Operation::Update,
        Operation::ConditionalPut,
        Operation::Transact,
        Operation::Batch,
        Operation::Shop,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Get => "GetItem",
            Operation::Put => "PutItem",
            Operation::Query => "Query of 20",
            Operation::Update => "UpdateItem counter",
            Operation::ConditionalPut => "PutItem if it exists",
            Operation::Transact => "TransactWriteItems of 3",
            Operation::Batch => "BatchWriteItem of 25",
            Operation::Shop => "shop mix",
            Operation::Large => "PutItem of 350 KB",
            Operation::Scan => "Scan of a page",
        }
    }

    /// The API operation of its requests; none for the shop, which sends several.
    pub fn api(self) -> Option<ApiOperation> {
        match self {
            Operation::Get => Some(ApiOperation::GetItem),
            Operation::Put | Operation::ConditionalPut => Some(ApiOperation::PutItem),
            Operation::Query => Some(ApiOperation::Query),
            Operation::Update => Some(ApiOperation::UpdateItem),
            Operation::Transact => Some(ApiOperation::TransactWriteItems),
            Operation::Batch => Some(ApiOperation::BatchWriteItem),
            Operation::Large => Some(ApiOperation::PutItem),
            Operation::Scan => Some(ApiOperation::Scan),
            Operation::Shop => None,
        }
    }
}

/// The requests of one operation, over `items` items.
#[derive(Debug, Clone, Copy)]
pub struct Workload {
    /// What is asked for.
    pub operation: Operation,
    /// The items that there are.
    pub items: u64,
    /// How it is asked.
    pub protocol: Protocol,
}

/// One of several connections.
#[derive(Debug, Clone, Copy)]
pub struct Lane {
    /// The number of the connection, from 0.
    pub number: u64,
    /// The number of connections.
    pub lanes: u64,
}

impl Lane {
    const ONLY: Lane = Lane {
        number: 0,
        lanes: 1,
    };
}

/// The buffer of a connection for bodies.
#[derive(Debug, Default)]
pub struct Scratch {
    body: Vec<u8>,
}

macro_rules! body {
    ($out:expr, $($format:tt)*) => {{
        $out.clear();
        write!($out, $($format)*).expect("writing to memory does not fail");
    }};
}

fn key(n: u64) -> String {
    format!(
        r#""pk":{{"S":"c{:07}"}},"sk":{{"S":"{:03}"}}"#,
        n / COLLECTION,
        n % COLLECTION
    )
}

fn item(n: u64) -> String {
    format!(
        r#"{{{},"n":{{"N":"0"}},"name":{{"S":"item {n}"}},"payload":{{"S":"{PAYLOAD}"}}}}"#,
        key(n)
    )
}

fn redis_key(n: u64) -> String {
    format!("c{:07}#{:03}", n / COLLECTION, n % COLLECTION)
}

impl Workload {
    /// `count` bodies, the same in every run.
    pub fn bodies(&self, count: usize) -> Vec<Vec<u8>> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut body = || {
            let mut scratch = Scratch::default();
            self.next(&mut Vec::new(), &mut scratch, &mut random, Lane::ONLY);
            scratch.body
        };
        (0..count).map(|_| body()).collect()
    }

    /// Writes the next request. Transactions write items of `lane` only, so that two connections
    /// never conflict.
    pub fn next(
        &self,
        out: &mut Vec<u8>,
        scratch: &mut Scratch,
        random: &mut fastrand::Rng,
        lane: Lane,
    ) {
        let n = random.u64(..self.items);
        if self.protocol == Protocol::Redis {
            if self.operation == Operation::Get {
                request::redis(out, &[b"GET", redis_key(n).as_bytes()]);
            } else {
                load_redis(out, n);
            }
            return;
        }
        let body = &mut scratch.body;
        let name = match self.operation {
            Operation::Get => {
                body!(body, r#"{{"TableName":"Bench","Key":{{{}}}}}"#, key(n));
                "GetItem"
            }
            Operation::Put => {
                body!(body, r#"{{"TableName":"Bench","Item":{}}}"#, item(n));
                "PutItem"
            }
            Operation::Query => {
                body!(
                    body,
                    r#"{{"TableName":"Bench","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"c{:07}"}}}}}}"#,
                    n / COLLECTION
                );
                "Query"
            }
            Operation::Update => update(body, n),
            Operation::ConditionalPut => {
                body!(
                    body,
                    r#"{{"TableName":"Bench","Item":{},"ConditionExpression":"attribute_exists(pk)"}}"#,
                    item(n)
                );
                "PutItem"
            }
            Operation::Transact => {
                let puts = self.transact_puts(n, lane);
                body!(body, r#"{{"TransactItems":[{puts}]}}"#);
                "TransactWriteItems"
            }
            Operation::Batch => {
                body!(
                    body,
                    r#"{{"RequestItems":{{"Bench":[{}]}}}}"#,
                    put_requests(n, 25, self.items)
                );
                "BatchWriteItem"
            }
            Operation::Shop => shop(body, random, self.items),
            Operation::Large => large(body, n),
            Operation::Scan => {
                body!(
                    body,
                    r#"{{"TableName":"Bench","ExclusiveStartKey":{{{}}}}}"#,
                    key(n)
                );
                "Scan"
            }
        };
        request::http(out, name, body);
    }

    /// Bytes of the items that one request writes, as DynamoDB counts an item's size; for the shop about as many.
    pub fn written_bytes(&self) -> u64 {
        let fields = [
            "pk",
            "c0000000",
            "sk",
            "000",
            "n",
            "0",
            "name",
            "item 50000",
            "payload",
        ];
        let item = fields.map(str::len).iter().sum::<usize>() + PAYLOAD.len();
        let items = match self.operation {
            Operation::Get | Operation::Query | Operation::Scan => 0,
            Operation::Put | Operation::Update | Operation::ConditionalPut => 1,
            Operation::Transact => 3,
            Operation::Batch => 25,
            Operation::Large => return LARGE_BYTES as u64,
            Operation::Shop => return 60,
        };
        items * item as u64
    }

    /// Three puts of items of a lane.
    fn transact_puts(&self, n: u64, lane: Lane) -> String {
        let Lane { number, lanes } = lane;
        let own = |n: u64| (n / lanes * lanes + number) % self.items;
        let puts = [0, 1, 2].map(|step| {
            let n = own((n + step * lanes) % (self.items - self.items % lanes));
            format!(r#"{{"Put":{{"TableName":"Bench","Item":{}}}}}"#, item(n))
        });
        puts.join(",")
    }
}

fn put_requests(from: u64, count: u64, items: u64) -> String {
    let put = |n: u64| format!(r#"{{"PutRequest":{{"Item":{}}}}}"#, item(n % items));
    (from..from + count).map(put).collect::<Vec<_>>().join(",")
}

/// The body of the batch that writes the items from `from`: 25, or fewer at the end.
pub fn load_batch(from: u64, items: u64) -> Vec<u8> {
    let count = 25.min(items - from);
    format!(
        r#"{{"RequestItems":{{"Bench":[{}]}}}}"#,
        put_requests(from, count, items)
    )
    .into_bytes()
}

/// Writes the Redis command that sets an item.
pub fn load_redis(out: &mut Vec<u8>, n: u64) {
    request::redis(out, &[b"SET", redis_key(n).as_bytes(), item(n).as_bytes()]);
}

/// The statuses of orders.
const STATUSES: [&str; 3] = ["pending", "paid", "shipped"];

/// An order and its copy below the user.
fn order(user: u64, n: u64) -> (String, String) {
    let when = format!(
        "2026-01-{:02}T10:{:02}:{:02}.000Z",
        n % 28 + 1,
        n / 28 % 60,
        n / 1680 % 60
    );
    let status = STATUSES[(n % 3) as usize];
    let fields = format!(
        r#""orderId":{{"S":"o{n}"}},"total":{{"N":"{}.50"}},"status":{{"S":"{status}"}},"createdAt":{{"S":"{when}"}}"#,
        n % 500
    );
    let order = format!(
        r#"{{"PK":{{"S":"ORDER#o{n}"}},"SK":{{"S":"META"}},"entity":{{"S":"Order"}},"GSI1PK":{{"S":"STATUS#{status}#{}"}},"GSI1SK":{{"S":"ORDER#{when}#o{n}"}},"userId":{{"S":"u{user}"}},{fields}}}"#,
        n % 50
    );
    let copy = format!(
        r#"{{"PK":{{"S":"USER#u{user}"}},"SK":{{"S":"ORDER#{when}#o{n}"}},"entity":{{"S":"Order.summary"}},{fields}}}"#
    );
    (order, copy)
}

fn order_line(n: u64, line: u64) -> String {
    format!(
        r#"{{"PK":{{"S":"ORDER#o{n}"}},"SK":{{"S":"ITEM#i{line}"}},"entity":{{"S":"OrderItem"}},"productId":{{"S":"p{line}"}},"quantity":{{"N":"2"}},"price":{{"N":"19.99"}}}}"#
    )
}

fn product(n: u64) -> String {
    format!(
        r#"{{"PK":{{"S":"PRODUCT#p{n}"}},"SK":{{"S":"INFO"}},"entity":{{"S":"Product"}},"productId":{{"S":"p{n}"}},"name":{{"S":"Product number {n}"}},"price":{{"N":"19.99"}},"stock":{{"N":"1000000000"}}}}"#
    )
}

/// The bodies of the batches that fill the shop with about `items` items: products, orders with
/// their lines and copies.
pub fn load_shop(items: u64) -> impl Iterator<Item = Vec<u8>> {
    let products = (0..items / 10).map(product);
    let orders = (0..items / 5).flat_map(move |n| {
        let (order, copy) = order(n % (orders_of(items) / 10).max(1), n);
        [order, copy, order_line(n, 1), order_line(n, 2)]
    });
    let mut all = products.chain(orders);
    std::iter::from_fn(move || {
        let batch: Vec<String> = all.by_ref().take(25).collect();
        (!batch.is_empty()).then(|| {
            let puts: Vec<String> = batch
                .iter()
                .map(|item| format!(r#"{{"PutRequest":{{"Item":{item}}}}}"#))
                .collect();
            format!(r#"{{"RequestItems":{{"Shop":[{}]}}}}"#, puts.join(",")).into_bytes()
        })
    })
}

/// Writes the body of a change that adds one, and returns its operation.
fn update(body: &mut Vec<u8>, n: u64) -> &'static str {
    body!(
        body,
        r##"{{"TableName":"Bench","Key":{{{}}},"UpdateExpression":"SET #n = #n + :one","ExpressionAttributeNames":{{"#n":"n"}},"ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"##,
        key(n)
    );
    "UpdateItem"
}

/// Writes the body of a put of a large item, and returns its operation.
fn large(body: &mut Vec<u8>, n: u64) -> &'static str {
    body!(
        body,
        r#"{{"TableName":"Bench","Item":{{"pk":{{"S":"large"}},"sk":{{"S":"{:03}"}},"payload":{{"S":"{}"}}}}}}"#,
        n % LARGE_ITEMS,
        PAYLOAD.repeat(LARGE_BYTES / PAYLOAD.len())
    );
    "PutItem"
}

/// The number of orders in a shop of `items` items.
fn orders_of(items: u64) -> u64 {
    items / 5
}

/// Writes the body of the next request of the shop, and returns its operation: 30 % products, 20 %
/// orders with their lines, 20 % a user's newest orders, 10 % orders by status, 10 % changes of
/// stock, 10 % new orders with their lines and copies.
fn shop(body: &mut Vec<u8>, random: &mut fastrand::Rng, items: u64) -> &'static str {
    let orders = orders_of(items).max(10);
    let user = random.u64(..(orders / 10).max(1));
    let product = random.u64(..(items / 10).max(1));
    match random.u32(..100) {
        0..30 => {
            body!(
                body,
                r#"{{"TableName":"Shop","Key":{{"PK":{{"S":"PRODUCT#p{product}"}},"SK":{{"S":"INFO"}}}}}}"#
            );
            "GetItem"
        }
        30..50 => {
            body!(
                body,
                r#"{{"TableName":"Shop","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{{":p":{{"S":"ORDER#o{}"}}}}}}"#,
                random.u64(..orders)
            );
            "Query"
        }
        50..70 => {
            body!(
                body,
                r#"{{"TableName":"Shop","KeyConditionExpression":"PK = :p AND begins_with(SK, :o)","ScanIndexForward":false,"Limit":20,"ExpressionAttributeValues":{{":p":{{"S":"USER#u{user}"}},":o":{{"S":"ORDER#"}}}}}}"#
            );
            "Query"
        }
        70..80 => {
            body!(
                body,
                r#"{{"TableName":"Shop","IndexName":"GSI1","KeyConditionExpression":"GSI1PK = :p","ScanIndexForward":false,"Limit":20,"ExpressionAttributeValues":{{":p":{{"S":"STATUS#{}#{}"}}}}}}"#,
                STATUSES[random.usize(..3)],
                random.u32(..50)
            );
            "Query"
        }
        80..90 => {
            body!(
                body,
                r#"{{"TableName":"Shop","Key":{{"PK":{{"S":"PRODUCT#p{product}"}},"SK":{{"S":"INFO"}}}},"UpdateExpression":"SET stock = stock - :n","ConditionExpression":"stock >= :n","ExpressionAttributeValues":{{":n":{{"N":"1"}}}}}}"#
            );
            "UpdateItem"
        }
        _ => {
            let n = 1_000_000_000 + random.u64(..1_000_000_000);
            let (order, copy) = order(user, n);
            let puts = [order, copy, order_line(n, 1), order_line(n, 2)]
                .map(|item| format!(r#"{{"Put":{{"TableName":"Shop","Item":{item}}}}}"#));
            body!(body, r#"{{"TransactItems":[{}]}}"#, puts.join(","));
            "TransactWriteItems"
        }
    }
}

/// The definitions of both tables.
pub const TABLES: [&str; 2] = [
    r#"{"TableName":"Bench","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]}"#,
    r#"{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]}"#,
];
