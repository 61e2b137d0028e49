//! Writers of every kind on the same few items at once: whatever they leave is as the model says.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::Place;
use keyfold_client::verify::{self, Finding, Observer, Options};
use keyfold_client::{ClientError, PageRequest, arguments, read, write};
use keyfold_model::{Entity, Type};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The seeds of each model; `RACES=300` tries more.
const SEEDS: u64 = 10;

/// Items that move, with copies that come and go, guards, parts and what counts them.
const MEMBERS: &str = r##"
model races 1
table Tab (PK, SK) type kind
  gsi GSI1 (A, B)
entity Team
  team: string, note: string?
  key  "TEAM#{team}" "TEAM"
  count members of Member by team
  count guests of Member by host
  sum   points of Member.score by team where state = open
  max   best of Member.score by team
entity Member
  id: string, team: Team.team, host: Team.team?, score: int, email: string, nick: string?
  state: open | "on-hold" | done = open
  tags: list of string?
  seenAt: time = now always
  key   "MEMBERS#{team}" "{score:06}#{id}"
  id    id
  GSI1  "STATE#{state}" "{seenAt}#{id}" sparse when nick
  copy  top "TOP#{team}" "{score:06:reverse}#{id}" only nick, score when state in (open, "on-hold") and exists nick
  copy  mail "MAIL#{email:lower}" "{id}" when score > 2
  unique lower(email), (team, nick)
  version v
  split tags by 2
entity Plain
  id: string, team: Team.team, n: int, live: bool, note: string?
  key   "PLAIN#{id}" "PLAIN"
  copy  live "LIVE#{team}" "{n:06}#{id}" when live = true
  unique note
pattern member(id) -> Member?
pattern members(team) -> Member[] highest
pattern top(team) -> Member.top[]
write bump(id, more: int)
  update Member set score = score + more when score < 40
write shift(id, team, state)
  update Member set team = team, state = state
write edit(id, email?, nick?, host?)
  update Member set email = email, nick = nick, host = host
write upsert(id, email, host, more: int)
  create or update Member set score = score + more, email = email else score = 1, email = email, host = host
write leave(id)
  delete Member when state <> done
write both(id)
  create Member
  create Plain as p
write part(id)
  delete Member
  update Plain as p set live = false, n = n + 1
write plain(id, more: int, note)
  create or update Plain set n = n + more, note = note else n = more, note = note
write meet(id)
  check Member when state = open
  update Plain as p set live = true
"##;

/// Optional attributes in guards, copies and index keys, two items in one write.
const PAIRS: &str = r##"
model pairs 1
table Tab (PK, SK) type kind
  gsi GSI1 (A, B)
entity P
  id: string, a: string?, b: string?
  key "P#{id}" "P"
  GSI1 "X#{a}" "{b}"
  copy one "ONE#{a}" "{id}" when exists a
  copy two "TWO#{id}" "{b}" when a = b and exists b
  unique a, (a, b), lower(b)
pattern p(id) -> P?
pattern by(a, b) -> P[]
pattern one(a) -> P.one[]
write s(id, a?, b?)
  create or update P set a = a, b = b
write x(a, b)
  update P as p set a = a, b = b
  update P as q remove a, b
write y(id)
  update P set a = b, b = {a} when exists a and exists b
"##;

/// Parents and children made, moved and deleted in one write.
const SCORES: &str = r##"
model scores 1
table Tab (PK, SK) type kind
entity P
  id: string, n2: int
  key "P#{id}" "P"
  max best of C.score
  count c of C
entity C
  cid: string, id: P.id, score: int, state: on | off
  key "P#{id}" "C#{score:08}#{cid}"
  id cid
pattern p(id) -> P + C[]
write w(id, cid, score, state)
  create or update P set n2 = 1
  create C
write w2(id, cid, score, state, n2)
  put P
  create C
write w3(id, cid, score, n2, state)
  create P
  create or update C set score = score else score = 3
write w4(id, cid, score, n2)
  update P set n2 = n2
  update C set score = score
write w5(id, cid)
  delete C
  delete P
write w6(cid, id)
  update C set id = id, score = score + 1
  check P
"##;

#[derive(Default)]
struct Seen(Vec<Finding>);

