//! Several entities at once on generated clients in memory: transactions across writes, batches, the
//! changes of a stream; refusals as members, and reads with strong consistency.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::api::{ScanInput, StreamEvent, StreamRecord};
use keyfold::typed::{self, Error, Keyfold, OnUnknown};
use keyfold::types::Item;
use keyfold_generated::alleycat::{AlleycatClient, AlleycatEvent, NewResult2};
use keyfold_generated::shop::{
    AsyncShopClient, NewOrder, NewOrderItem, NewProduct, NewUser, OrderId, OrderItemKey, OrderKey,
    OrderPatch, OrderStatus, ProductId, ProductKey, ShopClient, ShopEvent, UserId,
};

fn at(text: &str) -> typed::Timestamp {
    text.parse().unwrap()
}

fn shop() -> ShopClient {
    ShopClient::new(&Keyfold::memory().unwrap()).unwrap()
}

fn user(id: &str, email: &str) -> NewUser {
    NewUser {
        user_id: id.into(),
        email: email.to_owned(),
        name: "Ada".to_owned(),
        created_at: at("2024-01-01T00:00:00Z"),
    }
}

fn order(id: &str) -> NewOrder {
    NewOrder {
        order_id: id.into(),
        user_id: "u1".into(),
        created_at: at("2024-01-15T10:00:00Z"),
        total: "19.98".parse().unwrap(),
        status: OrderStatus::Pending,
    }
}

fn product(number: usize) -> NewProduct {
    NewProduct {
        product_id: format!("p{number}").into(),
        name: "pen".to_owned(),
        price: "1.50".parse().unwrap(),
        stock: 3,
    }
}

fn key(order: &str) -> OrderKey {
    OrderKey {
        order_id: order.into(),
    }
}

#[test]
fn writes_of_several_entities_happen_together() {
    let shop = shop();
    let patch = OrderPatch {
        status: Some(OrderStatus::Paid),
        ..OrderPatch::default()
    };
    let done = shop
        .transact((
            shop.user.part().create(&user("u1", "ada@example.com")),
            shop.order.part().put(&order("o1")),
            shop.product.part().create(&product(1)),
        ))
        .unwrap();
    assert_eq!(done.operation, "TransactWriteItems");
    assert_eq!(done.writes.2.changes, ["put Product"]);
    shop.transact((
        shop.part().set_status(OrderStatus::Shipped, &"o1".into()),
        shop.product.part().delete(&ProductKey {
            product_id: "p1".into(),
        }),
    ))
    .unwrap();
    let found = shop.orders_of_user(&"u1".into()).all(10).unwrap();
    assert_eq!(found[0].status, OrderStatus::Shipped, "the copy follows");
    assert_eq!(shop.product(&"p1".into()).unwrap(), None);

    // The second write is refused, and so the first does not happen.
    let refused = shop.transact((
        shop.order.part().update(&key("o1"), &patch),
        shop.part().set_status(OrderStatus::Paid, &"o2".into()),
    ));
    assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
    let status = shop
        .orders_of_user(&"u1".into())
        .first()
        .unwrap()
        .unwrap()
        .status;
    assert_eq!(status, OrderStatus::Shipped);
}

#[test]
fn batches_write_and_read_in_order() {
    let shop = shop();
    let products: Vec<NewProduct> = (0..30).map(product).collect();
    let written = shop.product.put_many(&products).unwrap();
    assert_eq!((written.requests, written.made.len()), (2, 30));
    let keys = ["p29", "none", "p0"].map(|id| ProductKey {
        product_id: id.into(),
    });
    let found = shop.product.get_many(&keys).unwrap();
    let ids = found
        .iter()
        .map(|one| one.as_ref().map(|one| one.product_id.as_str()));
    assert_eq!(ids.collect::<Vec<_>>(), [Some("p29"), None, Some("p0")]);
    shop.product.delete_many(&keys).unwrap();
    assert_eq!(
        shop.strong().product.get_many(&keys).unwrap(),
        [const { None }; 3]
    );
    assert!(shop.product(&ProductId::from("p1")).unwrap().is_some());
}

#[test]
fn an_awaited_client_does_the_same() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let keyfold = typed::AsyncKeyfold::memory().await.unwrap();
        let shop = AsyncShopClient::new(&keyfold).await.unwrap();
        let done = shop
            .transact(vec![
                shop.user
                    .part()
                    .create(&user("u1", "ada@example.com"))
                    .untyped(),
                shop.order.part().create(&order("o1")).untyped(),
            ])
            .await
            .unwrap();
        assert_eq!(done.writes.len(), 2);
        let item = NewOrderItem {
            order_id: OrderId::from("o1"),
            item_id: "1".into(),
            product_id: "p1".into(),
            quantity: 2,
            price: "9.99".parse().unwrap(),
        };
        shop.order_item.put_many([&item]).await.unwrap();
        let item = OrderItemKey {
            order_id: "o1".into(),
            item_id: "1".into(),
        };
        let found = shop.order_item.get_many([&item]).await.unwrap();
        assert_eq!(found[0].as_ref().unwrap().quantity, 2);
        shop.order_item.delete_many([&item]).await.unwrap();
        let left = shop.strong().items_of_order(&"o1".into()).all(10).await;
        assert_eq!(left.unwrap(), []);
    });
}

