//! Golden scripts over the engine, in DynamoDB's own JSON: `> PutItem {...}`. Each runs on the
//! memory store and on the durable one; the first difference between them fails.
//!
//! `> advance SECONDS` advances the clock, `> work` does the background work. `$iterator`, `$stream`
//! and `$shard` stand for the value in the last answer that had one.
//!
//! `[plan]` prints the plan of a query, `[ops]` the store reads of a command.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{CountingRandom, ManualClock};
use keyfold_api::{ApiError, Operation, Request};
use keyfold_engine::{Durability, Engine, EngineOptions, Environment, StoreOptions};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

struct Runner {
    engines: Vec<Engine>,
    clock: Arc<ManualClock>,
    /// The values of `$name`.
    last: BTreeMap<&'static str, String>,
    _folder: tempfile::TempDir,
}

impl Runner {
    fn new() -> Runner {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::new();
        let durable = StoreOptions::folder(folder.path().join("data"), Durability::Synced);
        let open = |store| {
            let environment = Environment {
                clock: clock.clone(),
                random: CountingRandom::new(),
            };
            Engine::open(EngineOptions {
                environment,
                background: false,
                ..EngineOptions::new(store)
            })
            .unwrap()
        };
        let engines = vec![open(StoreOptions::Memory), open(durable)];
        Runner {
            engines,
            clock,
            last: BTreeMap::new(),
            _folder: folder,
        }
    }

    fn execute(engine: &Engine, name: &str, json: &str, tags: &[&str]) -> String {
        let mut out = Vec::new();
        let mut plan = String::new();
        let before = engine.store_counts();
        let operation = Operation::ALL
            .iter()
            .find(|operation| operation.name() == name);
        let request = operation
            .copied()
            .ok_or(ApiError::UnknownOperation(None))
            .and_then(|operation| Ok(keyfold_wire::decode(operation, json.as_bytes())?));
        let outcome = request.and_then(|request| {
            if let (true, Request::Query(input)) = (tags.contains(&"plan"), &request) {
                plan = format!("{}\n", engine.plan_query(input.clone())?);
            }
            engine.execute(request).wait()
        });
        match outcome {
            Ok(response) => keyfold_wire::encode_response(&mut out, &response),
            Err(error) => keyfold_wire::encode_error(&mut out, &error),
        }
        let body = String::from_utf8(out).unwrap();
        let body = body
            .replace("com.amazonaws.dynamodb.v20120810#", "")
            .replace("com.amazon.coral.validate#", "");
        let mut text = format!("{plan}{body}\n");
        if tags.contains(&"ops") {
            let after = engine.store_counts();
            text.push_str(&format!(
                "gets {}, ranges {}, steps {}\n",
                after.gets - before.gets,
                after.range_opens - before.range_opens,
                after.range_steps - before.range_steps
            ));
        }
        text
    }
}

impl goldenscript::Runner for Runner {
    type Command = goldenscript::Command;

    fn run(
        &mut self,
        command: &Self::Command,
        context: &goldenscript::Context,
    ) -> Result<String, Box<dyn Error>> {
        let (name, rest) = command
            .name
            .split_once(' ')
            .unwrap_or((&command.name, "{}"));
        if name == "advance" {
            self.clock.advance(rest.parse::<u64>()? * 1000);
            return Ok(String::new());
        }
        if name == "work" {
            self.engines.iter().try_for_each(Engine::work)?;
            return Ok(String::new());
        }
        let rest = self
            .last
            .iter()
            .fold(rest.to_owned(), |rest, (name, text)| {
                rest.replace(&format!("${name}"), text)
            });
        let tags: Vec<&str> = context.tags.iter().map(String::as_str).collect();
        let answers: Vec<String> = self
            .engines
            .iter()
            .map(|engine| Self::execute(engine, name, &rest, &tags))
            .collect();
        assert!(
            answers.windows(2).all(|pair| pair[0] == pair[1]),
            "the stores differ: {answers:#?}"
        );
        let answer = answers.into_iter().next().unwrap();
        for (name, member) in [
            ("iterator", "\"ShardIterator\":\""),
            ("iterator", "\"NextShardIterator\":\""),
            ("stream", "\"LatestStreamArn\":\""),
            ("shard", "\"ShardId\":\""),
            ("backup", "\"BackupArn\":\""),
            ("token", "\"NextToken\":\""),
        ] {
            if let Some((_, rest)) = answer.split_once(member) {
                self.last
                    .insert(name, rest.split('"').next().unwrap().to_owned());
            }
        }
        Ok(answer)
    }
}

#[test]
fn scripts() {
    let mut count = 0;
    let mut paths: Vec<_> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/testscripts"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        goldenscript::run(&mut Runner::new(), &path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        count += 1;
    }
    assert!(count >= 8, "scripts are missing: found {count}");
}
