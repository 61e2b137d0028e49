//! A write and a read that others overtake at every attempt end with an error of their own, which says
//! that they may be tried again.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{ErrorKind, ReasonCode, Request, Response};
use keyfold_lower::{ClientError, Lowering, Origin, PageRequest, Step, arguments, read, write};
use keyfold_model::Model;
use std::collections::BTreeMap;

const ORIGIN: Origin = Origin {
    now_epoch_ms: 1_700_000_000_000,
    seed: 7,
};
const MODEL: &str = r##"
model m 1
table Tab (PK, SK)
entity User
  id: string, mail: string
  key "USER#{id}" "USER"
  unique mail
pattern pair(one, two) -> (User as first where id = one, User as second where id = two)
write rename(id, mail: string)
  update User set mail = mail
"##;

fn model() -> Model {
    keyfold_model::compile(MODEL).model.unwrap()
}

fn conflict() -> ClientError {
    let kind = ErrorKind::TransactionCanceled;
    ClientError::Service {
        kind: Some(kind),
        exception: kind.exception().to_owned(),
        message: "cancelled".to_owned(),
        reasons: vec![(ReasonCode::TransactionConflict, None)],
        found: Vec::new(),
    }
}

fn given(all: &[(&str, &str)]) -> BTreeMap<String, String> {
    let each = all.iter();
    each.map(|(name, text)| ((*name).into(), (*text).into()))
        .collect()
}

/// The stored item and its guard.
fn stored(operation: keyfold_api::Operation) -> Response {
    let json =
        br#"{"Item":{"PK":{"S":"USER#a"},"SK":{"S":"USER"},"id":{"S":"a"},"mail":{"S":"m"}}}"#;
    keyfold_wire::client::decode_response(operation, json).unwrap_or_else(|_| panic!("no answer"))
}

/// The error of a call all of whose transactions meet another one.
fn overtaken<T>(mut call: Lowering<'_, T>) -> ClientError {
    let mut answers = Vec::new();
    loop {
        answers = match call.next(answers) {
            Step::Ask(requests) => requests.iter().map(answer).collect(),
            Step::Pause(_) => Vec::new(),
            Step::Done(done) => return done.err().unwrap(),
        };
    }
}

fn answer(request: &Request) -> Result<Response, ClientError> {
    let Request::GetItem(_) = request else {
        return Err(conflict());
    };
    Ok(stored(request.operation()))
}

#[test]
fn a_write_that_is_overtaken_says_so() {
    let model = model();
    let named = model.write("rename").unwrap();
    let given = given(&[("id", "a"), ("mail", "n")]);
    let values = arguments::of_write(named, &given).unwrap();
    let error = overtaken(write::run(ORIGIN, &model, named, &values));
    assert!(matches!(error, ClientError::Overtaken(_)), "{error:?}");
    let user = model.entity("User").unwrap();
    let values = arguments::some_of_entity(user, &given).unwrap();
    let error = overtaken(write::update(ORIGIN, &model, user, &values, &[]));
    assert!(matches!(error, ClientError::Overtaken(_)), "{error:?}");
}

#[test]
fn a_read_of_one_moment_that_is_overtaken_says_so() {
    let model = model();
    let pattern = model.pattern("pair").unwrap();
    let given = given(&[("one", "a"), ("two", "b")]);
    let values = arguments::of_pattern(pattern, &given).unwrap();
    let start = PageRequest::default();
    let error = overtaken(read::page(ORIGIN, &model, pattern, &values, &start));
    assert!(matches!(error, ClientError::Overtaken(_)), "{error:?}");
}
