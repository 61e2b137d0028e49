//! A dispatcher's day, in memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use freight::model::{ContainerId, ItemId};
use freight::{Freight, Refusal};
use keyfold::Keyfold;

fn freight() -> Freight {
    let freight = Freight::open(&Keyfold::memory().unwrap()).unwrap();
    assert!(freight.add_container(&"c1".into(), 2).unwrap());
    for id in ["a", "b", "c"] {
        assert!(freight.add_item(&id.into(), "books").unwrap());
    }
    freight
}

fn free(freight: &Freight) -> i64 {
    freight.container(&"c1".into()).unwrap().unwrap().free
}

#[test]
fn an_item_and_a_place_change_together_or_not_at_all() {
    let freight = freight();
    let (a, b, c) = (ItemId::from("a"), ItemId::from("b"), ItemId::from("c"));
    let c1 = ContainerId::from("c1");
    assert_eq!(freight.assign(&a, &c1).unwrap(), Ok(()));
    assert_eq!(
        freight.item(&a).unwrap().unwrap().container_id,
        Some(c1.clone())
    );
    assert_eq!(freight.assign(&a, &c1).unwrap(), Err(Refusal::NotFree));
    assert_eq!(free(&freight), 1, "a refused item takes no place");
    assert_eq!(freight.assign(&b, &c1).unwrap(), Ok(()));
    assert_eq!(freight.assign(&c, &c1).unwrap(), Err(Refusal::NoPlace));
    assert_eq!(freight.item(&c).unwrap().unwrap().container_id, None);
    assert!(freight.unload(&a, &c1).unwrap());
    assert!(!freight.unload(&a, &c1).unwrap());
    assert_eq!(freight.assign(&c, &c1).unwrap(), Ok(()));
    assert_eq!(free(&freight), 0);
}

#[test]
fn what_is_there_or_is_not_is_an_answer() {
    let freight = freight();
    assert!(!freight.add_container(&"c1".into(), 9).unwrap());
    assert_eq!(free(&freight), 2);
    let (nobody, nowhere) = (ItemId::from("x"), ContainerId::from("y"));
    assert_eq!(
        freight.assign(&"a".into(), &nowhere).unwrap(),
        Err(Refusal::NoPlace)
    );
    assert_eq!(
        freight.assign(&nobody, &"c1".into()).unwrap(),
        Err(Refusal::NotFree)
    );
    assert!(!freight.unload(&nobody, &"c1".into()).unwrap());
    assert_eq!(freight.item(&nobody).unwrap(), None);
}

#[test]
fn many_dispatchers_fill_no_container_twice() {
    let freight = freight();
    for number in 0..20 {
        let id = ItemId::from(format!("i{number}"));
        freight.add_item(&id, "crate").unwrap();
    }
    let dispatchers = (0..4).map(|at| {
        let freight = freight.clone();
        std::thread::spawn(move || {
            let items = (0..5).map(|number| ItemId::from(format!("i{}", 5 * at + number)));
            let assigned = items.map(|item| freight.assign(&item, &"c1".into()).unwrap());
            assigned.filter(Result::is_ok).count()
        })
    });
    let dispatchers: Vec<_> = dispatchers.collect();
    let loaded: usize = dispatchers.into_iter().map(|one| one.join().unwrap()).sum();
    assert_eq!((loaded, free(&freight)), (2, 0));
}
