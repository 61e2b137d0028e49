//! A model with views of each kind, writes of its sources, and the rows that follow from them.

use super::{answer, request};
use keyfold_api::Response;
use keyfold_engine::Engine;
use keyfold_lower::arguments::Values;
use keyfold_lower::derive;
use keyfold_model::schema::view::{Column, From, View};
use keyfold_model::{Model, Span};
use keyfold_types::{Item, Number, Sum, Value};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Products (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Order in Orders
  id: string, product: string, customer: string, total: int, discount: int?, status: string
  key "O#{id}" "O"
entity Product in Products
  product: string, name: string?
  key "P#{product}" "P"
entity Sold in Sales
  product: string, orders: int, total: int, saved: int
  key "S#{product}" "S"
entity Detail in Sales
  product: string, orders: int, mean: number?, least: int?, most: int?, last: string?, buyers: int
  best: string?, name: string?
  key "D#{product}" "D"
entity Line in Sales
  id: string, product: string, total: int, name: string?
  key "L#{product}" "L#{id}"
pattern order(id) -> Order?
pattern product(product) -> Product?
pattern sold(product) -> Sold?
pattern detail(product) -> Detail?
pattern lines(product) -> Line[] page 100
"#;

fn column(attribute: &str, from: From) -> Column {
    Column {
        attribute: attribute.to_owned(),
        from,
        span: Span::default(),
    }
}

fn group(attribute: &str) -> Column {
    let of = attribute.to_owned();
    column(attribute, From::Group { of, cut: None })
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// What `Sold.saved` is: definitions of one view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saved {
    Discounts,
    Totals,
    Orders,
}

/// The model, with views whose rows are added to, read first, and of one item each.
pub(crate) fn model() -> Arc<Model> {
    model_of(Saved::Discounts)
}

/// The model with a definition of a view.
pub(crate) fn model_of(saved: Saved) -> Arc<Model> {
    let compiled = keyfold_model::compile(MODEL);
    let mut model = compiled
        .model
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let source = at(&model, "Order");
    let product = at(&model, "Product");
    // Not those that were cancelled.
    let joined = column(
        "name",
        From::Joined {
            entity: product,
            link: vec![(text("product"), text("product"))],
            of: text("name"),
        },
    );
    let of = |name: &str| text(name);
    let sold = vec![
        group("product"),
        column("orders", From::Count),
        column("total", From::Sum { of: of("total") }),
        column(
            "saved",
            match saved {
                Saved::Discounts => From::Sum { of: of("discount") },
                Saved::Totals => From::Sum { of: of("total") },
                Saved::Orders => From::Count,
            },
        ),
    ];
    let detail = vec![
        group("product"),
        column("orders", From::Count),
        column("mean", From::Average { of: of("discount") }),
        column("least", From::Min { of: of("total") }),
        column("most", From::Max { of: of("discount") }),
        column("last", From::Max { of: of("customer") }),
        column("buyers", From::Distinct { of: of("customer") }),
        column(
            "best",
            From::Top {
                number: 3,
                by: of("total"),
                descending: true,
                fields: vec![of("total"), of("id")],
            },
        ),
        joined.clone(),
    ];
    let line = vec![
        group("product"),
        group("id"),
        column("total", From::Copied { of: of("total") }),
        joined,
    ];
    for (name, columns, is_grouped) in [
        ("Sold", sold, true),
        ("Detail", detail, true),
        ("Line", line, false),
    ] {
        let at = at(&model, name);
        model.entities[at].view = Some(View {
            source,
            when: Vec::new(),
            columns,
            is_grouped,
        });
    }
    Arc::new(model)
}

fn at(model: &Model, name: &str) -> usize {
    model
        .entities
        .iter()
        .position(|one| one.name == name)
        .unwrap()
}

/// Makes the tables of the model.
pub(crate) fn make(engine: &Engine) {
    for (table, stream) in [("Orders", true), ("Products", true), ("Sales", false)] {
        let body = json!({
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            "KeySchema": [
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            "StreamSpecification": if stream {
                json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"})
            } else {
                json!({"StreamEnabled": false})
            },
        });
        answer(engine, request("CreateTable", &body)).unwrap();
    }
}

fn store(engine: &Engine, model: &Model, entity: &str, values: &Values, is_put: bool) {
    let entity = model.entity(entity).unwrap();
    let made = derive::derive(model, entity, values).unwrap().remove(0);
    let (operation, body) = match is_put {
        true => (
            "PutItem",
            json!({"TableName": made.table, "Item": json_of(&made.item)}),
        ),
        false => (
            "DeleteItem",
            json!({"TableName": made.table, "Key": json_of(&made.key)}),
        ),
    };
    answer(engine, request(operation, &body)).unwrap();
}

/// Writes something of the sources, by chance.
pub(crate) fn change(engine: &Engine, model: &Model, mut chance: u64) {
    let mut next = |below: u64| {
        let taken = chance % below;
        chance /= below;
        taken
    };
    let mut values = Values::new();
    if next(12) == 0 {
        let product = next(5);
        values.insert(text("product"), Value::S(format!("p{product}")));
        let is_put = next(5) > 0;
        if next(6) > 0 {
            values.insert(text("name"), Value::S(format!("name {}", next(1_000))));
        }
        return store(engine, model, "Product", &values, is_put);
    }
    let is_put = next(4) > 0;
    values.insert(text("id"), Value::S(format!("{:02}", next(40))));
    values.insert(text("product"), Value::S(format!("p{}", next(6))));
    values.insert(text("customer"), Value::S(format!("c{}", next(4))));
    values.insert(
        text("total"),
        Value::from(i64::try_from(next(9)).unwrap() - 3),
    );
    values.insert(text("status"), Value::from("paid"));
    if next(3) > 0 {
        values.insert(
            text("discount"),
            Value::from(i64::try_from(next(7)).unwrap()),
        );
    }
    if is_put && next(9) == 0 {
        return break_order(engine, model, &values);
    }
    store(engine, model, "Order", &values, is_put);
}

/// Writes an order that the model cannot read, as another program might.
fn break_order(engine: &Engine, model: &Model, values: &Values) {
    let entity = model.entity("Order").unwrap();
    let mut made = derive::derive(model, entity, values).unwrap().remove(0);
    made.item.insert("total", "many");
    let body = json!({"TableName": made.table, "Item": json_of(&made.item)});
    answer(engine, request("PutItem", &body)).unwrap();
}

fn json_of(item: &Item) -> serde_json::Value {
    let mut bytes = Vec::new();
    keyfold_wire::encode::encode_item(&mut bytes, item);
    serde_json::from_slice(&bytes).unwrap()
}

/// The items of a table by their key, without hidden attributes and those of the key.
pub(crate) fn items(engine: &Engine, table: &str) -> BTreeMap<String, Item> {
    let (mut found, mut after) = (BTreeMap::new(), serde_json::Value::Null);
    loop {
        let mut body = json!({"TableName": table, "ConsistentRead": true});
        if after.is_object() {
            body["ExclusiveStartKey"] = after;
        }
        let Ok(Response::Scan(page)) = answer(engine, request("Scan", &body)) else {
            panic!("the scan of {table} failed");
        };
        for item in page.items.unwrap_or_default() {
            let mut item = item.to_item();
            let names = ["PK", "SK"].map(|name| match item.remove(name) {
                Some(Value::S(text)) => text,
                other => panic!("{name} is {other:?}"),
            });
            let own = item.into_iter().filter(|(name, _)| !name.contains(':'));
            found.insert(names.join(" "), own.collect());
        }
        let Some(last) = page.last_evaluated_key else {
            return found;
        };
        let mut bytes = Vec::new();
        keyfold_wire::encode::encode_item(&mut bytes, &last);
        after = serde_json::from_slice(&bytes).unwrap();
    }
}

fn string(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(Value::S(text)) => text.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

fn whole(item: &Item, name: &str) -> Option<i64> {
    let Value::N(number) = item.get(name)? else {
        panic!("{name} is no number");
    };
    number.to_i64()
}

/// An order, for tests that know what they write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    pub(crate) id: u64,
    pub(crate) product: u64,
    pub(crate) customer: u64,
    pub(crate) total: i64,
}

impl Order {
    fn values(&self) -> Values {
        Values::from([
            (text("id"), Value::S(format!("{:03}", self.id))),
            (text("product"), Value::S(format!("p{}", self.product))),
            (text("customer"), Value::S(format!("c{}", self.customer))),
            (text("total"), Value::from(self.total)),
            (text("status"), Value::from("paid")),
        ])
    }
}

/// Writes an order.
pub(crate) fn put(engine: &Engine, model: &Model, order: &Order) {
    store(engine, model, "Order", &order.values(), true);
}

/// Deletes an order.
pub(crate) fn remove(engine: &Engine, model: &Model, order: &Order) {
    store(engine, model, "Order", &order.values(), false);
}

/// The keys of the rows of a product, as [`items`] shows them.
pub(crate) fn keys_of(product: u64) -> [String; 2] {
    [format!("S#p{product} S"), format!("D#p{product} D")]
}

/// The rows of products that follow from orders, as long as there are no products.
pub(crate) fn rows_of<'o>(orders: impl Iterator<Item = &'o Order>) -> BTreeMap<String, Item> {
    let orders = orders.map(|order| (order.id.to_string(), order.values().into_iter().collect()));
    let mut rows = follow(&BTreeMap::new(), orders.collect(), Saved::Discounts);
    rows.retain(|key, _| !key.starts_with('L'));
    rows
}

/// A row, strongly, by its key as [`items`] shows it.
pub(crate) fn row(engine: &Engine, key: &str) -> Option<Item> {
    let (partition, sort) = key.split_once(' ').unwrap();
    let body = json!({
        "TableName": "Sales", "ConsistentRead": true,
        "Key": {"PK": {"S": partition}, "SK": {"S": sort}},
    });
    let Ok(Response::GetItem(found)) = answer(engine, request("GetItem", &body)) else {
        panic!("{key} is not read");
    };
    let mut item = found.item?.to_item();
    item.remove("PK");
    item.remove("SK");
    let own = item.into_iter().filter(|(name, _)| !name.contains(':'));
    Some(own.collect())
}

/// The rows that follow from the sources.
fn wanted(engine: &Engine, saved: Saved) -> BTreeMap<String, Item> {
    follow(&items(engine, "Products"), items(engine, "Orders"), saved)
}

/// The rows that follow from items of the sources.
fn follow(
    products: &BTreeMap<String, Item>,
    orders: BTreeMap<String, Item>,
    saved: Saved,
) -> BTreeMap<String, Item> {
    let mut by_product: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let mut rows = BTreeMap::new();
    // An item that cannot be read gives nothing.
    let is_read = |order: &Item| matches!(order.get("total"), Some(Value::N(_)));
    for order in orders.into_values().filter(is_read) {
        let product = string(&order, "product");
        let id = string(&order, "id");
        let mut line = Item::from_iter([("product", product.as_str()), ("id", id.as_str())]);
        line.insert("total", whole(&order, "total").unwrap());
        named(products, &product, &mut line);
        rows.insert(format!("L#{product} L#{id}"), line);
        by_product.entry(product).or_default().push(order);
    }
    for (product, orders) in by_product {
        let count = i64::try_from(orders.len()).unwrap();
        let totals = || orders.iter().map(|one| whole(one, "total").unwrap());
        let discounts = || orders.iter().filter_map(|one| whole(one, "discount"));
        let mut sold = Item::from_iter([("product", product.as_str())]);
        sold.insert("orders", count);
        let mut detail = sold.clone();
        sold.insert("total", totals().sum::<i64>());
        let saved = match saved {
            Saved::Discounts => discounts().sum(),
            Saved::Totals => totals().sum(),
            Saved::Orders => count,
        };
        sold.insert("saved", saved);
        rows.insert(format!("S#{product} S"), sold);
        let number = u64::try_from(discounts().count()).unwrap();
        if number > 0 {
            let sum: Number = discounts().sum::<i64>().into();
            detail.insert("mean", Value::N(Sum::from(sum).divided_by(number).unwrap()));
            detail.insert("most", discounts().max().unwrap());
        }
        detail.insert("least", totals().min().unwrap());
        let customers: BTreeSet<String> =
            orders.iter().map(|one| string(one, "customer")).collect();
        detail.insert("last", customers.last().unwrap().as_str());
        detail.insert("buyers", i64::try_from(customers.len()).unwrap());
        let mut best: Vec<(i64, String)> = orders
            .iter()
            .map(|one| (-whole(one, "total").unwrap(), string(one, "id")))
            .collect();
        best.sort();
        let best = best.into_iter().take(3).map(|(total, id)| {
            Value::M(BTreeMap::from([
                (text("total"), Value::from(-total)),
                (text("id"), Value::S(id)),
            ]))
        });
        detail.insert("best", Value::L(best.collect()));
        named(products, &product, &mut detail);
        rows.insert(format!("D#{product} D"), detail);
    }
    rows
}

fn named(products: &BTreeMap<String, Item>, product: &str, row: &mut Item) {
    let found = products.get(&format!("P#{product} P"));
    if let Some(name) = found.and_then(|found| found.get("name")) {
        row.insert("name", name.clone());
    }
}

/// Compares the rows with those that follow from the sources.
pub(crate) fn compare(engine: &Engine) -> Result<usize, String> {
    compare_of(engine, Saved::Discounts)
}

/// As [`compare`], with a definition of a view.
pub(crate) fn compare_of(engine: &Engine, saved: Saved) -> Result<usize, String> {
    let (rows, mut wanted) = (items(engine, "Sales"), wanted(engine, saved));
    let count = rows.len();
    for (key, row) in rows {
        match wanted.remove(&key) {
            Some(right) if right == row => {}
            other => return Err(format!("{key} is {row:?}, and not {other:?}")),
        }
    }
    match wanted.is_empty() {
        true => Ok(count),
        false => Err(format!("there are no rows {wanted:?}")),
    }
}

/// The state of `Sold`: the numbers of the live generation and of the next one, and the phase of that.
pub(crate) fn state(engine: &Engine) -> (Option<i64>, Option<(i64, String)>) {
    let key = json!({"view:partition": {"S": "Sales.Sold"}, "view:sort": {"S": "state"}});
    let body = json!({"TableName": "keyfold_views", "ConsistentRead": true, "Key": key});
    let found = match answer(engine, request("GetItem", &body)) {
        Ok(Response::GetItem(found)) => found.item,
        _ => None,
    };
    let Some(item) = found.map(|item| item.to_item()) else {
        return (None, None);
    };
    let members = |held: Option<&Value>| match held {
        Some(Value::M(members)) => Some(members.clone().into_iter().collect::<Item>()),
        Some(_) | None => None,
    };
    let content = members(item.get("content")).unwrap();
    let number = |name: &str| whole(&members(content.get(name))?, "number");
    let phase = content.get("phase").map(|_| string(&content, "phase"));
    (number("live"), number("next").zip(phase))
}
