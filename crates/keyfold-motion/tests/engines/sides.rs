//! A move that is switched between two engines, and programs that write to both sides.

use super::{Engines, TABLE, engine, make_table, put};
use keyfold_api::{
    ErrorKind, ExpressionAttributes, GetItemInput, GetResourcePolicyInput, Response,
    UpdateItemInput,
};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_motion::switch::{Step, Switched, Switching, switch};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Force, Options, Progress, tables};
use keyfold_types::{Item, Value};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const PROGRAM: &str = "a-program/1";

pub(crate) fn options() -> Options {
    Options {
        settle_time: Duration::ZERO,
        ..Options::new(TABLE)
    }
}

pub(crate) fn switching(to: Place) -> Switching {
    let at_once = Force {
        steady: Duration::ZERO,
        most: Duration::ZERO,
    };
    Switching {
        to,
        connections: ["http://old", "http://new"].map(str::to_owned),
        forces: Some([at_once; 2]),
        counts_are_exact: true,
    }
}

/// A move that has copied its table, which has some items.
pub(crate) fn copied() -> Arc<Engines> {
    let source = engine();
    make_table(&source, true);
    for number in 0..20 {
        put(&source, number, "text");
    }
    let world = Engines::new(source, engine());
    let until_even = Options {
        until_even: true,
        ..options()
    };
    world.carry(&until_even, &Arc::default()).unwrap();
    world
}

pub(crate) fn shared(world: &Arc<Engines>) -> Arc<dyn World> {
    Arc::clone(world) as Arc<dyn World>
}

pub(crate) fn switched(world: &Arc<Engines>, to: Place) -> Result<Switched, ClientError> {
    blocked(switch(
        shared(world),
        &options(),
        &switching(to),
        &|_: Step| {},
    ))
}

/// Appends a number to the list of an item, as a program.
pub(crate) fn append(backend: &Backend, item: u64, number: i64) -> Result<(), ClientError> {
    let input = UpdateItemInput {
        table_name: Some(TABLE.to_owned()),
        key: Some(Ok(Item::from_iter([("id", format!("l{item}"))]))),
        update_expression: Some("SET l = list_append(if_not_exists(l, :none), :one)".to_owned()),
        expression_attributes: ExpressionAttributes::default()
            .value(":none", Value::L(vec![]))
            .value(":one", Value::L(vec![Value::from(number)])),
        ..UpdateItemInput::default()
    };
    backend.call_as(PROGRAM, input.into()).map(drop)
}

pub(crate) fn read(backend: &Backend, item: u64) -> Vec<i64> {
    let input = GetItemInput {
        table_name: Some(TABLE.to_owned()),
        key: Some(Ok(Item::from_iter([("id", format!("l{item}"))]))),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    let Response::GetItem(found) = backend.call(input.into()).unwrap() else {
        panic!("another answer");
    };
    let found = found.item.map(|item| item.to_item());
    match found.as_ref().and_then(|item| item.get("l")) {
        Some(Value::L(values)) => {
            let number = |value: &Value| match value {
                Value::N(number) => number.to_i64().unwrap(),
                other => panic!("{other:?}"),
            };
            values.iter().map(number).collect()
        }
        _ => Vec::new(),
    }
}

pub(crate) fn is_denied(error: &ClientError) -> bool {
    error.kind() == Some(ErrorKind::AccessDenied)
}

/// Which sides take writes of programs, by a write that changes nothing.
pub(crate) fn open_sides(world: &Engines) -> [bool; 2] {
    [Place::Source, Place::Target].map(|place| {
        let input = keyfold_api::DeleteItemInput {
            table_name: Some(TABLE.to_owned()),
            key: Some(Ok(Item::from_iter([("id", "none")]))),
            ..keyfold_api::DeleteItemInput::default()
        };
        let answer = world.of(place).call_as(PROGRAM, input.into());
        answer.is_ok()
    })
}

/// The items of both sides, as they are compared.
pub(crate) fn differences(world: &Engines) -> usize {
    let found = blocked(tables::look(world, TABLE)).unwrap();
    let comparison = keyfold_motion::verify::Comparison {
        table: TABLE.to_owned(),
        schema: found.schema,
        page: None,
        lag: Duration::ZERO,
        rate: None,
        most: 100,
    };
    let progress = Progress::default();
    let compared = blocked(keyfold_motion::verify::compare(
        world,
        &comparison,
        &progress,
    ));
    compared.unwrap().differences.len()
}

pub(crate) fn policy(backend: &Backend) -> Option<String> {
    let input = GetResourcePolicyInput {
        resource_arn: Some(format!(
            "arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}"
        )),
    };
    match backend.call(input.into()) {
        Ok(Response::GetResourcePolicy(found)) => found.policy,
        _ => None,
    }
}
