//! What the applications in `examples` have in common, whatever they are written in: one form of
//! problems, one rule about who may call them, and answers to wrong arguments.

use crate::callers;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names the one further name that an application answers to.
pub(crate) const ALLOW_HOST: &str = "ALLOW_HOST";

/// The time in which an application that was started answers a request.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// An answer of HTTP, without its headers but one.
pub(crate) struct Answer {
    pub(crate) status: u16,
    kind: String,
    /// Where it leads.
    location: Option<String>,
    pub(crate) body: String,
}

/// Asks an application that is open for its first page, and for what it has to refuse.
pub(crate) fn is_open(address: &str) -> Result<(), String> {
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    for host in [address, &format!("localhost:{port}")] {
        let first = ask(address, "GET / HTTP/1.1", &[("host", host)])?;
        // The first page may lead to another one.
        let page = match &first.location {
            Some(path) if [303, 307].contains(&first.status) => {
                ask(address, &format!("GET {path} HTTP/1.1"), &[("host", host)])?
            }
            _ => first,
        };
        if page.status != 200 {
            return Err(format!("its first page at {host} is {}", page.status));
        }
        has_its_files(address, &page.body)?;
    }
    let nothing = ask(address, "GET /api/nothing HTTP/1.1", &[("host", address)])?;
    is_problem(&nothing, 404, "not_found")?;
    callers::names(address)?;
    callers::pages(address)
}

/// Asks for the scripts, the styles and the pictures of a page.
fn has_its_files(address: &str, page: &str) -> Result<(), String> {
    let named = page.split(['"', '\'']).filter(|text| {
        text.starts_with('/')
            && [".js", ".css", ".svg"]
                .iter()
                .any(|end| text.ends_with(end))
    });
    for path in named {
        let line = format!("GET {path} HTTP/1.1");
        let file = ask(address, &line, &[("host", address)])?;
        if file.status != 200 || file.body.is_empty() {
            return Err(format!("its page has {path}, which is {}", file.status));
        }
    }
    Ok(())
}

/// Whether an answer is the one form that problems have (RFC 9457).
pub(crate) fn is_problem(answer: &Answer, status: u16, code: &str) -> Result<(), String> {
    let said = format!("{} {} {}", answer.status, answer.kind, answer.body);
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let has_sentence = body["detail"].as_str().is_some_and(|text| !text.is_empty());
    let is_form = answer.status == status
        && answer.kind == "application/problem+json"
        && body["status"] == status
        && body["code"] == code
        && has_sentence;
    match is_form {
        true => Ok(()),
        false => Err(format!("no problem {status} {code}: {said}")),
    }
}

/// What an application at an address answers to a request with this first line and these headers.
pub(crate) fn ask(address: &str, line: &str, headers: &[(&str, &str)]) -> Result<Answer, String> {
    let failed = |error: std::io::Error| format!("{address} does not answer: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    stream
        .set_read_timeout(Some(ANSWER_WITHIN))
        .map_err(failed)?;
    let headers = headers
        .iter()
        .chain(&[("connection", "close")])
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect::<String>();
    let request = format!("{line}\r\n{headers}\r\n");
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

/// Starts the program of an application with `--help`, and with a word that it does not take.
pub(crate) fn takes_words(program: &Command) -> Result<(), String> {
    let (code, said, _) = ended(program, Some("--help"))?;
    let has_all = ["usage: ", "_CONNECTION", "PORT", ALLOW_HOST, "127.0.0.1"];
    if let Some(missing) = has_all.iter().find(|word| !said.contains(**word)) {
        return Err(format!("--help does not say {missing}: {said}"));
    }
    let (wrong, _, why) = ended(program, Some("--unheard-of"))?;
    match (code, wrong, why.contains("--unheard-of")) {
        (Some(0), Some(2), true) => Ok(()),
        _ => Err(format!(
            "--help ends with {code:?}, a word that is none with {wrong:?}: {why}"
        )),
    }
}

/// Starts the program of an application that is told of a wrong name, which it has to say.
pub(crate) fn refuses_names(program: &mut Command) -> Result<(), String> {
    for name in callers::NOT_NAMES {
        let (code, said, why) = ended(program.env(ALLOW_HOST, name), None)?;
        let is_said = why.contains(ALLOW_HOST) && why.contains(name) && why.lines().count() == 1;
        if code != Some(1) || !is_said {
            return Err(format!(
                "with the name {name} it ends with {code:?}: {said}{why}"
            ));
        }
    }
    Ok(())
}

/// The exit code of a program with one more word, or with none, its output and its errors.
fn ended(program: &Command, word: Option<&str>) -> Result<(Option<i32>, String, String), String> {
    // A program that opens instead is ended.
    let mut command = Command::new("timeout");
    command
        .arg(ANSWER_WITHIN.as_secs().to_string())
        .arg(program.get_program())
        .args(program.get_args())
        .args(word);
    let own = program.get_envs();
    command.envs(own.filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = program.get_current_dir() {
        command.current_dir(folder);
    }
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start it with {word:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    ))
}
