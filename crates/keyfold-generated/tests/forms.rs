//! Every form of attribute, parameter and answer, on the generated clients of two models in memory.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::typed::{self, Error, Keyfold, Patch};
use keyfold_generated::case_answers::{
    Account, AccountId, AccountKey, AccountPatch, AccountPlan, Address, AnswersClient,
    DueArguments, EditArguments, EditMade, Entry, EntryState, NewAccount, NewTicket, PlacesChoice,
    PutAccount, TicketKey, TicketPatch, TicketStatus, TransferArguments, WholeItem,
};
use keyfold_generated::santa::{
    CreateLetterArguments, DemandItem, LetterId, LetterItem, NewToy, Quote, SantaClient, ToyId,
    WishLine,
};
use keyfold_generated::{OPEN, teams};

fn answers() -> AnswersClient {
    AnswersClient::new(&Keyfold::memory().unwrap()).unwrap()
}

fn new_account(id: &str, city: &str) -> NewAccount {
    NewAccount {
        balance: Some(100),
        ..NewAccount::new(
            id.into(),
            "Ada".to_owned(),
            "UK".to_owned(),
            city.to_owned(),
            "Ockham Park".to_owned(),
        )
    }
}

fn at(text: &str) -> typed::Timestamp {
    text.parse().unwrap()
}

#[test]
fn attributes_of_all_types_come_back() {
    let client = answers();
    let new = NewAccount {
        tags: Some(["b", "a"].map(str::to_owned).into()),
        prices: Some([("cup".to_owned(), "1.50".parse().unwrap())].into()),
        logo: Some(vec![0, 255]),
        home: Some(Address {
            street: "Main".to_owned(),
            zip: None,
            account: "a".into(),
        }),
        ..new_account("a", "London")
    };
    client.account.create(&new).unwrap();
    let found: Account = client.account(&"a".into()).unwrap();
    assert_eq!(
        (&found.tags, &found.prices, &found.logo, &found.home),
        (&new.tags, &new.prices, &new.logo, &new.home)
    );
    assert_eq!(
        (found.plan, found.tickets, found.v),
        (AccountPlan::Free, 0, 1)
    );
    assert!(matches!(
        client.account(&"b".into()),
        Err(Error::NotFound(_))
    ));
    let short = client.find_account(&"a".into()).unwrap().unwrap();
    assert_eq!((short.owner.as_str(), short.balance), ("Ada", 100));
}

#[test]
fn a_patch_keeps_sets_and_removes() {
    let client = answers();
    client.account.create(&new_account("a", "London")).unwrap();
    let opened_at = at("2024-01-15T10:30:00.000001Z");
    let new = NewTicket {
        assignee: Some("bob".to_owned()),
        severity: Some(3),
        ..NewTicket::new("a".into(), opened_at)
    };
    let written = client.ticket.create(&new).unwrap();
    let key = TicketKey {
        id: "a".into(),
        ticket_id: written.made.ticket_id,
    };
    let patch = TicketPatch {
        assignee: Patch::Remove,
        due_at: at("2024-02-01T00:00:00Z").into(),
        ..TicketPatch::default()
    };
    client.ticket.update(&key, &patch).unwrap();
    let found = client.ticket(&key.id, &key.ticket_id).unwrap().unwrap();
    assert_eq!(found.assignee, None);
    assert_eq!(found.due_at, Some(at("2024-02-01T00:00:00Z")));
    assert_eq!((found.severity, found.opened_at), (Some(3), opened_at));
    assert_eq!((found.status, found.history.len()), (TicketStatus::Open, 0));

    let entry = Entry {
        at: at("2024-01-16T00:00:00Z"),
        by: "bob".to_owned(),
        state: EntryState::Waiting,
    };
    client.log(&entry, &key.id, &key.ticket_id).unwrap();
    let whole = client.whole(&key.id).all(10).unwrap();
    let tickets = whole.iter().filter_map(|item| match item {
        WholeItem::Ticket(ticket) => Some(ticket.history.clone()),
        WholeItem::Account(account) => {
            assert_eq!(account.tickets, 1);
            None
        }
    });
    assert_eq!(tickets.collect::<Vec<_>>(), [vec![entry]]);
    let until = DueArguments {
        now: Some(at("2024-03-01T00:00:00Z")),
    };
    let due = client.due(&until).all(10).unwrap();
    assert_eq!(due[0].due_at, at("2024-02-01T00:00:00Z"));
    let severe = client.severe(&key.id, 3).first().unwrap().unwrap();
    assert_eq!(severe.severity, 3);
}

#[test]
fn a_version_guards_what_was_read() {
    let client = answers();
    client.account.create(&new_account("a", "London")).unwrap();
    let read = || client.account(&"a".into()).unwrap();
    let (mine, theirs) = (read(), read());
    let mine = PutAccount {
        owner: "Grace".to_owned(),
        ..PutAccount::from(mine)
    };
    client.account.put(&mine).unwrap();
    let stale = client.account.put(&PutAccount::from(theirs.clone()));
    assert!(matches!(stale, Err(Error::StaleVersion(_))), "{stale:?}");
    let patch = AccountPatch {
        plan: Some(AccountPlan::Paid),
        ..AccountPatch::default()
    };
    let stale = client.account.update(&AccountKey::from(&theirs), &patch);
    assert!(matches!(stale, Err(Error::StaleVersion(_))), "{stale:?}");
    client
        .account
        .update(&AccountKey::from(&read()), &patch)
        .unwrap();
    client
        .account
        .update(&AccountKey::new("a".into()), &patch)
        .unwrap();
    assert_eq!((read().owner.as_str(), read().v), ("Grace", 4));
}

