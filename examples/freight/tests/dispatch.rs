//! A dispatcher's day, in memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use freight::model::{AsyncFreightClient, ContainerId, ItemId, NewItem};
use freight::{Freight, Refusal, rush};
use keyfold::nonblocking::Keyfold;
use std::collections::BTreeSet;

async fn freight() -> Freight {
    let database = Keyfold::memory().await.unwrap();
    let freight = Freight::open(&database).await.unwrap();
    assert!(freight.add_container(&"c1".into(), 2).await.unwrap());
    for id in ["a", "b", "c"] {
        assert!(freight.add_item(&id.into(), "books").await.unwrap());
    }
    freight
}

/// Items on the quay, by thousands.
async fn crowded(database: &Keyfold, count: usize) {
    let item = |number: usize| NewItem::new(format!("i{number:05}").into(), "tea".to_owned());
    let items: Vec<NewItem> = (0..count).map(item).collect();
    let client = AsyncFreightClient::new(database).await.unwrap();
    client.item.put_many(&items).await.unwrap();
}

/// The places that are free, and the items inside.
async fn inside(freight: &Freight) -> (i64, Vec<String>) {
    let container = freight.container(&"c1".into()).await.unwrap().unwrap();
    let shipments = container.shipments.unwrap_or_default();
    (container.free, shipments.into_iter().collect())
}

#[tokio::test]
async fn n3_an_item_and_a_place_change_together_or_not_at_all() {
    let freight = freight().await;
    let (a, b, c) = (ItemId::from("a"), ItemId::from("b"), ItemId::from("c"));
    let c1 = ContainerId::from("c1");
    assert_eq!(freight.assign(&a, &c1).await.unwrap(), Ok(()));
    let place = freight.item(&a).await.unwrap().unwrap().container_id;
    assert_eq!(place, Some(c1.clone()));
    let again = freight.assign(&a, &c1).await.unwrap();
    assert_eq!(again, Err(Refusal::NotFree));
    let one = (1, vec!["a".to_owned()]);
    assert_eq!(inside(&freight).await, one, "a refused item takes no place");
    assert_eq!(freight.assign(&b, &c1).await.unwrap(), Ok(()));
    let full = freight.assign(&c, &c1).await.unwrap();
    assert_eq!(full, Err(Refusal::NoPlace));
    let place = freight.item(&c).await.unwrap().unwrap().container_id;
    assert_eq!(place, None);
    assert!(freight.unload(&a, &c1).await.unwrap());
    assert!(!freight.unload(&a, &c1).await.unwrap());
    assert_eq!(freight.assign(&c, &c1).await.unwrap(), Ok(()));
    let two = (0, vec!["b".to_owned(), "c".to_owned()]);
    assert_eq!(inside(&freight).await, two);
}

#[tokio::test]
async fn n3_what_is_there_or_is_not_is_an_answer() {
    let freight = freight().await;
    assert!(!freight.add_container(&"c1".into(), 9).await.unwrap());
    assert_eq!(inside(&freight).await, (2, vec![]));
    let (nobody, nowhere) = (ItemId::from("x"), ContainerId::from("y"));
    let refused = freight.assign(&"a".into(), &nowhere).await.unwrap();
    assert_eq!(refused, Err(Refusal::NoPlace));
    let refused = freight.assign(&nobody, &"c1".into()).await.unwrap();
    assert_eq!(refused, Err(Refusal::NotFree));
    assert!(!freight.unload(&nobody, &"c1".into()).await.unwrap());
    assert_eq!(freight.item(&nobody).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn n3_sixty_four_dispatchers_fill_no_container_twice() {
    let freight = freight().await;
    let places = ContainerId::from("c9");
    assert!(freight.add_container(&places, 9).await.unwrap());
    let outcome = rush(&freight, &places, (64, "r")).await.unwrap().unwrap();
    assert!(outcome.is_right, "{outcome:?}");
    let all = (outcome.loaded, outcome.refused, outcome.free);
    assert_eq!(all, (9, 55, 0));
    let loaded = freight.items_in(&places).await.unwrap();
    let stored = freight.container(&places).await.unwrap().unwrap();
    assert_eq!(stored.shipments, Some(loaded));
    let nowhere = rush(&freight, &"y".into(), (2, "s")).await.unwrap();
    assert_eq!(nowhere, None);
}

#[tokio::test]
async fn n3_a_rush_is_right_on_a_quay_of_many_thousand_items() {
    let database = Keyfold::memory().await.unwrap();
    let freight = Freight::open(&database).await.unwrap();
    assert!(freight.add_container(&"c1".into(), 2).await.unwrap());
    crowded(&database, 10_001).await;
    let outcome = rush(&freight, &"c1".into(), (3, "r")).await.unwrap();
    assert!(outcome.unwrap().is_right);
}

#[tokio::test]
async fn a_list_is_read_a_page_at_a_time() {
    let database = Keyfold::memory().await.unwrap();
    let freight = Freight::open(&database).await.unwrap();
    crowded(&database, 1_100).await;
    let (mut after, mut pages, mut seen) = (None, 0, BTreeSet::new());
    loop {
        let page = freight.items(after.as_deref()).await.unwrap();
        assert!(page.items.len() <= 500);
        assert!(page.items.is_sorted_by_key(|item| item.item_id.to_string()));
        let ids = page.items.iter().map(|item| item.item_id.to_string());
        pages += 1;
        seen.extend(ids);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!((pages, seen.len()), (3, 1_100));
    let page = freight.containers(None).await.unwrap();
    assert_eq!((page.items.len(), page.next), (0, None));
    let refused = freight.items(Some("nonsense")).await.unwrap_err();
    assert!(
        matches!(refused, keyfold::Error::Invalid { .. }),
        "{refused}"
    );
}
