//! What the applications in `examples` have in common, whatever they are written in: one form of
//! problems, one rule about who may call them, and answers to wrong arguments.

use crate::answer::{ANSWER_WITHIN, ask, is_problem};
use crate::callers;
use crate::members::{self, Doubles};
use std::process::{Command, Stdio};

/// Names the one further name that an application answers to.
pub(crate) const ALLOW_HOST: &str = "ALLOW_HOST";

/// Asks an application that is open for its first page, and for what it has to refuse.
pub(crate) fn is_open(address: &str, doubles: Doubles) -> Result<(), String> {
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    for host in [address, &format!("localhost:{port}")] {
        let page = page_at(address, host)?;
        has_its_files(address, &page)?;
    }
    let nothing = ask(address, "GET /api/nothing HTTP/1.1", &[("host", address)])?;
    is_problem(&nothing, 404, "not_found")?;
    members::are_named(address, doubles)?;
    callers::names(address)?;
    callers::pages(address)
}

/// Asks an application that is open for its first page.
pub(crate) fn first_page(address: &str) -> Result<String, String> {
    page_at(address, address)
}

fn page_at(address: &str, host: &str) -> Result<String, String> {
    let first = ask(address, "GET / HTTP/1.1", &[("host", host)])?;
    // The first page may lead to another one.
    let page = match &first.location {
        Some(path) if [303, 307].contains(&first.status) => {
            ask(address, &format!("GET {path} HTTP/1.1"), &[("host", host)])?
        }
        _ => first,
    };
    match page.status {
        200 => Ok(page.body),
        status => Err(format!("its first page at {host} is {status}")),
    }
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
