//! What answers mean: the cases that the clients of all languages share.

use super::exchange::{Attempt, Exchange, Head, Next};
use keyfold_api::{Idempotency, Operation, Request};
use keyfold_lower::ClientError;
use serde_json::Value as Json;

const CASES: &str = include_str!("../../../../clients/cases/answers.json");

fn cases() -> Json {
    serde_json::from_str(CASES).unwrap()
}

fn request(cases: &Json, operation: &str) -> Request {
    let known = Operation::ALL.iter().find(|one| one.name() == operation);
    let input = cases["requests"][operation].to_string();
    keyfold_wire::decode(*known.unwrap(), input.as_bytes()).unwrap()
}

/// The meaning of an answer, in the words of the cases.
fn meaning(request: &Request, status: u16, body: &str) -> &'static str {
    let after = |retries| {
        let url = "http://host/";
        let checksum = None;
        let head = Head { status, checksum };
        let attempt = Attempt::of_answer(url, head, body.into());
        let mut exchange = Exchange::new(request.clone(), "token".to_owned(), url, retries);
        exchange.after(attempt, None, 25)
    };
    let is_sent_again = matches!(after(1), Next::Again(_));
    let idempotency = request.idempotency();
    let lost = || {
        assert_eq!(is_sent_again, idempotency != Idempotency::None, "{body}");
        "lost"
    };
    match after(0) {
        Next::Done(Ok(_)) => "done",
        Next::Done(Err(ClientError::Service { .. })) if is_sent_again => "throttled",
        Next::Done(Err(ClientError::Service { .. })) => "refused",
        Next::Done(Err(ClientError::OutcomeUnknown { .. })) => lost(),
        Next::Done(Err(ClientError::Transport(_))) if idempotency == Idempotency::ReadOnly => {
            lost()
        }
        next @ (Next::Again(_) | Next::Done(_)) => panic!("{status} {body}: {next:?}"),
    }
}

/// Calls a function with each operation, status, body and meaning.
fn each(mut take: impl FnMut(&Request, u16, &str, &str)) {
    let cases = cases();
    for case in cases["cases"].as_array().unwrap() {
        let status = u16::try_from(case["status"].as_u64().unwrap()).unwrap();
        for operation in case["of"].as_array().unwrap() {
            let request = request(&cases, operation.as_str().unwrap());
            for body in case["bodies"].as_array().unwrap() {
                let text = body
                    .as_str()
                    .map_or_else(|| body.to_string(), str::to_owned);
                take(&request, status, &text, case["is"].as_str().unwrap());
            }
        }
    }
}

#[test]
fn an_answer_means_the_same_to_clients_of_all_languages() {
    let mut wrong = Vec::new();
    each(|request, status, body, expected| {
        let found = meaning(request, status, body);
        if found != expected {
            let name = request.operation().name();
            wrong.push(format!("{name} {status} {body}: {found}, not {expected}"));
        }
    });
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn an_answer_that_is_cut_is_lost() {
    each(|request, status, body, expected| {
        let whole = body.trim_end();
        if expected == "lost" || !whole.ends_with('}') {
            return;
        }
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let cut = &whole[..end];
            assert_eq!(meaning(request, status, cut), "lost", "{status} {cut}");
        }
    });
}
