//! Amazon's SDK with keys by hand, its maps made by hand or by `serde_dynamo`.

use crate::data::Order;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, Put,
    ScalarAttributeType, TransactWriteItem,
};
use aws_smithy_http_client::Builder;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

type Item = HashMap<String, AttributeValue>;

/// A table that the SDK reads and writes.
#[derive(Clone)]
pub struct Sdk {
    client: Client,
    table: &'static str,
    /// Whether its items are structs.
    pub is_serde: bool,
}

/// What a user's collection holds of an order.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    order_id: String,
    created_at: String,
    status: String,
    total: f64,
}

impl Sdk {
    /// The table, which is made.
    pub async fn new(endpoint: &str, table: &'static str, is_serde: bool) -> Sdk {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .endpoint_url(endpoint)
            .http_client(Builder::new().build_http())
            .credentials_provider(Credentials::new("local", "local", None, None, "bench"))
            .build();
        let client = Client::from_conf(config);
        let mut made = client.create_table().table_name(table);
        for (name, kind) in [("PK", KeyType::Hash), ("SK", KeyType::Range)] {
            let attribute = AttributeDefinition::builder().attribute_name(name);
            let attribute = attribute.attribute_type(ScalarAttributeType::S).build();
            let key = KeySchemaElement::builder()
                .attribute_name(name)
                .key_type(kind);
            made = made
                .attribute_definitions(attribute.expect("it is whole"))
                .key_schema(key.build().expect("it is whole"));
        }
        let made = made.billing_mode(BillingMode::PayPerRequest).send().await;
        made.expect("the server has no such table yet");
        Sdk {
            client,
            table,
            is_serde,
        }
    }

    /// Whether there is an order.
    pub async fn get(&self, id: &str) -> bool {
        let request = self.client.get_item().table_name(self.table);
        let request = request.key("PK", text(format!("ORDER#{id}")));
        let answer = request.key("SK", text("META")).send().await;
        let item = answer.expect("it answers").item;
        if !self.is_serde {
            return item.is_some();
        }
        let order: Option<Order> = item.map(|item| serde_dynamo::from_item(item).expect("it fits"));
        order.is_some()
    }

    /// The number of a user's newest orders.
    pub async fn query(&self, user: &str) -> usize {
        let request = self.client.query().table_name(self.table);
        let request = request
            .key_condition_expression("PK = :pk AND begins_with(SK, :sk)")
            .expression_attribute_values(":pk", text(format!("USER#{user}")))
            .expression_attribute_values(":sk", text("ORDER#"));
        let answer = request.scan_index_forward(false).limit(20).send().await;
        let items = answer.expect("it answers").items.unwrap_or_default();
        if !self.is_serde {
            return items.len();
        }
        let orders: Vec<Summary> = serde_dynamo::from_items(items).expect("they fit");
        orders.len()
    }

    /// Writes the order, its copy and the guard of its reference.
    pub async fn put(&self, order: Order) {
        let guard = HashMap::from([
            (
                "PK".to_owned(),
                text(format!("UNIQUE#Order#reference#{}", order.reference)),
            ),
            ("SK".to_owned(), text("UNIQUE")),
        ]);
        let [main, copy] = if self.is_serde {
            serialized(order)
        } else {
            by_hand(order)
        };
        let put = |item, condition: Option<&str>| {
            let put = Put::builder().table_name(self.table).set_item(Some(item));
            let put = put
                .set_condition_expression(condition.map(str::to_owned))
                .build();
            TransactWriteItem::builder()
                .put(put.expect("it is whole"))
                .build()
        };
        let is_new = Some("attribute_not_exists(PK)");
        let request = self
            .client
            .transact_write_items()
            .transact_items(put(main, is_new));
        let request = request.transact_items(put(copy, None));
        let answer = request.transact_items(put(guard, is_new)).send().await;
        answer.expect("it answers");
    }
}

fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

/// An order and its copy, by serde.
fn serialized(order: Order) -> [Item; 2] {
    let mut main: Item = serde_dynamo::to_item(&order).expect("it fits");
    main.insert("PK".to_owned(), text(format!("ORDER#{}", order.order_id)));
    main.insert("SK".to_owned(), text("META"));
    let sort = format!("ORDER#{}#{}", order.created_at, order.order_id);
    let summary = Summary {
        order_id: order.order_id,
        created_at: order.created_at,
        status: order.status,
        total: order.total,
    };
    let mut copy: Item = serde_dynamo::to_item(summary).expect("it fits");
    copy.insert("PK".to_owned(), text(format!("USER#{}", order.user_id)));
    copy.insert("SK".to_owned(), text(sort));
    [main, copy]
}

/// An order and its copy, attribute by attribute.
fn by_hand(order: Order) -> [Item; 2] {
    let Order {
        order_id,
        user_id,
        reference,
        created_at,
        status,
        total,
        quantity,
        note,
    } = order;
    let number = |number: String| AttributeValue::N(number);
    let main = HashMap::from([
        ("PK".to_owned(), text(format!("ORDER#{order_id}"))),
        ("SK".to_owned(), text("META")),
        ("orderId".to_owned(), text(order_id.as_str())),
        ("userId".to_owned(), text(user_id.as_str())),
        ("reference".to_owned(), text(reference.as_str())),
        ("createdAt".to_owned(), text(created_at.as_str())),
        ("status".to_owned(), text(status.as_str())),
        ("total".to_owned(), number(total.to_string())),
        ("quantity".to_owned(), number(quantity.to_string())),
        ("note".to_owned(), text(note)),
    ]);
    let copy = HashMap::from([
        ("PK".to_owned(), text(format!("USER#{user_id}"))),
        (
            "SK".to_owned(),
            text(format!("ORDER#{created_at}#{order_id}")),
        ),
        ("orderId".to_owned(), text(order_id)),
        ("createdAt".to_owned(), text(created_at)),
        ("status".to_owned(), text(status)),
        ("total".to_owned(), number(total.to_string())),
    ]);
    [main, copy]
}
