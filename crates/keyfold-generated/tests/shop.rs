//! A program on the generated client of the e-commerce design, in memory: writes with all that follows
//! from them, patterns, pages and cursors, errors; blocking and awaited.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::typed::{self, Error};
use keyfold_generated::shop::{
    AsyncShopClient, CreateOrderArguments, Line, NewOrder, NewProduct, NewUser, Order, OrderId,
    OrderKey, OrderPatch, OrderStatus, OrderWithItemsAnswer, OrderWithItemsItem, ProductId,
    ShopClient, UserId, UserKey, UserPatch,
};

fn at(text: &str) -> typed::Timestamp {
    text.parse().unwrap()
}

fn shop() -> ShopClient {
    let shop = ShopClient::new(&typed::Keyfold::memory().unwrap()).unwrap();
    shop.create_user(
        &UserId::from("u1"),
        "ada@example.com",
        "Ada",
        at("2024-01-01T00:00:00Z"),
    )
    .unwrap();
    shop
}

/// An order of one line, created in a minute of an hour.
fn order(number: usize) -> CreateOrderArguments {
    CreateOrderArguments {
        lines: vec![Line {
            item_id: "1".to_owned(),
            product_id: ProductId::from("p1"),
            quantity: 2,
            price: "9.99".parse().unwrap(),
        }],
        order_id: OrderId::from(format!("o{number}")),
        user_id: UserId::from("u1"),
        created_at: at(&format!("2024-01-15T10:{number:02}:00Z")),
        total: "19.98".parse().unwrap(),
        status: OrderStatus::Pending,
    }
}

#[test]
fn writes_are_read_by_patterns() {
    let shop = shop();
    let user = shop.user(&UserId::from("u1")).unwrap().unwrap();
    assert_eq!(
        (user.name.as_str(), user.created_at),
        ("Ada", at("2024-01-01T00:00:00Z"))
    );
    assert_eq!(
        shop.user_by_email("ada@example.com").unwrap().as_ref(),
        Some(&user)
    );
    assert_eq!(shop.user(&UserId::from("u2")).unwrap(), None);

    shop.create_order(&order(1)).unwrap();
    let found = shop.order_with_items(&OrderId::from("o1")).all(10).unwrap();
    let [
        OrderWithItemsItem::OrderItem(line),
        OrderWithItemsItem::Order(head),
    ] = &found[..]
    else {
        panic!("{found:?}");
    };
    assert_eq!(head.total, "19.98".parse().unwrap());
    assert_eq!((line.quantity, line.price), (2, "9.99".parse().unwrap()));
    let whole = shop.order_with_items(&OrderId::from("o1"));
    let expected = OrderWithItemsAnswer {
        order: head.clone(),
        order_items: vec![line.clone()],
    };
    assert_eq!(whole.whole(2).unwrap(), expected);
    let whole = shop.order_with_items(&OrderId::from("o1")).whole(1);
    assert!(
        matches!(whole, Err(Error::TooMany { most: 1, .. })),
        "{whole:?}"
    );
    let whole = shop.order_with_items(&OrderId::from("o9")).whole(1);
    let Err(Error::NotFound(absent)) = whole else {
        panic!("{whole:?}")
    };
    assert!(
        absent.message.contains("there is no Order"),
        "{}",
        absent.message
    );

    shop.set_status(OrderStatus::Paid, &OrderId::from("o1"))
        .unwrap();
    let paid: Vec<Order> = shop.orders_by_status(OrderStatus::Paid).all(10).unwrap();
    assert_eq!(paid.len(), 1);
    let key = OrderKey::from(&paid[0]);
    let patch = OrderPatch {
        status: Some(OrderStatus::Shipped),
        ..OrderPatch::default()
    };
    shop.order.update(&key, &patch).unwrap();
    let summary = shop
        .orders_of_user(&UserId::from("u1"))
        .first()
        .unwrap()
        .unwrap();
    assert_eq!(
        (summary.status, summary.order_id),
        (OrderStatus::Shipped, OrderId::from("o1"))
    );
    shop.order.delete(&key).unwrap();
    assert_eq!(
        shop.orders_of_user(&UserId::from("u1")).all(10).unwrap(),
        []
    );
}

