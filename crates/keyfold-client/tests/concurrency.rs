//! Many concurrent writers through the model: no write is lost, no item is left over, no stock is
//! sold twice.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{Response, ScanInput};
use keyfold_client::arguments::{self, Values};
use keyfold_client::derive::derive;
use keyfold_client::{Backend, ClientError, PageRequest, read, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::{Entity, Model};
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::sync::Arc;

const MODEL: &str = r##"
model crowd 1
table Crowd (PK, SK) type entity
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  id: string, email: string, city: string?, a: int, b: int
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
pattern product(sku) -> Product
write place_order(quantity: int, sku)
  create Order
  update Product set stock = stock - quantity when stock >= quantity
"##;

fn setup() -> (Arc<Model>, Arc<Backend>) {
    let compiled = keyfold_model::compile(MODEL);
    let model = compiled
        .model
        .unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, &model).unwrap();
    (Arc::new(model), Arc::new(backend))
}

fn values(entity: &Entity, text: &str) -> Values {
    let given: BTreeMap<_, _> = text
        .split(' ')
        .map(|one| arguments::split(one).unwrap())
        .collect();
    arguments::some_of_entity(entity, &given).unwrap()
}

fn everything(backend: &Backend) -> Vec<Item> {
    let input = ScanInput {
        table_name: Some("Crowd".to_owned()),
        ..ScanInput::default()
    };
    let Response::Scan(page) = backend.call(input.into()).unwrap() else {
        panic!("no page")
    };
    page.items
        .unwrap()
        .iter()
        .map(|item| item.to_item())
        .collect()
}

#[test]
fn random_writers_leave_exactly_the_items_of_the_entities() {
    let (model, backend) = setup();
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let (model, backend) = (&model, &backend);
            scope.spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed);
                let user = model.entity("User").unwrap();
                for _ in 0..60 {
                    let (id, email, city) = (rng.u8(..3), rng.u8(..6), rng.u8(..3));
                    let outcome = match rng.u8(..4) {
                        0 => write::put(
                            backend,
                            model,
                            user,
                            &values(
                                user,
                                &format!("id={id} email=e{email} city=c{city} a=1 b=1"),
                            ),
                        ),
                        1 => write::update(
                            backend,
                            model,
                            user,
                            &values(user, &format!("id={id} email=e{email}")),
                            &["city".to_owned()],
                        ),
                        2 => write::update(
                            backend,
                            model,
                            user,
                            &values(user, &format!("id={id} city=c{city} a={email}")),
                            &[],
                        ),
                        _ => {
                            write::delete(backend, model, user, &values(user, &format!("id={id}")))
                        }
                    };
                    match outcome {
                        Ok(_)
                        | Err(
                            ClientError::Exists(_)
                            | ClientError::Refused(_)
                            | ClientError::Taken { .. }
                            | ClientError::NotFound(_),
                        ) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
    });
    let user = model.entity("User").unwrap();
    let all = everything(&backend);
    let mut expected: Vec<Item> = Vec::new();
    for item in all
        .iter()
        .filter(|item| item.get("entity") == Some(&"User".into()))
    {
        let stored = user
            .attributes
            .iter()
            .filter_map(|a| Some((a.name.clone(), item.get(&a.name)?.clone())));
        expected.extend(
            derive(&model, user, &stored.collect())
                .unwrap()
                .into_iter()
                .map(|one| one.item),
        );
    }
    let sorted = |mut items: Vec<Item>| {
        items.sort_by_key(|item| format!("{item:?}"));
        items
    };
    assert_eq!(sorted(all), sorted(expected));
}

#[test]
fn a_put_replaces_the_whole_entity() {
    let (model, backend) = setup();
    let user = model.entity("User").unwrap();
    for round in 0..400 {
        // Each writer differs from the stored entity in one attribute: a put that wrote only
        // differences would mix them.
        write::put(
            &backend,
            &model,
            user,
            &values(user, "id=1 email=e a=1 b=2"),
        )
        .unwrap();
        let barrier = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for n in [1, 2] {
                let (model, backend, barrier) = (&model, &backend, &barrier);
                scope.spawn(move || {
                    let values = values(user, &format!("id=1 email=e a={n} b={n}"));
                    barrier.wait();
                    write::put(backend, model, user, &values).unwrap();
                });
            }
        });
        let pattern = model.pattern("user").unwrap();
        let found = read::page(
            &backend,
            &model,
            pattern,
            &values(user, "id=1"),
            &PageRequest::default(),
        )
        .unwrap();
        let attribute = |name: &str| {
            found.items[0]
                .attributes
                .iter()
                .find(|(known, _)| known == name)
                .unwrap()
                .1
                .clone()
        };
        assert_eq!(
            attribute("a"),
            attribute("b"),
            "round {round}: a mixture that nobody wrote"
        );
    }
}

#[test]
fn stock_is_never_oversold() {
    let (model, backend) = setup();
    let product = model.entity("Product").unwrap();
    write::put(
        &backend,
        &model,
        product,
        &values(product, "sku=s stock=50"),
    )
    .unwrap();
    let place = model.write("place_order").unwrap();
    let sold: usize = std::thread::scope(|scope| {
        let buyers: Vec<_> = (0..8)
            .map(|buyer| {
                let (model, backend) = (&model, &backend);
                scope.spawn(move || {
                    let mut sold = 0;
                    for n in 0..15 {
                        let given = BTreeMap::from([
                            ("quantity".to_owned(), "1".to_owned()),
                            ("sku".to_owned(), "s".to_owned()),
                            ("orderId".to_owned(), format!("{buyer}-{n}")),
                        ]);
                        let arguments = arguments::of_write(place, &given).unwrap();
                        sold += usize::from(write::run(backend, model, place, &arguments).is_ok());
                    }
                    sold
                })
            })
            .collect();
        buyers.into_iter().map(|buyer| buyer.join().unwrap()).sum()
    });
    assert_eq!(sold, 50);
    let orders = everything(&backend)
        .into_iter()
        .filter(|item| item.get("entity") == Some(&"Order".into()))
        .count();
    assert_eq!(orders, 50);
}
