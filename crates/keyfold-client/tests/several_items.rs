//! Writes on several items of one entity, and on items that other items name.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::{ClientError, arguments, write};

const MODEL: &str = r##"model bank 1
table Bank (PK, SK)
record New
  accountId: string, balance: int
entity Customer
  customerId: string, name: string
  key "C#{customerId}" "CUSTOMER"
  count accounts of Account
  sum   worth of Account.balance
  max   highest of Account.balance
entity Account
  accountId: string, customerId: Customer.customerId, balance: int = 0, mail: string?
  key "A#{accountId}" "ACCOUNT"
  copy card "C#{customerId}" "B#{balance:09}#{accountId}"
  unique mail
entity Member
  memberId: string, active: bool = true, posts: int = 0
  count edited of Post by editorId
  key "M#{memberId}" "MEMBER"
entity Post
  postId: string, authorId: Member.memberId, editorId: Member.memberId?
  key "P#{postId}" "POST"
pattern customer(customerId) -> Customer
pattern account(accountId) -> Account
pattern cards(customerId) -> Account.card[] highest page 10
pattern member(memberId) -> Member
write transfer(n: int)
  update Account as from set balance = balance - n when balance >= n
  update Account as to set balance = balance + n
write open_two()
  create Account as one
  create Account as two
write publish()
  create Post
  check Member as author where memberId = authorId when active = true
  update Member as editor where memberId = editorId set posts = posts + 1
write retract()
  delete Post
  check Member as author where memberId = Post.authorId when active = true
  update Member as editor where memberId = Post.editorId set posts = posts - 1
write open_many(lines: list of New)
  create Account for each lines
write hand_over(by: string)
  check Post when authorId = by
  update Account where accountId = Post.authorId set balance = balance + 1
"##;

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<(), ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text))?;
    write::run(&place.backend, &place.model, named, &values).map(|_| ())
}

fn bank() -> Place {
    let place = Place::new(MODEL);
    for customer in ["x", "y"] {
        place.put("Customer", &[("customerId", customer), ("name", customer)]);
    }
    for (account, customer, balance) in [("a", "x", "50"), ("b", "x", "20"), ("c", "y", "5")] {
        place.put(
            "Account",
            &[
                ("accountId", account),
                ("customerId", customer),
                ("balance", balance),
            ],
        );
    }
    place
}

fn transfer(place: &Place, from: &str, to: &str, n: &str) -> Result<(), ClientError> {
    let text = [("from.accountId", from), ("to.accountId", to), ("n", n)];
    run(place, "transfer", &text)
}

fn of_customer(place: &Place, customer: &str) -> [Vec<String>; 3] {
    let key = [("customerId", customer)];
    ["accounts", "worth", "highest"].map(|name| place.found("customer", &key, name))
}

#[test]
fn both_items_change_with_what_follows_from_them() {
    let place = bank();
    // Both accounts are in the sum and the maximum of one customer, which the write changes once.
    transfer(&place, "a", "b", "40").unwrap();
    assert_eq!(of_customer(&place, "x"), [["2"], ["70"], ["60"]]);
    assert_eq!(
        place.found("cards", &[("customerId", "x")], "balance"),
        ["60", "10"]
    );
    transfer(&place, "b", "c", "60").unwrap();
    assert_eq!(of_customer(&place, "x"), [["2"], ["10"], ["10"]]);
    assert_eq!(of_customer(&place, "y"), [["1"], ["65"], ["65"]]);
}

#[test]
fn a_refusal_names_the_item() {
    let place = bank();
    let refused = transfer(&place, "c", "a", "6").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "update Account as from: the Account with accountId = c does not meet the condition balance >= n (n = 6)"
    );
    let same = transfer(&place, "a", "a", "1").unwrap_err();
    assert_eq!(
        same.to_string(),
        "`update Account as from` and `update Account as to` are both given the Account with accountId = a; a write changes an item once"
    );
    assert!(matches!(same, ClientError::Refused(_)));
    let missing = transfer(&place, "a", "z", "1").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "there is no Account with accountId = z"
    );
    let lacking = run(&place, "transfer", &[("n", "1"), ("from.accountId", "a")]).unwrap_err();
    assert_eq!(lacking.to_string(), "the write transfer needs to.accountId");
    assert_eq!(of_customer(&place, "x"), [["2"], ["70"], ["50"]]);
}

#[test]
fn two_are_created_with_their_guards() {
    let place = bank();
    let both = |one: &str, two: &str| {
        let text = [
            ("one.accountId", "n"),
            ("one.customerId", "x"),
            ("one.mail", one),
            ("two.accountId", "m"),
            ("two.customerId", "y"),
            ("two.mail", two),
        ];
        run(&place, "open_two", &text)
    };
    // Both would have the same guard.
    let refused = both("@", "@").unwrap_err();
    assert!(matches!(refused, ClientError::Taken { .. }), "{refused}");
    both("@", "@2").unwrap();
    assert_eq!(of_customer(&place, "y"), [["2"], ["5"], ["5"]]);
    assert_eq!(place.found("account", &[("accountId", "n")], "mail"), ["@"]);
}

