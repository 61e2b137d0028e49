//! What an application in `examples` answers over HTTP, and the one form that its problems have.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The time in which an application that was started answers a request.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// An answer of HTTP, without its headers but one.
pub(crate) struct Answer {
    pub(crate) status: u16,
    kind: String,
    /// Where it leads.
    pub(crate) location: Option<String>,
    pub(crate) body: String,
}

/// Whether an answer is the one form that problems have (RFC 9457).
pub(crate) fn is_problem(answer: &Answer, status: u16, code: &str) -> Result<(), String> {
    let told = problem(answer)?;
    match answer.status == status && told["code"] == code {
        true => Ok(()),
        false => Err(format!("no problem {status} {code}: {told}")),
    }
}

/// The problem that an answer is, of whichever status and code.
pub(crate) fn problem(answer: &Answer) -> Result<Value, String> {
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let is_text = |name: &str| body[name].as_str().is_some_and(|text| !text.is_empty());
    let is_form = answer.kind == "application/problem+json"
        && body["status"] == answer.status
        && is_text("code")
        && is_text("detail");
    match is_form {
        true => Ok(body),
        false => Err(format!(
            "no problem: {} {} {}",
            answer.status, answer.kind, answer.body
        )),
    }
}

/// What an application at an address answers to a request with this first line and these headers.
pub(crate) fn ask(address: &str, line: &str, headers: &[(&str, &str)]) -> Result<Answer, String> {
    send(address, line, headers, "")
}

/// What it answers to a request with a body.
pub(crate) fn send(
    address: &str,
    line: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Answer, String> {
    let failed = |error: std::io::Error| format!("{address} does not answer: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    stream
        .set_read_timeout(Some(ANSWER_WITHIN))
        .map_err(failed)?;
    let length = body.len().to_string();
    let own = [("connection", "close"), ("content-length", length.as_str())];
    let headers = headers
        .iter()
        .chain(own.iter().take(if body.is_empty() { 1 } else { 2 }))
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect::<String>();
    let request = format!("{line}\r\n{headers}\r\n{body}");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(failed)?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or("it answers without headers")?;
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    let header = |wanted: &str| {
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim().to_owned())
    };
    Ok(Answer {
        status: status.ok_or("it answers without a status")?,
        kind: header("content-type").unwrap_or_default(),
        location: header("location"),
        body: body.to_owned(),
    })
}
