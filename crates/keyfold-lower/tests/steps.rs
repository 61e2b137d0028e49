//! Golden scripts in which the script is the database: each command starts a call or answers its
//! requests, and prints what the call needs next.
//!
//! - `> model FILE`: of this folder, or of `models/`.
//! - `> page PATTERN name=text ...`: a page; `limit=N` is its size, and `more=` goes on after the page
//!   before, `after=JSON` after a position that the caller gives.
//! - `> create ENTITY name=text ...`, `put`, `update`, `delete`: a write of an entity.
//!   `remove=a,b` are the attributes that an update removes.
//! - `> run WRITE name=text ...`: a named write. `> ensure`: the tables of the model.
//! - `> together WRITE ; WRITE ...`: writes such as these in one transaction.
//! - `> puts ENTITY name=text ... ; name=text ...`, `deletes`: items in batches.
//! - `> answer A & B ...`: an answer for each request: the JSON of DynamoDB, `conflict`, `lost`, an
//!   exception, or `cancelled CODE CODE ...` with a code for each action of a transaction.
//! - `> waited`: the pause is over.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{ErrorKind, Operation, ReasonCode, Request, Response};
use keyfold_lower::arguments::{self, Values};
use keyfold_lower::write::{self, ManyWritten, Part, Transacted, Written};
use keyfold_lower::{
    ClientError, FoundItem, Lowering, Origin, Page, PageRequest, Step, read, tables,
};
use keyfold_model::{Entity, Model, value};
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Noon of the 20th of July 2026.
const ORIGIN: Origin = Origin {
    now_epoch_ms: 1_784_548_800_000,
    seed: 42,
};

type Given = BTreeMap<String, String>;