impl Observer for Seen {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        self.0.push(finding.clone());
        Ok(())
    }
}

fn findings(place: &Place) -> Vec<Finding> {
    let tables = verify::sizes(&place.backend, &place.model).unwrap();
    let mut seen = Seen::default();
    let options = Options::default();
    verify::run(&place.backend, &place.model, &tables, &options, &mut seen).unwrap();
    seen.0
}

/// A value of few, as an argument, so that the writers meet. Inside JSON a text has quotes.
fn value(rng: &mut fastrand::Rng, kind: &Type, in_json: bool) -> String {
    let quoted = |text: &str| {
        if in_json {
            format!("\"{text}\"")
        } else {
            text.to_owned()
        }
    };
    let pick = |rng: &mut fastrand::Rng, all: &[&str]| all[rng.usize(..all.len())].to_owned();
    match kind {
        Type::String => {
            let text = pick(rng, &["a", "A", "ab", "b#", "x", "\u{130}"]);
            quoted(&text)
        }
        Type::Int => pick(rng, &["0", "1", "2", "3", "30"]),
        Type::Number => pick(rng, &["0", "1.5", "-1", "30"]),
        Type::Bool => pick(rng, &["true", "false"]),
        Type::Time(_) => quoted(&pick(
            rng,
            &[
                "2024-01-01T00:00:00Z",
                "2024-01-31T23:59:59Z",
                "2024-02-01T00:00:00Z",
            ],
        )),
        Type::Date => quoted(&pick(rng, &["2024-01-01", "2024-01-31", "2024-02-01"])),
        Type::Words(words) => quoted(&words[rng.usize(..words.len())]),
        Type::List(of) | Type::Set(of) => {
            let mut all: Vec<String> = (0..rng.usize(1..5)).map(|_| value(rng, of, true)).collect();
            if matches!(kind, Type::Set(_)) {
                all.sort();
                all.dedup();
            }
            format!("[{}]", all.join(","))
        }
        Type::Map(of) => format!("{{\"k\":{}}}", value(rng, of, true)),
        Type::Record(record) => {
            let mut fields = Vec::new();
            for (name, kind, optional) in &record.fields {
                if !optional || rng.bool() {
                    fields.push(format!("\"{name}\":{}", value(rng, kind, true)));
                }
            }
            format!("{{{}}}", fields.join(","))
        }
        Type::Ulid => quoted(&pick(
            rng,
            &["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVRZ"],
        )),
        Type::Uuid => quoted(&pick(
            rng,
            &[
                "00000000-0000-0000-0000-000000000000",
                "10000000-0000-0000-0000-000000000000",
            ],
        )),
        Type::Period(_) | Type::Binary => quoted("AA=="),
    }
}

type Texts = BTreeMap<String, String>;

/// Values of an entity's attributes: of all that are required where `all` is true, of its key and
/// some others otherwise.
fn attributes(rng: &mut fastrand::Rng, entity: &Entity, all: bool) -> Texts {
    let mut texts = Texts::new();
    for one in entity.attributes.iter().filter(|one| !one.is_kept) {
        let is_given = if all {
            !one.optional
        } else {
            entity.identifies(&one.name)
        };
        if is_given || rng.u8(..3) == 0 {
            texts.insert(one.name.clone(), value(rng, &one.kind, false));
        }
    }
    texts
}