#[test]
fn an_item_that_was_read_can_be_put_back() {
    let shop = shop();
    let mut user = NewUser::from(shop.user(&UserId::from("u1")).unwrap().unwrap());
    user.name = "Ada Lovelace".to_owned();
    shop.user.put(&user).unwrap();
    assert_eq!(
        shop.user(&UserId::from("u1")).unwrap().unwrap().name,
        "Ada Lovelace"
    );
}

#[test]
fn pages_go_on_where_their_cursor_says() {
    let shop = shop().with_cursor_secret(b"secret");
    for number in 0..25 {
        shop.create_order(&order(number)).unwrap();
    }
    let user = UserId::from("u1");
    let ids = |orders: &[keyfold_generated::shop::OrderSummary]| -> Vec<String> {
        orders
            .iter()
            .map(|order| order.order_id.to_string())
            .collect()
    };
    let first = shop.orders_of_user(&user).limit(10).page().unwrap();
    assert_eq!(ids(&first.items)[..2], ["o24", "o23"]);
    let next = first.next.unwrap();
    let second = shop
        .orders_of_user(&user)
        .limit(10)
        .after(&next)
        .page()
        .unwrap();
    assert_eq!(ids(&second.items)[..2], ["o14", "o13"]);
    let backward = shop
        .orders_of_user(&user)
        .backward()
        .first()
        .unwrap()
        .unwrap();
    assert_eq!(backward.order_id.as_str(), "o0");

    let all: Result<Vec<_>, Error> = shop.orders_of_user(&user).limit(7).items().collect();
    let pages = shop.orders_of_user(&user).limit(7).pages().count();
    assert_eq!((all.unwrap().len(), pages), (25, 4));
    let mut counted = 0;
    for order in shop.orders_of_user(&user) {
        counted += usize::from(order.is_ok());
    }
    assert_eq!(counted, 25);
    let few = shop.orders_of_user(&user).all(24).unwrap_err();
    let Error::TooMany { pattern, most } = &few else {
        panic!("{few:?}")
    };
    assert_eq!((pattern.as_str(), *most), ("orders_of_user", 24));

    // A cursor of another user, without a seal, with another one, changed, or no cursor at all.
    let refused = [
        shop.orders_of_user(&UserId::from("u2")).after(&next).page(),
        shop.with_cursor_secret(b"other")
            .orders_of_user(&user)
            .after(&next)
            .page(),
        shop.orders_of_user(&user)
            .after(&next.replacen(&next[20..21], "!", 1))
            .page(),
        shop.orders_of_user(&user)
            .after(&next[..next.len() - 4])
            .page(),
        shop.orders_of_user(&user).after("").page(),
        shop.recent_orders(&user, at("2024-01-01T00:00:00Z"))
            .after(&next)
            .page(),
    ];
    for page in refused {
        let error = page.unwrap_err();
        assert!(
            matches!(&error, Error::Invalid { message: why, attribute: Some(after), .. }
                if why.contains("is no cursor of") && after == "after"),
            "{error}"
        );
    }
}

#[test]
fn refusals_are_errors_of_their_kinds() {
    let shop = shop();
    let again = shop.create_user(
        &UserId::from("u1"),
        "b@example.com",
        "B",
        at("2024-01-01T00:00:00Z"),
    );
    assert!(matches!(again, Err(Error::Exists(_))), "{again:?}");
    let same = NewUser {
        user_id: UserId::from("u2"),
        email: "ada@example.com".to_owned(),
        name: "B".to_owned(),
        created_at: at("2024-01-01T00:00:00Z"),
    };
    let taken = shop.user.create(&same);
    assert!(
        matches!(&taken, Err(Error::Taken { attributes, .. }) if attributes == &["email"]),
        "{taken:?}"
    );
    let absent = UserKey {
        user_id: UserId::from("u9"),
    };
    let absent = shop.user.update(&absent, &UserPatch::default());
    assert!(matches!(absent, Err(Error::NotFound(_))), "{absent:?}");
    let finer = NewUser {
        email: "b@example.com".to_owned(),
        created_at: at("2024-01-01T00:00:00.123456789Z"),
        ..same
    };
    let error = shop.user.create(&finer).unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    let cut = NewUser {
        created_at: typed::truncated(finer.created_at, typed::Precision::Millis),
        ..finer
    };
    shop.user.create(&cut).unwrap();
    assert_eq!(
        shop.user(&cut.user_id).unwrap().unwrap().created_at,
        at("2024-01-01T00:00:00.123Z")
    );
}