#[test]
fn references_of_the_write_are_followed() {
    let place = bank();
    for member in ["ada", "bob"] {
        place.put("Member", &[("memberId", member)]);
    }
    place.put("Member", &[("memberId", "eve"), ("active", "false")]);
    let posts = |member: &str| place.found("member", &[("memberId", member)], "posts");
    let post = [("postId", "1"), ("authorId", "ada"), ("editorId", "bob")];
    run(&place, "publish", &post).unwrap();
    assert_eq!(posts("bob"), ["1"]);
    // An optional reference that is not given is not followed.
    run(&place, "publish", &[("postId", "2"), ("authorId", "ada")]).unwrap();
    for (author, editor) in [("eve", "bob"), ("nobody", "bob"), ("ada", "nobody")] {
        let text = [("postId", "3"), ("authorId", author), ("editorId", editor)];
        run(&place, "publish", &text).unwrap_err();
    }
    let both = [("postId", "4"), ("authorId", "ada"), ("editorId", "ada")];
    assert_eq!(
        run(&place, "publish", &both).unwrap_err().to_string(),
        "`check Member as author` and `update Member as editor` are both given the Member with memberId = ada; a write changes an item once"
    );
    run(&place, "retract", &[("postId", "2")]).unwrap();
    assert_eq!(posts("bob"), ["1"]);
    run(&place, "retract", &[("postId", "1")]).unwrap();
    assert_eq!(posts("bob"), ["0"]);
}

#[test]
fn items_without_an_optional_reference_are_not_counted() {
    let place = bank();
    for member in ["ada", "bob"] {
        place.put("Member", &[("memberId", member)]);
    }
    let edited = |id: &str| {
        place
            .found("member", &[("memberId", id)], "edited")
            .concat()
    };
    let both = || [edited("ada"), edited("bob")];
    place.put("Post", &[("postId", "1"), ("authorId", "ada")]);
    assert_eq!(both(), ["0", "0"]);
    let edit = |editor: &str| place.update("Post", &[("postId", "1"), ("editorId", editor)]);
    edit("ada").unwrap();
    assert_eq!(both(), ["1", "0"]);
    // It moves, and is no longer counted when the reference goes.
    edit("bob").unwrap();
    assert_eq!(both(), ["0", "1"]);
    edit("nobody").unwrap_err();
    place.put("Post", &[("postId", "1"), ("authorId", "ada")]);
    assert_eq!(both(), ["0", "0"]);
    edit("ada").unwrap();
    place.delete("Member", &[("memberId", "ada")]).unwrap_err();
    place.delete("Post", &[("postId", "1")]).unwrap();
    place.delete("Member", &[("memberId", "ada")]).unwrap();
}

#[test]
fn no_money_is_made_or_lost_by_many_writers() {
    let place = bank();
    std::thread::scope(|scope| {
        for seed in 0..6 {
            let place = &place;
            scope.spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed);
                for _ in 0..40 {
                    let mut pick = || ["a", "b", "c"][rng.usize(..3)];
                    let (from, to) = (pick(), pick());
                    let n = rng.u8(1..30).to_string();
                    match transfer(place, from, to, &n) {
                        Ok(()) | Err(ClientError::Refused(_)) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
    });
    let number = |texts: Vec<String>| texts.concat().parse::<i64>().unwrap();
    let balance =
        |account: &str| number(place.found("account", &[("accountId", account)], "balance"));
    let (a, b, c) = (balance("a"), balance("b"), balance("c"));
    assert_eq!(a + b + c, 75);
    let kept = |customer: &str| of_customer(&place, customer).map(number);
    assert_eq!(kept("x"), [2, a + b, a.max(b)]);
    assert_eq!(kept("y"), [1, c, c]);
}

#[test]
fn too_many_items_are_refused_before_anything_is_written() {
    let place = bank();
    let open = |from: usize, count: usize| {
        let line = |n: usize| format!(r#"{{"accountId":"n{n}","balance":{n}}}"#);
        let lines: Vec<String> = (from..from + count).map(line).collect();
        let lines = format!("[{}]", lines.join(","));
        run(
            &place,
            "open_many",
            &[("lines", &lines), ("customerId", "y")],
        )
    };
    // Each account is an item and a copy, and the customer is one more.
    open(0, 49).unwrap();
    assert_eq!(
        open(49, 50).unwrap_err().to_string(),
        "the write would change 101 items (put Account: 50, put Account.card: 50, count Customer.accounts: 1), and a transaction changes at most 100; nothing was written: give it less at a time"
    );
    assert_eq!(of_customer(&place, "y")[0], ["50"]);
}

/// A write whose update changes nothing still rests on what it read.
#[test]
fn what_a_reference_rests_on_does_not_change_before_the_write() {
    let place = bank();
    for account in ["ada", "bob"] {
        place.put("Account", &[("accountId", account), ("customerId", "x")]);
    }
    let put_post = |author: &str| place.put("Post", &[("postId", "1"), ("authorId", author)]);
    for _ in 0..60 {
        put_post("ada");
        let before: i64 = place
            .found("account", &[("accountId", "ada")], "balance")
            .concat()
            .parse()
            .unwrap();
        let done = std::thread::scope(|scope| {
            let writer = scope.spawn(|| put_post("bob"));
            let done = run(&place, "hand_over", &[("postId", "1"), ("by", "ada")]);
            writer.join().unwrap();
            done
        });
        let after: i64 = place
            .found("account", &[("accountId", "ada")], "balance")
            .concat()
            .parse()
            .unwrap();
        assert_eq!(after - before, i64::from(done.is_ok()));
    }
    assert_eq!(
        place.found("account", &[("accountId", "bob")], "balance"),
        ["0"]
    );
}
