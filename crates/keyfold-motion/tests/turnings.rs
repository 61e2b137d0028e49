//! A table is switched to and fro between two engines in many worlds: programs try to write to both sides,
//! requests fail, answers are lost or late, processes are killed, and two switch at once. Whenever a side takes a
//! write, it has all that was taken before, on whichever side; and no change is applied twice.
//!
//! Switches that are wrong in one rule each are found.
//!
//! `KEYFOLD_TURNING_WORLDS` is the number of worlds, 100 by default; `KEYFOLD_TURNING_WORLD` plays the one with that
//! number.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod turning;

use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, ErrorKind, KeySchemaElement, KeyType,
    Named, ScalarAttributeType, StreamSpecification, StreamViewType,
};
use keyfold_client::{Backend, ClientError};
use turning::{Mutant, Seen, Simulation};

fn worlds() -> u64 {
    std::env::var("KEYFOLD_TURNING_WORLDS").map_or(100, |text| text.parse().unwrap())
}

/// Makes the table, with a stream.
fn make_table(backend: &Backend, table: &str) {
    let input = CreateTableInput {
        table_name: Some(table.to_owned()),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: Some("id".to_owned()),
            attribute_type: Some(Named::Known(ScalarAttributeType::S)),
        }]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: Some("id".to_owned()),
            key_type: Some(Named::Known(KeyType::Hash)),
        }]),
        billing_mode: Some(Named::Known(BillingMode::PayPerRequest)),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(Named::Known(StreamViewType::NewAndOldImages)),
        }),
        ..CreateTableInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn service(kind: ErrorKind) -> ClientError {
    ClientError::Service {
        kind: Some(kind),
        exception: String::new(),
        message: kind.exception().to_owned(),
        reasons: Vec::new(),
        found: Vec::new(),
    }
}

fn run(seed: u64, mutant: Option<Mutant>) -> Result<Seen, String> {
    Simulation::new(seed, mutant).carry_out()
}

#[test]
fn a_side_that_takes_writes_has_all_that_were_taken() {
    if let Ok(seed) = std::env::var("KEYFOLD_TURNING_WORLD") {
        run(seed.parse().unwrap(), None).unwrap();
        return;
    }
    let mut sum = Seen::default();
    for seed in 0..worlds() {
        let seen = run(seed, None).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        sum.processes += seen.processes;
        sum.kills += seen.kills;
        sum.writes += seen.writes;
        sum.refused += seen.refused;
    }
    println!("{} worlds: {sum:?}", worlds());
    assert!(sum.kills > worlds() / 4, "too few processes were killed");
    assert!(sum.refused > worlds(), "too few writes were refused");
}

#[test]
fn wrong_switches_are_found() {
    // Each with the world that found it last, which is played first: the search for it takes minutes.
    for (mutant, last) in [
        (Mutant::NoDrain, 0),
        (Mutant::MarkBeforeRefusal, 0),
        (Mutant::BothLifted, 0),
        (Mutant::AppliedTwice, 12),
        (Mutant::NoFence, 2),
        (Mutant::TakenAsItWas, 895),
    ] {
        let found = std::iter::once(last).chain(0..1_000).find_map(|seed| {
            let why = run(seed, Some(mutant)).err()?;
            // Runs that do not give way to each other may go on without an end, too.
            let is_damage = ["instead of", "applied again"]
                .iter()
                .any(|one| why.contains(one));
            is_damage.then_some((seed, why))
        });
        let (seed, why) = found.unwrap_or_else(|| panic!("{mutant:?} is not found"));
        println!("{mutant:?} is found in world {seed}: {why}");
    }
}