#[test]
fn a_refusal_has_members() {
    let shop = shop();
    let both = shop.transact([
        shop.user.part().create(&user("u1", "ada@example.com")),
        shop.user.part().create(&user("u2", "ada@example.com")),
    ]);
    let Err(Error::Taken { refused, .. }) = both else {
        panic!("{both:?}");
    };
    assert_eq!(refused.write, Some(1));
    shop.user.create(&user("u1", "ada@example.com")).unwrap();
    let taken = shop.user.create(&user("u2", "ada@example.com"));
    let Err(Error::Taken { attributes, .. }) = taken else {
        panic!("{taken:?}");
    };
    assert_eq!(attributes, ["email"]);
}

#[test]
fn reads_are_strong_where_a_table_serves_them() {
    let units = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = units.clone();
    let keyfold = Keyfold::memory().unwrap();
    let keyfold = keyfold.on_request(move |sent| seen.lock().unwrap().push(sent.units));
    let shop = ShopClient::new(&keyfold).unwrap();
    shop.user.create(&user("u1", "ada@example.com")).unwrap();
    units.lock().unwrap().clear();
    shop.user(&UserId::from("u1")).unwrap().unwrap();
    shop.strong().user(&UserId::from("u1")).unwrap().unwrap();
    shop.items_of_order(&"o1".into()).strong().page().unwrap();
    assert_eq!(*units.lock().unwrap(), [0.5, 1.0, 1.0].map(Some));
}

/// Records of a stream: the name of an image, its partition key and sort key, and its other attributes.
fn records(images: &[(&str, [&str; 2], &str)]) -> Vec<u8> {
    let record = |(name, [pk, sk], others): &(&str, [&str; 2], &str)| {
        let key = format!(r#""PK":{{"S":"{pk}"}},"SK":{{"S":"{sk}"}}"#);
        format!(r#"{{"dynamodb":{{"Keys":{{{key}}},"{name}":{{{key},{others}}}}}}}"#)
    };
    let all: Vec<String> = images.iter().map(record).collect();
    format!(r#"{{"Records":[{}]}}"#, all.join(",")).into_bytes()
}

#[test]
fn stream_records_are_changes_of_entities() {
    let shop = shop();
    let key = ["PRODUCT#p1", "INFO"];
    let product = r#""entity":{"S":"Product"},"productId":{"S":"p1"},"name":{"S":"pen"},"price":{"N":"1.50"},"stock":{"N":"3"}"#;
    let unknown = r#""entity":{"S":"Invoice"}"#;
    let changes = shop.events().of_json(&records(&[
        ("NewImage", key, product),
        ("OldImage", key, product),
    ]));
    let [ShopEvent::Product(made), ShopEvent::Product(gone)] = &changes.unwrap()[..] else {
        panic!("two changes of products");
    };
    assert_eq!((&made.old, &gone.new), (&None, &None));
    assert_eq!(made.new.as_ref().unwrap().stock, 3);
    assert_eq!(gone.old, made.new);
    let unknown = records(&[("NewImage", ["x", "y"], unknown)]);
    assert!(matches!(
        shop.events().of_json(&unknown),
        Err(Error::UnknownItem(_))
    ));
    assert_eq!(
        shop.events()
            .on_unknown(OnUnknown::Skip)
            .of_json(&unknown)
            .unwrap(),
        []
    );
}

/// No record has all of a list that is stored in several items.
#[test]
fn a_change_of_an_entity_in_several_items_is_without_its_list() {
    let keyfold = Keyfold::memory().unwrap();
    let alleycat = AlleycatClient::new(&keyfold).unwrap();
    let new = NewResult2 {
        score: Some(5),
        points: Some(vec!["1".parse().unwrap()]),
        ..NewResult2::new("a".into(), "b".to_owned(), "c".into())
    };
    alleycat.result.create(&new).unwrap();
    let scan = ScanInput {
        table_name: Some("Alleycat".to_owned()),
        ..ScanInput::default()
    };
    let stored = keyfold.send(scan).unwrap().items.unwrap();
    let record = |item: Item| StreamEvent {
        dynamodb: Some(StreamRecord {
            new_image: Some(Ok(item)),
            ..StreamRecord::default()
        }),
        ..StreamEvent::default()
    };
    let events = alleycat.events();
    let changes = stored
        .iter()
        .filter_map(|item| events.of_record(&record(item.to_item())).unwrap());
    let changes: Vec<AlleycatEvent> = changes.collect();
    let [AlleycatEvent::Result(change)] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!(change.new.as_ref().unwrap().score, 5);
}
