//! Optional parameters of named writes: what is not given stays, and everything that follows too.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::write::Written;
use keyfold_client::{ClientError, arguments, write};

const MODEL: &str = r##"
model users 1
table Tab (PK, SK) type kind
  gsi GSI1 (A, B)
entity User
  id: string, email: string?, city: string, name: string, logins: int = 0
  key  "USER#{id}" "USER"
  GSI1 "CITY#{city}" "{name}#{id}"
  copy card "CARDS" "{id}" only name
  unique email
pattern user(id) -> User?
pattern users(city) -> User[]
pattern cards() -> User.card[]
write edit(email?, city?, name?, least: int?)
  update User set email = email, city = city, name = name when logins >= least
write log_in(more: int?)
  update User set logins = logins + more
"##;

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<Written, ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text))?;
    write::run(&place.backend, &place.model, named, &values)
}

fn place() -> Place {
    let place = Place::new(MODEL);
    let ada = [
        ("id", "1"),
        ("email", "a@x"),
        ("city", "Bonn"),
        ("name", "Ada"),
    ];
    place.put("User", &ada);
    place
}

#[test]
fn what_is_not_given_stays_as_it_is() {
    let place = place();
    let edit = |more: Text<'_>| run(&place, "edit", &[&[("id", "1")], more].concat());
    edit(&[("city", "Ulm")]).unwrap();
    assert_eq!(place.found("users", &[("city", "Ulm")], "name"), ["Ada"]);
    assert!(place.found("users", &[("city", "Bonn")], "name").is_empty());
    edit(&[("name", "Eve")]).unwrap();
    assert_eq!(place.found("users", &[("city", "Ulm")], "name"), ["Eve"]);
    assert_eq!(place.found("cards", &[], "name"), ["Eve"]);
    assert_eq!(place.found("user", &[("id", "1")], "email"), ["a@x"]);
    // The guard follows: the old value is free again.
    edit(&[("email", "b@x")]).unwrap();
    let other = [
        ("id", "2"),
        ("email", "a@x"),
        ("city", "Ulm"),
        ("name", "B"),
    ];
    place.put("User", &other);
    assert_eq!(place.stored().len(), 6);
}

#[test]
fn nothing_given_is_a_check_that_the_item_exists() {
    let place = place();
    let before = place.stored();
    run(&place, "edit", &[("id", "1")]).unwrap();
    run(&place, "log_in", &[("id", "1")]).unwrap();
    assert_eq!(place.stored(), before);
    let missing = run(&place, "log_in", &[("id", "9")]).unwrap_err();
    assert_eq!(missing.to_string(), "there is no User with id = 9");
}

#[test]
fn a_condition_without_its_argument_is_left_out() {
    let place = place();
    let name = |name, more: Text<'_>| {
        run(
            &place,
            "edit",
            &[&[("id", "1"), ("name", name)], more].concat(),
        )
    };
    name("Eve", &[]).unwrap();
    let refused = name("Bob", &[("least", "1")]).unwrap_err();
    assert!(matches!(refused, ClientError::Refused(_)), "{refused}");
    run(&place, "log_in", &[("id", "1"), ("more", "1")]).unwrap();
    name("Bob", &[("least", "1")]).unwrap();
}
