//! Several items by their keys: one moment of all, or a batch.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, given};
use keyfold_client::{ClientError, PageRequest, arguments, write};
use std::sync::atomic::{AtomicBool, Ordering};

const MODEL: &str = "model m 1
table Bank (PK, SK)
table Other (name)
entity Account in Bank
  accountId: string, balance: int, note: string?
  key \"ACCOUNT#{accountId}\" \"META\"
entity Owner in Other
  owner: string, since: time
  key {owner}
  unstored owner
pattern transfer(from, to) -> (Account as payer where accountId = from, Account? as payee where accountId = to)
pattern in_batch(from, to) -> (Account as payer where accountId = from, Account? as payee where accountId = to) only balance batch
pattern owned(accountId, name) -> (Owner? where owner = name, Account?)
";

fn ask(place: &Place, name: &str, text: &[(&str, &str)]) -> Result<Vec<String>, ClientError> {
    let found = place.ask(name, text, &PageRequest::default())?;
    assert_eq!(found.requests, 1);
    let items = found.items.iter().map(|item| {
        let balance = item.get("balance").map(keyfold_model::value::display);
        format!("{} {}", item.kind, balance.unwrap_or_default())
    });
    Ok(items.collect())
}

#[test]
fn items_come_in_the_order_of_the_pattern() {
    let place = Place::new(MODEL);
    place.put("Account", &[("accountId", "a"), ("balance", "1")]);
    place.put(
        "Account",
        &[("accountId", "b"), ("balance", "2"), ("note", "x")],
    );
    for pattern in ["transfer", "in_batch"] {
        let both = ask(&place, pattern, &[("from", "b"), ("to", "a")]).unwrap();
        assert_eq!(both, ["payer 2", "payee 1"]);
        let one = ask(&place, pattern, &[("from", "a"), ("to", "c")]).unwrap();
        assert_eq!(one, ["payer 1"]);
        // A request takes no key twice.
        let same = ask(&place, pattern, &[("from", "a"), ("to", "a")]).unwrap();
        assert_eq!(same, ["payer 1", "payee 1"]);
        let missing = ask(&place, pattern, &[("from", "c"), ("to", "a")]).unwrap_err();
        assert_eq!(
            missing.to_string(),
            format!("{pattern}: there is no payer for PK = \"ACCOUNT#c\" AND SK = \"META\"")
        );
    }
}

#[test]
fn items_lie_in_several_tables() {
    let place = Place::new(MODEL);
    place.put("Account", &[("accountId", "a"), ("balance", "1")]);
    let owned = [("accountId", "a"), ("name", "ada")];
    assert_eq!(ask(&place, "owned", &owned).unwrap(), ["Account 1"]);
    place.put("Owner", &[("owner", "ada"), ("since", "2024-01-01")]);
    assert_eq!(
        ask(&place, "owned", &owned).unwrap(),
        ["Owner ", "Account 1"]
    );
    assert_eq!(place.found("owned", &owned, "owner"), ["ada", ""]);
    let cursor = PageRequest {
        after: Some(keyfold_types::Item::new()),
        ..PageRequest::default()
    };
    let refused = place.ask("owned", &owned, &cursor).unwrap_err();
    assert!(matches!(refused, ClientError::Unknown(_)), "{refused}");
}

/// While a transaction moves money from one to the other, each answer has all of it.
#[test]
fn a_snapshot_is_of_one_moment() {
    let source = "model m 1
table Bank (PK)
entity Total
  bank: string, accounts: int
  key \"TOTAL#{bank}\"
entity Account
  bank: string, accountId: string, balance: int
  key \"ACCOUNT#{bank}#{accountId}\"
pattern both(bank, one, two) -> (Account as first where accountId = one, Account as second where accountId = two)
write pay(steps: list of Step)
  update Account for each steps set balance = balance + n
record Step
  bank: string, accountId: string, n: int
";
    let place = Place::new(source);
    for id in ["a", "b"] {
        place.put(
            "Account",
            &[("bank", "x"), ("accountId", id), ("balance", "500")],
        );
    }
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let pay = place.model.write("pay").unwrap();
            let steps =
                r#"[{"bank":"x","accountId":"a","n":-1},{"bank":"x","accountId":"b","n":1}]"#;
            let values = arguments::of_write(pay, &given(&[("steps", steps)])).unwrap();
            for _ in 0..200 {
                write::run(&place.backend, &place.model, pay, &values).unwrap();
            }
            is_done.store(true, Ordering::Release);
        });
        let mut asked = 0;
        while asked < 100 || !is_done.load(Ordering::Acquire) {
            let all = [("bank", "x"), ("one", "a"), ("two", "b")];
            let found = place.found("both", &all, "balance");
            let sum: i64 = found.iter().map(|text| text.parse::<i64>().unwrap()).sum();
            assert_eq!(sum, 1000, "{found:?}");
            asked += 1;
        }
    });
    let all = [("bank", "x"), ("one", "a"), ("two", "b")];
    assert_eq!(place.found("both", &all, "balance"), ["300", "700"]);
}

/// An item of the second table holds an attribute in an index key only: the projection names that
/// key.
#[test]
fn an_attribute_in_an_index_key_is_read_back_in_each_table() {
    let place = Place::new(
        "model m 1
table Other (name)
  gsi ByMail (GSI1PK)
table Bank (PK, SK)
entity Account in Bank
  accountId: string, balance: int
  key \"ACCOUNT#{accountId}\" \"META\"
entity Owner in Other
  owner: string, mail: string
  key {owner}
  ByMail \"MAIL#{mail}\"
pattern mailed(mail) -> Owner[]
pattern owned(accountId, owner) -> (Account?, Owner?) only balance, mail
pattern in_batch(accountId, owner) -> (Account?, Owner?) only balance, mail batch
",
    );
    place.put("Account", &[("accountId", "a"), ("balance", "1")]);
    place.put_raw(&[("name", "ada"), ("GSI1PK", "MAIL#a@x")]);
    let both = [("accountId", "a"), ("owner", "ada")];
    for pattern in ["owned", "in_batch"] {
        assert_eq!(place.found(pattern, &both, "balance"), ["1", ""]);
        assert_eq!(place.found(pattern, &both, "mail"), ["", "a@x"]);
    }
}