#[test]
fn what_was_not_written_through_the_model_is_an_error() {
    let shop = shop();
    let product = NewProduct {
        product_id: ProductId::from("p1"),
        name: "Cup".to_owned(),
        price: "5".parse().unwrap(),
        stock: 3,
    };
    shop.product.create(&product).unwrap();
    let huge = "12345678901234567890123".parse::<typed::Number>().unwrap();
    let changed = keyfold::values! { "productId": "p1", "stock": huge.to_string() };
    shop.database().update("Product", changed).unwrap();
    let lenient = shop.on_unknown(typed::OnUnknown::Skip);
    assert_eq!(lenient.product(&ProductId::from("p1")).unwrap(), None);
    let error = shop.product(&ProductId::from("p1")).unwrap_err();
    let Error::UnknownItem(unknown) = &error else {
        panic!("{error:?}")
    };
    let (of, attribute) = (&unknown.entity, &unknown.attribute);
    assert_eq!(of.as_deref(), Some("Product"));
    assert_eq!(attribute.as_deref(), Some("stock"));
    assert_eq!(unknown.id["productId"], "p1".into());
    assert_eq!(
        error.to_string(),
        "the Product (productId = \"p1\") does not fit: stock: 12345678901234567890123 is no whole number of 64 bits; \
         `keyfold generate rust --exact-numbers` makes a client with 128"
    );
}

#[test]
fn words_have_their_texts() {
    assert_eq!(OrderStatus::ALL.map_texts(), ["pending", "paid", "shipped"]);
    assert_eq!("paid".parse(), Ok(OrderStatus::Paid));
    let error = "Paid".parse::<OrderStatus>().unwrap_err().to_string();
    assert_eq!(
        error,
        "\"Paid\" is no word of it; there is pending, paid, shipped"
    );
}

/// The texts of words.
trait Texts {
    fn map_texts(&self) -> Vec<&'static str>;
}

impl Texts for &[OrderStatus] {
    fn map_texts(&self) -> Vec<&'static str> {
        self.iter().map(|word| word.as_str()).collect()
    }
}

#[test]
fn the_same_calls_are_awaited() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let keyfold = typed::AsyncKeyfold::memory().await.unwrap();
        let shop = AsyncShopClient::new(&keyfold).await.unwrap();
        let user = UserId::from("u1");
        let created = at("2024-01-01T00:00:00Z");
        shop.create_user(&user, "ada@example.com", "Ada", created)
            .await
            .unwrap();
        assert_eq!(shop.user(&user).await.unwrap().unwrap().name, "Ada");
        for number in 0..12 {
            let CreateOrderArguments {
                order_id,
                user_id,
                created_at,
                total,
                status,
                ..
            } = order(number);
            let new = NewOrder {
                order_id,
                user_id,
                created_at,
                total,
                status,
            };
            shop.order.create(&new).await.unwrap();
        }
        let whole = shop.order_with_items(&OrderId::from("o3")).whole(1);
        let OrderWithItemsAnswer { order, order_items } = whole.await.unwrap();
        assert_eq!(
            (order.order_id.to_string(), order_items),
            ("o3".to_owned(), vec![])
        );
        let first = shop.orders_of_user(&user).limit(5).page().await.unwrap();
        let next = first.next.unwrap();
        let second = shop
            .orders_of_user(&user)
            .limit(5)
            .after(&next)
            .page()
            .await
            .unwrap();
        assert_eq!(second.items[0].order_id, OrderId::from("o6"));
        let mut items = shop.orders_of_user(&user).limit(5).backward().items();
        let mut numbers = Vec::new();
        while let Some(item) = items.next().await {
            numbers.push(item.unwrap().order_id.to_string());
        }
        assert_eq!((numbers.len(), numbers[11].as_str()), (12, "o11"));
        assert!(shop.orders_of_user(&user).all(11).await.is_err());
        assert_eq!(shop.orders_of_user(&user).all(12).await.unwrap().len(), 12);
        let key = OrderKey {
            order_id: OrderId::from("o0"),
        };
        shop.order.delete(&key).await.unwrap();
        assert!(matches!(
            shop.order.delete(&key).await,
            Err(Error::NotFound(_))
        ));
    });
}