/// A call under way. What it borrows is leaked: a script makes few.
enum Call {
    Page(Lowering<'static, Page>),
    Write(Lowering<'static, Written>),
    Tables(Lowering<'static, Vec<(String, tables::Outcome)>>),
    Together(Lowering<'static, Transacted>),
    Many(Lowering<'static, ManyWritten>),
}

#[derive(Default)]
struct Script {
    folder: PathBuf,
    model: Option<&'static Model>,
    call: Option<Call>,
    /// The operations whose answers the call waits for.
    asked: Vec<Operation>,
    cursor: Option<Item>,
}

fn leaked<T>(held: T) -> &'static T {
    Box::leak(Box::new(held))
}

impl Script {
    fn model(&self) -> &'static Model {
        self.model.expect("a script begins with its model")
    }

    fn load(&mut self, name: &str) -> Result<String, Box<dyn Error>> {
        let own = self.folder.join(name);
        let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let path = if own.exists() { own } else { shared.join(name) };
        let compiled = keyfold_model::compile(&std::fs::read_to_string(path)?);
        let model = compiled
            .model
            .ok_or_else(|| format!("{:#?}", compiled.diagnostics))?;
        self.model = Some(leaked(model));
        Ok(String::new())
    }

    fn page(&mut self, name: &str, mut given: Given) -> Result<String, Box<dyn Error>> {
        let pattern = self.model().pattern(name).ok_or("no such pattern")?;
        let limit = given.remove("limit").map(|text| text.parse::<u32>());
        let own = given.remove("more").and_then(|_| self.cursor.take());
        let after = given.remove("after");
        let after = after.map(|json| keyfold_wire::client::decode_item(json.as_bytes()));
        let start = PageRequest {
            limit: limit.transpose()?,
            after: after
                .transpose()
                .map_err(|error| format!("{error:?}"))?
                .or(own),
            ..PageRequest::default()
        };
        let arguments: &Values = leaked(arguments::of_pattern(pattern, &given)?);
        let call = read::page(ORIGIN, self.model(), pattern, arguments, leaked(start));
        Ok(self.begin(Call::Page(call)))
    }

    fn write(&mut self, verb: &str, name: &str, given: &Given) -> Result<String, Box<dyn Error>> {
        let model = self.model();
        let call = match self.part(verb, name, given)? {
            Part::Create { entity, values } => write::create(ORIGIN, model, entity, values),
            Part::Put { entity, values } => write::put(ORIGIN, model, entity, values),
            Part::Update {
                entity,
                changes,
                removed,
            } => write::update(ORIGIN, model, entity, changes, removed),
            Part::Delete { entity, key } => write::delete(ORIGIN, model, entity, key),
            Part::Run { write, arguments } => write::run(ORIGIN, model, write, arguments),
        };
        Ok(self.begin(Call::Write(call)))
    }

    /// The write that a verb and its arguments describe.
    fn part(&self, verb: &str, name: &str, given: &Given) -> Result<Part<'static>, Box<dyn Error>> {
        let model = self.model();
        if verb == "run" {
            let write = model.write(name).ok_or("no such write")?;
            let arguments: &Values = leaked(arguments::of_write(write, given)?);
            return Ok(Part::Run { write, arguments });
        }
        let entity: &Entity = model.entity(name).ok_or("no such entity")?;
        let mut given = given.clone();
        let removed = given.remove("remove").unwrap_or_default();
        let removed = removed.split(',').filter(|name| !name.is_empty());
        let removed: Vec<String> = removed.map(str::to_owned).collect();
        let values: &Values = leaked(match verb {
            "create" | "put" => arguments::of_entity(entity, &given)?,
            _ => arguments::some_of_entity(entity, &given)?,
        });
        Ok(match verb {
            "create" => Part::Create { entity, values },
            "put" => Part::Put { entity, values },
            "update" => Part::Update {
                entity,
                changes: values,
                removed: leaked(removed),
            },
            _ => Part::Delete {
                entity,
                key: values,
            },
        })
    }

    fn together(&mut self, text: &str) -> Result<String, Box<dyn Error>> {
        let mut parts = Vec::new();
        for one in text.split(" ; ") {
            let (verb, rest) = one.split_once(' ').ok_or("a write has a name")?;
            let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            parts.push(self.part(verb, name, &given(rest))?);
        }
        let call = write::transact(ORIGIN, self.model(), leaked(parts));
        Ok(self.begin(Call::Together(call)))
    }

    fn many(&mut self, verb: &str, text: &str) -> Result<String, Box<dyn Error>> {
        let model = self.model();
        let (name, rest) = text.split_once(' ').ok_or("items of an entity")?;
        let entity: &Entity = model.entity(name).ok_or("no such entity")?;
        let values = rest.split(" ; ").map(|one| match verb {
            "puts" => arguments::of_entity(entity, &given(one)),
            _ => arguments::some_of_entity(entity, &given(one)),
        });
        let values: &Vec<Values> = leaked(values.collect::<Result<_, _>>()?);
        let call = match verb {
            "puts" => write::put_many(ORIGIN, model, entity, values),
            _ => write::delete_many(ORIGIN, model, entity, values),
        };
        Ok(self.begin(Call::Many(call)))
    }

    fn begin(&mut self, call: Call) -> String {
        self.call = Some(call);
        self.step(Vec::new())
    }

    /// Takes a step and prints it.
    fn step(&mut self, answers: Vec<Result<Response, ClientError>>) -> String {
        match self.call.take().expect("a call is under way") {
            Call::Page(mut call) => match call.next(answers) {
                Step::Done(page) => printed(page, |page| {
                    self.cursor = page.next.clone();
                    printed_page(&page)
                }),
                step @ (Step::Ask(_) | Step::Pause(_)) => {
                    self.call = Some(Call::Page(call));
                    self.needed(step)
                }
            },
            Call::Write(mut call) => match call.next(answers) {
                Step::Done(written) => printed(written, |written| {
                    let made = written.made.iter();
                    let made: String = made
                        .map(|one| format!("\n  {} = {}", one.attribute, value::shown(&one.value)))
                        .collect();
                    format!(
                        "{}: {}{made}",
                        written.operation,
                        written.changes.join(", ")
                    )
                }),
                step @ (Step::Ask(_) | Step::Pause(_)) => {
                    self.call = Some(Call::Write(call));
                    self.needed(step)
                }
            },
            Call::Together(mut call) => match call.next(answers) {
                Step::Done(done) => printed(done, |done| {
                    let each = done.writes.iter().map(|one| one.changes.join(", "));
                    format!(
                        "{}: {}",
                        done.operation,
                        each.collect::<Vec<_>>().join("; ")
                    )
                }),
                step @ (Step::Ask(_) | Step::Pause(_)) => {
                    self.call = Some(Call::Together(call));
                    self.needed(step)
                }
            },
            Call::Many(mut call) => match call.next(answers) {
                Step::Done(done) => printed(done, |done| format!("{} requests", done.requests)),
                step @ (Step::Ask(_) | Step::Pause(_)) => {
                    self.call = Some(Call::Many(call));
                    self.needed(step)
                }
            },
            Call::Tables(mut call) => match call.next(answers) {
                Step::Done(outcomes) => printed(outcomes, |outcomes| format!("{outcomes:?}")),
                step @ (Step::Ask(_) | Step::Pause(_)) => {
                    self.call = Some(Call::Tables(call));
                    self.needed(step)
                }
            },
        }
    }

    /// What an unfinished call needs.
    fn needed<T>(&mut self, step: Step<T>) -> String {
        match step {
            Step::Ask(requests) => {
                self.asked = requests.iter().map(Request::operation).collect();
                let lines: Vec<String> = requests.iter().map(printed_request).collect();
                format!("ask {}", lines.join("\n  & "))
            }
            Step::Pause(pause) => format!("pause {}..={} ms", pause.least_ms, pause.most_ms),
            Step::Done(_) => unreachable!("a finished call is printed"),
        }
    }

    fn answer(&mut self, text: &str) -> Result<String, Box<dyn Error>> {
        let asked = std::mem::take(&mut self.asked);
        let texts: Vec<&str> = text.split(" & ").collect();
        if texts.len() != asked.len() {
            return Err(format!("{} requests wait for an answer", asked.len()).into());
        }
        let answers = texts.into_iter().zip(asked);
        let answers: Result<Vec<_>, _> = answers.map(|(text, of)| answer(text, of)).collect();
        Ok(self.step(answers?))
    }
}

fn printed<T>(result: Result<T, ClientError>, print: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(result) => format!("done {}", print(result)),
        Err(error) => format!("error {error}"),
    }
}

fn printed_request(request: &Request) -> String {
    let mut json = Vec::new();
    keyfold_wire::client::encode_request(&mut json, request);
    let json = String::from_utf8(json).unwrap();
    format!("{} {json}", request.operation().name())
}

fn printed_page(page: &Page) -> String {
    let item = |item: &FoundItem| {
        let members = item.attributes.iter();
        let members: Vec<String> = members
            .map(|(name, held)| format!("{name} = {}", value::shown(held)))
            .collect();
        format!("\n  {} {}", item.kind, members.join(", "))
    };
    let items: String = page.items.iter().map(item).collect();
    let next = match &page.next {
        None => String::new(),
        Some(key) => {
            let mut json = Vec::new();
            keyfold_wire::encode::encode_item(&mut json, key);
            format!("\n  next {}", String::from_utf8(json).unwrap())
        }
    };
    format!("{} requests{items}{next}", page.requests)
}

/// The answer that a text describes.
fn answer(
    text: &str,
    operation: Operation,
) -> Result<Result<Response, ClientError>, Box<dyn Error>> {
    let (text, is_stored) = match text.strip_suffix(" of a stored item") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let refused = |kind: ErrorKind, reasons: Vec<(ReasonCode, Option<String>)>| {
        let failed = |(code, _): &(ReasonCode, _)| *code == ReasonCode::ConditionalCheckFailed;
        let at = reasons.iter().position(failed).unwrap_or_default();
        ClientError::Service {
            kind: Some(kind),
            exception: kind.exception().to_owned(),
            message: "as the script says".to_owned(),
            reasons,
            found: is_stored.then_some(at).into_iter().collect(),
        }
    };
    let mut words = text.split(' ');
    Ok(match words.next() {
        Some("conflict") => Err(refused(ErrorKind::TransactionConflict, Vec::new())),
        Some("lost") => Err(ClientError::OutcomeUnknown {
            why: "the connection broke".to_owned(),
            check: String::new(),
        }),
        Some("cancelled") => {
            let reasons = words.map(|code| (ReasonCode::of(code), None)).collect();
            Err(refused(ErrorKind::TransactionCanceled, reasons))
        }
        Some(word) if !word.starts_with('{') => {
            let kind = ErrorKind::of_exception(word).ok_or("no such exception")?;
            Err(refused(kind, Vec::new()))
        }
        Some(_) | None => Ok(
            keyfold_wire::client::decode_response(operation, text.as_bytes())
                .map_err(|_| format!("no answer of {}: {text}", operation.name()))?,
        ),
    })
}

/// The arguments of a text such as `name=text other=text`.
fn given(text: &str) -> Given {
    let pairs = text.split(' ').filter_map(|word| word.split_once('='));
    pairs
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect()
}

impl goldenscript::Runner for Script {
    type Command = goldenscript::Command;

    fn run(
        &mut self,
        command: &goldenscript::Command,
        _context: &goldenscript::Context,
    ) -> Result<String, Box<dyn Error>> {
        let (name, rest) = command.name.split_once(' ').unwrap_or((&command.name, ""));
        let (subject, others) = rest.split_once(' ').unwrap_or((rest, ""));
        let printed = match name {
            "model" => self.load(subject)?,
            "page" => self.page(subject, given(others))?,
            "ensure" => self.begin(Call::Tables(tables::ensure(ORIGIN, self.model()))),
            "answer" => self.answer(rest)?,
            "waited" => self.step(Vec::new()),
            "together" => self.together(rest)?,
            verb @ ("puts" | "deletes") => self.many(verb, rest)?,
            verb => self.write(verb, subject, &given(others))?,
        };
        Ok(if printed.is_empty() {
            printed
        } else {
            printed + "\n"
        })
    }
}

#[test]
fn scripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testscripts");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let mut script = Script {
                folder: folder.clone(),
                ..Script::default()
            };
            goldenscript::run(&mut script, &path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            count += 1;
        }
    }
    assert!(count >= 3, "scripts are missing: found {count}");
}
