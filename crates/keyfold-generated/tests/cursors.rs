//! Cursors that come back from outside: cut, changed, of another pattern or model, signed or not, with
//! other arguments, long. Each is refused before anything is sent; one without a seal whose position in its
//! partition was changed reads the pattern's own items, or the service refuses it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use keyfold::typed::{Error, Keyfold, Page, Timestamp};
use keyfold_generated::existing_shop::{self, ShopExistingClient};
use keyfold_generated::shop::{NewOrder, OrderStatus, OrderSummary, ShopClient, UserId};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ORDERS: usize = 9;
/// The levels of a deep nest.
const LEVELS: usize = 20_000;
/// The digest of what a cursor belongs to, at its start.
const BOUND_BYTES: usize = 16;

fn at() -> Timestamp {
    "2024-01-15T10:30:00Z".parse().unwrap()
}

/// A shop with orders of two users, and the number of requests.
fn shop() -> (Keyfold, ShopClient, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let keyfold = Keyfold::memory().unwrap().on_request(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    let shop = ShopClient::new(&keyfold).unwrap();
    for number in 0..ORDERS {
        for user in ["u1", "u2"] {
            let order = NewOrder {
                order_id: format!("{user}-{number}").as_str().into(),
                user_id: user.into(),
                created_at: at(),
                total: "1".parse().unwrap(),
                status: OrderStatus::Paid,
            };
            shop.order.create(&order).unwrap();
        }
    }
    (keyfold, shop, sent)
}

fn ask(shop: &ShopClient, cursor: &str) -> Result<Page<OrderSummary>, Error> {
    let orders = shop.orders_of_user(&UserId::from("u1")).limit(3);
    orders.after(cursor).page()
}

/// Checks that an answer is a refusal about the cursor, in a sentence of a bounded length.
fn refused<T: std::fmt::Debug>(what: &str, page: Result<T, Error>) {
    match page {
        Err(Error::Invalid { message, .. }) => {
            assert!(message.len() < 1_000, "{what}: {} bytes", message.len());
        }
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn every_cut_or_changed_cursor_is_refused_or_reads_the_same_pattern() {
    let (_, plain, sent) = shop();
    for shop in [plain.with_cursor_secret(b"secret"), plain] {
        let next = shop.orders_of_user(&UserId::from("u1")).limit(3).page();
        let next = next.unwrap().next.unwrap();
        let is_sealed = next.len() > 300;
        sent.store(0, Ordering::SeqCst);
        for end in 0..next.len() {
            refused("a cut cursor", ask(&shop, &next[..end]));
        }
        let raw = URL_SAFE_NO_PAD.decode(&next).unwrap();
        for place in 0..raw.len() * 8 {
            let mut changed = raw.clone();
            changed[place / 8] ^= 1 << (place % 8);
            let page = ask(&shop, &URL_SAFE_NO_PAD.encode(&changed));
            match page {
                Ok(page) => {
                    assert!(!is_sealed && place >= BOUND_BYTES * 8);
                    let mine = |order: &OrderSummary| order.order_id.as_str().starts_with("u1-");
                    assert!(page.items.iter().all(mine));
                }
                // Its partition is the pattern's, its sort key is beyond what is asked for.
                Err(Error::Service { exception, .. }) if !is_sealed => {
                    assert_eq!(exception, "ValidationException");
                    assert!(place >= BOUND_BYTES * 8);
                }
                page => refused("a changed cursor", page),
            }
        }
    }
}

#[test]
fn a_cursor_of_another_question_is_refused() {
    let (keyfold, plain, sent) = shop();
    let sealed = plain.with_cursor_secret(b"secret");
    let existing = ShopExistingClient::new(&keyfold).unwrap();
    let sealed_existing = existing.with_cursor_secret(b"secret");
    let user = UserId::from("u1");
    for (shop, other, existing) in [
        (&plain, &sealed, &existing),
        (&sealed, &plain, &sealed_existing),
    ] {
        let mine = shop.orders_of_user(&user).limit(3).page().unwrap();
        let next = mine.next.unwrap();
        sent.store(0, Ordering::SeqCst);
        let second = UserId::from("u2");
        refused(
            "another user's",
            shop.orders_of_user(&second).after(&next).page(),
        );
        refused(
            "another pattern's",
            shop.recent_orders(&user, at()).after(&next).page(),
        );
        let by_status = shop.orders_by_status(OrderStatus::Paid).after(&next).page();
        refused("another index's", by_status);
        refused("another secret's", ask(other, &next));
        let same = existing.orders_of_user(&existing_shop::UserId::from("u1"));
        refused("another model's", same.after(&next).page());
        assert_eq!(sent.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_cursor_that_was_made_by_hand_is_refused() {
    let (_, shop, sent) = shop();
    let next = shop.orders_of_user(&UserId::from("u1")).limit(3).page();
    let raw = URL_SAFE_NO_PAD.decode(next.unwrap().next.unwrap()).unwrap();
    let (bound, position) = raw.split_at(BOUND_BYTES);
    let position = std::str::from_utf8(position).unwrap();
    let with = |position: &str| {
        let raw = [bound, position.as_bytes()].concat();
        ask(&shop, &URL_SAFE_NO_PAD.encode(raw))
    };
    assert!(with(position).is_ok());
    sent.store(0, Ordering::SeqCst);
    let lists = |inner: &str| {
        format!(
            "{}{inner}{}",
            r#"{"L":["#.repeat(LEVELS),
            "]}".repeat(LEVELS)
        )
    };
    let long = "x".repeat(1 << 20);
    let made = [
        position.replace("u1", "u2"),
        position.replacen("\"S\"", "\"B\"", 1),
        position.replacen("\"S\"", "\"N\"", 1),
        position.replacen('{', r#"{"more":{"S":"x"},"#, 1),
        format!("{position}{position}"),
        String::new(),
        "{}".to_owned(),
        "null".to_owned(),
        "[".repeat(LEVELS),
        format!(r#"{{"PK":{}}}"#, lists(r#"{"S":"x"}"#)),
        format!(r#"{{"PK":{{"S":"USER#u1"}},"SK":{{"S":"{long}"}}}}"#).replace("USER#u1", &long),
        r#"{"PK":{"S":"\ud800"},"SK":{"S":"x"}}"#.to_owned(),
        long,
    ];
    for position in made {
        refused("a position made by hand", with(&position));
    }
    for cursor in [
        "A".repeat(1 << 20),
        "\u{0}".repeat(100),
        "é".to_owned(),
        "=".to_owned(),
    ] {
        refused("no cursor", ask(&shop, &cursor));
    }
    assert_eq!(sent.load(Ordering::SeqCst), 0);
}
