//! What is wrong with an argument is said before anything is sent, under the name that the caller
//! wrote.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text};
use keyfold_client::{ClientError, PageRequest, arguments, write};

const MODEL: &str = r##"
model named 1
table Tab (PK, SK) type kind
  gsi ByMail (GSI1PK, GSI1SK)
  gsi ByPlace ((country, city), (street, house))
  gsi Turned (SK, PK)

record Line
  itemId: string, n: int

entity User
  userId: string, email: string, note: string, size: int = 0
  key    "USER#{userId}" "PROFILE"
  ByMail "MAIL#{email}" "NOTE#{note}"
  copy   card "CARD#{email}" "CARD#{userId}" only userId, note
  unique email

entity Item
  userId: User.userId, itemId: string, n: int
  key "USER#{userId}" "ITEM#{itemId}"

entity Part
  userId: string, itemId: string, n: int
  key "PART#{userId}#{itemId}" "PART"

entity Shop
  shopId: string, country: string, city: string, street: string, house: string
  key "SHOP#{shopId}" "SHOP"

pattern user(userId)                   -> User?
pattern users(userId[])                -> User[]
pattern mailed(email)                  -> User?
pattern noted(email, note starts start) -> User[] page 5
pattern since(email, note >= start)    -> User[] page 5
pattern between(email, note in low..high) -> User[] page 5
pattern item(who, what)                -> (User as owner where userId = who, Item? where userId = who and itemId = what)

write rename(mail: string)
  update User set email = mail
write move(n: int)
  update User as from set size = size - n
  update User as into set size = size + n
write order(lines: list of Line)
  create Item for each lines
write look(who: string)
  check User where userId = who
write add(whose: string)
  update Part where userId = whose set n = n + 1
"##;

fn asked(place: &Place, pattern: &str, given: Text<'_>) -> String {
    let found = place.ask(pattern, given, &PageRequest::default());
    found.unwrap_err().to_string()
}

fn put(place: &Place, entity: &str, given: Text<'_>) -> ClientError {
    let values = place.values(entity, given);
    let entity = place.entity(entity);
    write::put(&place.backend, &place.model, entity, &values).unwrap_err()
}

fn run(place: &Place, name: &str, given: Text<'_>) -> String {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &common::given(given)).unwrap();
    let done = write::run(&place.backend, &place.model, named, &values);
    done.unwrap_err().to_string()
}

#[test]
fn keys_that_are_too_long_are_refused_before_they_are_sent() {
    let place = Place::new(MODEL);
    let (long, longer) = ("l".repeat(1025), "l".repeat(2049));
    let (long, longer) = (long.as_str(), longer.as_str());
    let is = |found: String, expected: &str| assert_eq!(found, expected);
    is(
        asked(&place, "user", &[("userId", longer)]),
        "the pattern user: userId makes PK 2054 bytes long, and a partition key has at most 2048 bytes",
    );
    is(
        asked(&place, "users", &[("userId", &format!("a,{longer}"))]),
        "the pattern users: userId makes PK 2054 bytes long, and a partition key has at most 2048 bytes",
    );
    is(
        asked(&place, "mailed", &[("email", longer)]),
        "the pattern mailed: email makes GSI1PK 2054 bytes long, and a partition key has at most 2048 bytes",
    );
    for (pattern, parameter) in [("noted", "start"), ("since", "start"), ("between", "high")] {
        let given = [("email", "a"), (parameter, long), ("low", "a")];
        let given = &given[..if pattern == "between" { 3 } else { 2 }];
        // No key is as long as such an end, which limits as any text does.
        let found = place.ask(pattern, given, &PageRequest::default());
        assert!(found.unwrap().items.is_empty(), "{pattern}");
    }
    is(
        asked(&place, "item", &[("who", "a"), ("what", long)]),
        "the pattern item: what makes SK 1030 bytes long, and a sort key has at most 1024 bytes",
    );
    let user = |id: &str, mail: &str| {
        put(
            &place,
            "User",
            &[("userId", id), ("email", mail), ("note", "a")],
        )
        .to_string()
    };
    is(
        user(longer, "a"),
        "User: userId makes PK 2054 bytes long, and a partition key has at most 2048 bytes",
    );
    // The partition key of the table is a sort key of an index.
    is(
        user(long, "a"),
        "User: userId makes PK of Turned 1030 bytes long, and a sort key has at most 1024 bytes",
    );
    is(
        user("a", longer),
        "User: email makes GSI1PK of ByMail 2054 bytes long, and a partition key has at most 2048 bytes",
    );
    let mut shop = vec![("shopId", "1"), ("country", long), ("city", long)];
    shop.extend([("street", "s"), ("house", "h")]);
    is(
        put(&place, "Shop", &shop).to_string(),
        "Shop: country, city makes country and city of ByPlace 2050 bytes long, and a partition key has at most 2048 bytes",
    );
    assert!(matches!(put(&place, "Shop", &shop), ClientError::Value(_)));
    assert_eq!(place.stored(), []);
}

#[test]
fn a_wrong_value_is_named_by_the_argument_that_gave_it() {
    let place = Place::new(MODEL);
    let user = [("userId", "u"), ("email", "e"), ("note", "n")];
    place.put("User", &user);
    let empty = |name: &str| format!("{name} is empty, and a key is made of it");
    // The templates of patterns hold the names of the parameters.
    for (given, name) in [
        ([("who", ""), ("what", "a")], "who"),
        ([("who", "a"), ("what", "")], "what"),
    ] {
        assert_eq!(asked(&place, "item", &given), empty(name));
    }
    let lines = r#"[{"itemId":"a","n":1},{"itemId":"","n":1}]"#;
    let cases: [(&str, Text<'_>, &str, &str); 5] = [
        ("rename", &[("userId", "u"), ("mail", "")], "mail", "email"),
        (
            "move",
            &[("from.userId", "a"), ("into.userId", ""), ("n", "1")],
            "into.userId",
            "userId",
        ),
        (
            "order",
            &[("userId", "u"), ("lines", lines)],
            "lines[1].itemId",
            "itemId",
        ),
        ("look", &[("who", "")], "who", "userId"),
        (
            "order",
            &[("userId", ""), ("lines", lines)],
            "userId",
            "userId",
        ),
    ];
    for (write, given, argument, attribute) in cases {
        let expected = match argument == attribute {
            true => empty(attribute),
            false => format!("{argument}: {}", empty(attribute)),
        };
        assert_eq!(run(&place, write, given), expected, "{write}");
    }
    // A delimiter, which the template could escape.
    let found = run(&place, "add", &[("whose", "a#b"), ("itemId", "i")]);
    assert_eq!(
        found,
        "whose: userId: `a#b` contains `#`, which separates the parts of the key; write the field with `:escape` in the template, or choose another value"
    );
}
