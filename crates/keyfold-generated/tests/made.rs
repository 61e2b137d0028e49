//! What writes make, as structs: identifiers and moments as they were given, or made.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::typed::{self, Keyfold};
use keyfold_generated::case_made::{
    AddArguments, BuyArguments, Cart, CartKey, CartMade, CartPatch, CloseArguments,
    CloseBothArguments, CloseEachArguments, FillArguments, LineMade, MadeClient, NewCart, NewLine,
    NewTask, NewVisit, PairArguments, VisitArguments, Wanted, Which,
};

fn client() -> MadeClient {
    MadeClient::new(&Keyfold::memory().unwrap()).unwrap()
}

fn at(text: &str) -> typed::Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_new_entity_has_what_was_given_and_what_was_made() {
    let client = client();
    let made: CartMade = client.cart.create(&NewCart::default()).unwrap().made;
    let cart: Cart = client.cart(&made.id).unwrap().unwrap();
    assert_eq!((cart.id, cart.at), (made.id.clone(), made.at));

    let given = NewCart {
        at: Some(at("2024-01-01T00:00:00Z")),
        ..NewCart::default()
    };
    let made = client.cart.put(&given).unwrap().made;
    assert_eq!(made.at, at("2024-01-01T00:00:00Z"));
    let key = CartKey { id: made.id };
    let () = client
        .cart
        .update(&key, &CartPatch::default())
        .unwrap()
        .made;
    let () = client.cart.delete(&key).unwrap().made;
}

#[test]
fn the_values_of_a_batch_are_those_of_its_items() {
    let client = client();
    let cart = client.cart.create(&NewCart::default()).unwrap().made.id;
    let line = |id: Option<&str>| NewLine {
        line_id: id.map(Into::into),
        ..NewLine::new(cart.clone(), 1)
    };
    let given = "00000000-0000-4000-8000-000000000001";
    let done = client.line.put_many(&[line(None), line(Some(given))]);
    let made: Vec<LineMade> = done.unwrap().made;
    assert_eq!(made[1].line_id.as_str(), given);
    let found = client.lines(&cart).all(10).unwrap();
    assert!(found.iter().any(|line| line.line_id == made[0].line_id));
}

#[test]
fn an_identifier_that_is_made_is_that_of_all_items() {
    let client = client();
    let lines = vec![
        Wanted {
            amount: 1,
            line_id: None,
        },
        Wanted {
            amount: 2,
            line_id: None,
        },
    ];
    let made = client.buy(&BuyArguments::new(lines.clone())).unwrap().made;
    assert!(client.cart(&made.id).unwrap().is_some());
    let found = client.lines(&made.id).all(10).unwrap();
    assert_eq!(found.len(), 2);

    let given = client.cart.create(&NewCart::default()).unwrap().made.id;
    client.cart.delete(&CartKey { id: given.clone() }).unwrap();
    let arguments = BuyArguments {
        id: Some(given.clone()),
        ..BuyArguments::new(lines)
    };
    assert_eq!(client.buy(&arguments).unwrap().made.id, given);
    assert_eq!(client.lines(&given).all(10).unwrap().len(), 2);
}

#[test]
fn a_named_write_reports_each_element_and_alias() {
    let client = client();
    let cart = client.cart.create(&NewCart::default()).unwrap().made.id;
    let given = "00000000-0000-4000-8000-000000000002";
    let wanted = |amount, id: Option<&str>| Wanted {
        amount,
        line_id: id.map(str::to_owned),
    };
    let lines = vec![wanted(1, None), wanted(2, Some(given)), wanted(3, None)];
    let made = client
        .fill(&FillArguments::new(lines, cart.clone()))
        .unwrap()
        .made;
    assert_ne!(made.id, cart, "another cart is made");
    assert_eq!((made.line_id.len(), made.line_at.len()), (3, 3));
    assert_eq!(made.line_id[1].as_str(), given);
    let mut found = client.lines(&cart).all(10).unwrap();
    found.sort_by_key(|line| line.amount);
    let ids: Vec<_> = found.into_iter().map(|line| line.line_id).collect();
    assert_eq!(ids, made.line_id);

    let pair = PairArguments {
        two_at: Some(at("2024-01-02T00:00:00Z")),
        ..PairArguments::default()
    };
    let made = client.pair(&pair).unwrap().made;
    assert_ne!(made.one_id, made.two_id);
    assert_eq!(made.two_at, at("2024-01-02T00:00:00Z"));

    let day = "2024-01-15".parse().unwrap();
    let first = client.visit(&VisitArguments::new(day)).unwrap().made;
    assert_eq!(
        first.first_at, None,
        "one request does not report whether it made the visit"
    );
}

#[test]
fn the_parts_of_a_transaction_have_types_of_their_own() {
    let client = client();
    let cart = client.cart.create(&NewCart::default()).unwrap().made.id;
    let day = "2024-01-15".parse().unwrap();
    let done = client
        .transact((
            client.part().add(&AddArguments::new(cart.clone(), 5)),
            client.visit.part().create(&NewVisit::new(day, 1)),
            client.cart.part().create(&NewCart::default()),
        ))
        .unwrap();
    let (added, _, created) = done.writes;
    let found = client.lines(&cart).all(10).unwrap();
    assert_eq!(found[0].line_id, added.made.line_id);
    assert!(client.cart(&created.made.id).unwrap().is_some());

    let many = (0..3).map(|_| client.cart.part().create(&NewCart::default()));
    let done = client.transact(many.collect::<Vec<_>>()).unwrap();
    for one in done.writes {
        assert!(client.cart(&one.made.id).unwrap().is_some());
    }
}

#[test]
fn a_moment_that_a_named_write_sets_is_as_given_or_made() {
    let client = client();
    let given = at("2024-01-01T00:00:00Z");
    for id in ["a", "b"] {
        client.task.create(&NewTask::new(id.into())).unwrap();
    }
    let close = |now| CloseArguments {
        now,
        ..CloseArguments::new("a".into())
    };
    let made = client.close(&close(None)).unwrap().made;
    let task = client.task(&"a".into()).unwrap().unwrap();
    assert_eq!(task.closed_at, Some(made.closed_at));
    assert_eq!(task.changed_at, made.changed_at);
    let made = client.close(&close(Some(given))).unwrap().made;
    assert_eq!(made.closed_at, given);
    let both = CloseBothArguments::new("a".into(), "b".into());
    let made = client.close_both(&both).unwrap().made;
    assert_eq!(made.one_closed_at, made.two_closed_at);
    let tasks = ["a", "b"].map(|id| Which {
        task_id: id.to_owned(),
    });
    let each = CloseEachArguments::new(tasks.to_vec());
    let made = client.close_each(&each).unwrap().made;
    assert_eq!(made.closed_at.len(), 2);
    assert!(made.closed_at.iter().all(|one| *one > given));
}
