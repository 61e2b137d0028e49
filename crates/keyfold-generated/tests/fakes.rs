//! Factories of entities for tests: valid, the same by their seed, and apart from those of other seeds.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::typed::Keyfold;
use keyfold_generated::case_answers::{AnswersClient, NewTicket};
use keyfold_generated::case_made::{MadeClient, NewLine};
use keyfold_generated::shop::{NewOrder, NewUser, ShopClient};
use std::collections::BTreeSet;

#[test]
fn factories_make_entities_that_can_be_created() {
    let keyfold = Keyfold::memory().unwrap();
    let shop = ShopClient::new(&keyfold).unwrap();
    let mut fakes = shop.fakes(7);
    for _ in 0..10 {
        let user: NewUser = fakes.user();
        shop.user.create(&user).unwrap();
        let order = NewOrder {
            user_id: user.user_id.clone(),
            ..fakes.order()
        };
        shop.order.create(&order).unwrap();
        shop.product.create(&fakes.product()).unwrap();
        let found = shop.orders_of_user(&user.user_id).all(2).unwrap();
        assert_eq!(found[0].order_id, order.order_id);
    }
    let answers = AnswersClient::new(&keyfold).unwrap();
    let mut fakes = answers.fakes(1);
    for _ in 0..10 {
        let account = fakes.account();
        answers.account.create(&account).unwrap();
        let ticket = NewTicket {
            id: account.id.clone(),
            ..fakes.ticket()
        };
        answers.ticket.create(&ticket).unwrap();
    }
}

#[test]
fn an_entity_has_what_a_write_would_make_and_others_refer_to_it() {
    let made = MadeClient::new(&Keyfold::memory().unwrap()).unwrap();
    for seed in 0..40 {
        let mut fakes = made.fakes(seed);
        let cart = fakes.cart();
        let id = cart.id.clone().expect("it has an identifier");
        let line = NewLine {
            cart_id: id.clone(),
            ..fakes.line()
        };
        let written = made.cart.create(&cart).unwrap().made;
        assert_eq!((&written.id, Some(written.at)), (&id, cart.at));
        let written = made.line.put(&line).unwrap().made;
        assert_eq!(Some(written.line_id), line.line_id);
        let lines = made.lines(&id).all(2).unwrap();
        assert_eq!(lines.len(), 1);
        assert_eq!(Some(&lines[0].line_id), line.line_id.as_ref());
        assert!(made.visit.create(&fakes.visit()).is_ok());
        assert!(made.track.create(&fakes.track()).is_ok());
    }
}

#[test]
fn the_same_seed_makes_the_same_and_another_one_no_identifier_in_common() {
    let shop = ShopClient::new(&Keyfold::memory().unwrap()).unwrap();
    let made = |seed: u64| -> Vec<NewOrder> {
        let mut fakes = shop.fakes(seed);
        (0..50).map(|_| fakes.order()).collect()
    };
    assert_eq!(made(3), made(3));
    let mut ids = BTreeSet::new();
    let seeds = [0, 1, 2, 11, 12, 0x9e37_79b9_7f4a_7c15, u64::MAX];
    for seed in seeds {
        ids.extend(made(seed).into_iter().map(|order| order.order_id));
    }
    assert_eq!(ids.len(), 50 * seeds.len());
}