#[test]
fn optional_arguments_are_left_out() {
    let client = answers();
    for (id, city) in [("a", "London"), ("b", "Leeds"), ("c", "London")] {
        client.account.create(&new_account(id, city)).unwrap();
    }
    let ids = |choice: PlacesChoice| -> Vec<String> {
        let found = client.places(&choice).all(10).unwrap();
        found.iter().map(|account| account.id.to_string()).collect()
    };
    let (country, city) = ("UK".to_owned(), "London".to_owned());
    let london = PlacesChoice::CountryCity {
        country: country.clone(),
        city,
    };
    assert_eq!(ids(london), ["a", "c"]);
    assert_eq!(ids(PlacesChoice::Country { country }), ["b", "a", "c"]);
    assert_eq!(ids(PlacesChoice::default()), ["b", "a", "c"]);
    let named: Vec<AccountId> = ["c", "x", "a"].map(AccountId::from).into();
    assert_eq!(client.accounts(&named).all(10).unwrap().len(), 2);
    assert_eq!(client.every_account().all(10).unwrap().len(), 3);
    let edit = EditArguments {
        owner: Some("Grace".to_owned()),
        ..EditArguments::new("a".into())
    };
    let made: EditMade = client.edit(&edit).unwrap().made;
    let edited = client.account(&"a".into()).unwrap();
    assert_eq!(
        (edited.owner.as_str(), edited.plan),
        ("Grace", AccountPlan::Free)
    );
    assert_eq!(made.updated_at, edited.updated_at);
    let moment = at("2024-01-02T03:04:05Z");
    let given = EditArguments {
        updated_at: Some(moment),
        ..edit
    };
    assert_eq!(client.edit(&given).unwrap().made.updated_at, moment);
}

#[test]
fn items_are_read_together_and_changed_together() {
    let client = answers();
    for id in ["a", "b"] {
        client.account.create(&new_account(id, "London")).unwrap();
    }
    let transfer =
        |amount| client.transfer(&TransferArguments::new(amount, "a".into(), "b".into()));
    transfer(30).unwrap();
    let pair = client.pair(&"a".into(), &"b".into()).unwrap();
    assert_eq!((pair.payer.balance, pair.payee.unwrap().balance), (70, 130));
    let refused = transfer(71).unwrap_err();
    assert!(
        matches!(&refused, Error::Refused(why) if why.conditions.as_deref() == Some("balance >= amount (amount = 71)")),
        "{refused}"
    );
    assert!(
        client
            .pair(&"a".into(), &"c".into())
            .unwrap()
            .payee
            .is_none()
    );
    let absent = client.pair(&"c".into(), &"a".into());
    assert!(matches!(absent, Err(Error::NotFound(_))), "{absent:?}");
}

#[test]
fn a_letter_is_stored_with_its_wishes() {
    let santa = SantaClient::new(&Keyfold::memory().unwrap()).unwrap();
    for (id, price) in [("t1", "10"), ("t2", "2.50")] {
        let toy = NewToy {
            toy_id: id.into(),
            name: id.to_uppercase(),
            description: "A toy".to_owned(),
            price: price.parse().unwrap(),
        };
        santa.toy.create(&toy).unwrap();
    }
    let wish = |id: &str, quantity, amount: &str| WishLine {
        toy_id: id.to_owned(),
        quantity,
        price: "2.50".parse().unwrap(),
        amount: amount.parse().unwrap(),
    };
    let toys = vec![Quote {
        toy_id: "t2".to_owned(),
        name: "T2".to_owned(),
        price: "2.50".parse().unwrap(),
        quantity: 2,
    }];
    let letter = CreateLetterArguments {
        wishes: vec![wish("t1", 1, "10"), wish("t2", 2, "5")],
        letter_id: "l1".into(),
        address: "1 Main Street".to_owned(),
        received_at: "2024-12-01".parse().unwrap(),
        taken_at: "2024-12-02".parse().unwrap(),
        toys: toys.clone(),
    };
    santa.create_letter(&letter).unwrap();
    let found = santa.letter(&LetterId::from("l1")).all(10).unwrap();
    let total = found.iter().find_map(|item| match item {
        LetterItem::Letter(letter) => Some((letter.total, letter.received_at)),
        LetterItem::Wish(_) => None,
    });
    let day: typed::Date = "2024-12-01".parse().unwrap();
    assert_eq!(
        (found.len(), total),
        (3, Some(("15".parse().unwrap(), day)))
    );
    let demand = santa.demand(&ToyId::from("t2")).all(10).unwrap();
    let wanted = demand.iter().find_map(|item| match item {
        DemandItem::Toy(toy) => Some(toy.wanted),
        DemandItem::Wish(_) => None,
    });
    assert_eq!(wanted, Some(2));
    let history = santa.history(&LetterId::from("l1")).unwrap().unwrap();
    assert_eq!(history.toys, toys);
    assert_eq!(santa.toys().all(10).unwrap().len(), 2);
}

/// Every client compiles its model and makes its tables.
#[test]
fn every_client_opens() {
    assert!(OPEN.len() > 20);
    for (model, open) in OPEN {
        let keyfold = Keyfold::memory().unwrap();
        if let Err(error) = open(&keyfold) {
            panic!("{model}: {error}");
        }
    }
    let teams = teams::ShopTeamsClient::new(&Keyfold::memory().unwrap()).unwrap();
    assert!(teams.database().entities().count() > 2);
}