/// One write of any kind, with what it is called.
fn one(place: &Place, rng: &mut fastrand::Rng) -> (String, Result<(), ClientError>) {
    let Place { model, backend } = place;
    let entity = &model.entities[rng.usize(..model.entities.len())];
    let key = |rng: &mut fastrand::Rng| {
        let mut texts = attributes(rng, entity, false);
        texts.retain(|name, _| entity.identifies(name));
        texts
    };
    let (what, texts, done) = match rng.u8(..10) {
        0 => {
            let texts = attributes(rng, entity, true);
            let done = arguments::of_entity(entity, &texts)
                .and_then(|values| write::put(backend, model, entity, &values));
            ("put", texts, done)
        }
        1 => {
            let texts = attributes(rng, entity, true);
            let done = arguments::of_entity(entity, &texts)
                .and_then(|values| write::create(backend, model, entity, &values));
            ("create", texts, done)
        }
        2 => {
            let texts = attributes(rng, entity, false);
            let optional = entity
                .attributes
                .iter()
                .filter(|one| one.optional && !one.is_kept);
            let mut removed: Vec<String> = optional.map(|one| one.name.clone()).collect();
            removed.retain(|name| !texts.contains_key(name) && rng.bool());
            let done = arguments::some_of_entity(entity, &texts)
                .and_then(|values| write::update(backend, model, entity, &values, &removed));
            ("update", texts, done)
        }
        3 => {
            let texts = key(rng);
            let done = arguments::some_of_entity(entity, &texts)
                .and_then(|values| write::delete(backend, model, entity, &values));
            ("delete", texts, done)
        }
        _ => {
            let write = &model.writes[rng.usize(..model.writes.len())];
            let mut texts = Texts::new();
            for parameter in &write.parameters {
                if !parameter.optional || rng.bool() {
                    texts.insert(parameter.name.clone(), value(rng, &parameter.kind, false));
                }
            }
            let done = arguments::of_write(write, &texts)
                .and_then(|values| write::run(backend, model, write, &values));
            (write.name.as_str(), texts, done)
        }
    };
    (
        format!("{} {what} {texts:?}", entity.name),
        done.map(|_| ()),
    )
}

/// What is stored is as the model says, and every pattern is answered.
fn check(place: &Place, rng: &mut fastrand::Rng, log: &[String]) {
    let found = findings(place);
    assert!(found.is_empty(), "{found:#?}\n{}", log.join("\n"));
    for pattern in &place.model.patterns {
        for _ in 0..5 {
            let mut texts = Texts::new();
            for parameter in &pattern.parameters {
                if !matches!(parameter.kind, Type::Period(_)) {
                    texts.insert(parameter.name.clone(), value(rng, &parameter.kind, false));
                }
            }
            let Ok(values) = arguments::of_pattern(pattern, &texts) else {
                continue;
            };
            let start = PageRequest::default();
            match read::run(
                &place.backend,
                &place.model,
                pattern,
                &values,
                &start,
                read::Pages::All,
            ) {
                Ok(_) | Err(ClientError::NotFound(_) | ClientError::Value(_)) => {}
                Err(error) => panic!("{} {texts:?}: {error:?}\n{}", pattern.name, log.join("\n")),
            }
        }
    }
}

/// The models with the seeds to try.
fn tried() -> impl Iterator<Item = (&'static str, u64)> {
    let seeds = std::env::var("RACES").ok();
    let seeds = seeds.and_then(|text| text.parse().ok()).unwrap_or(SEEDS);
    let models = [MEMBERS, PAIRS, SCORES].into_iter();
    models.flat_map(move |model| (0..seeds).map(move |seed| (model, seed)))
}

/// Whether a write may end so.
fn is_expected(done: &Result<(), ClientError>) -> bool {
    !matches!(
        done,
        Err(ClientError::Service { .. } | ClientError::Unknown(_))
    )
}

#[test]
fn one_writer_leaves_what_the_model_says() {
    for (model, seed) in tried() {
        let place = Place::new(model);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut log = vec![format!("seed {seed}")];
        for _ in 0..60 {
            let (what, done) = one(&place, &mut rng);
            log.push(format!("{what}: {done:?}"));
            assert!(is_expected(&done), "{}", log.join("\n"));
        }
        check(&place, &mut rng, &log);
    }
}

#[test]
fn writers_at_once_leave_what_the_model_says() {
    for (model, seed) in tried() {
        let place = Place::new(model);
        let log = Mutex::new(vec![format!("seed {seed}")]);
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let (place, log) = (&place, &log);
                scope.spawn(move || {
                    let mut rng = fastrand::Rng::with_seed(seed * 4 + writer);
                    for _ in 0..25 {
                        let (what, done) = one(place, &mut rng);
                        log.lock()
                            .unwrap()
                            .push(format!("{writer} {what}: {done:?}"));
                    }
                });
            }
        });
        let log = log.into_inner().unwrap();
        check(&place, &mut fastrand::Rng::with_seed(seed), &log);
    }
}
