//! `keyfold demo`: shows the e-commerce design from model to answer, then serves it.

use super::{run as run_command, serve};
use crate::backend;
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::terminal::{self, FAINT, Length, STRONG};
use clap::Args;
use keyfold_client::arguments::{self, Values};
use keyfold_client::read::{Found, Pages};
use keyfold_client::{Backend, PageRequest, read, tables, write};
use keyfold_codegen::chart::whole_promise;
use keyfold_model::{Model, Pattern, Sources};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The model of the repository, so that the demo also runs outside of it.
const SHOP: &str = include_str!("../../../../models/shop.keyfold");
const SHOP_PATH: &str = "models/shop.keyfold";

#[derive(Args)]
pub(crate) struct Arguments {
    /// The data folder, which is created if it is absent.
    #[arg(long, value_name = "DIR", default_value = ".keyfold/demo")]
    data: PathBuf,
    /// End after the patterns, without a server.
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    listen: super::listen::Listen,
}

/// The sample: entities with their attributes, few enough to check the answers by eye.
const SAMPLE: &[(&str, &str)] = &[
    (
        "User",
        "userId=u1 email=ada@example.com name=Ada createdAt=2024-01-02",
    ),
    (
        "User",
        "userId=u2 email=grace@example.com name=Grace createdAt=2024-01-05",
    ),
    ("Product", "productId=p1 name=Lamp price=39.90 stock=12"),
    ("Product", "productId=p2 name=Desk price=249 stock=3"),
    ("Product", "productId=p3 name=Chair price=119.50 stock=7"),
    (
        "Order",
        "orderId=o1 userId=u1 createdAt=2024-02-01T09:30:00Z total=288.90 status=shipped",
    ),
    (
        "Order",
        "orderId=o2 userId=u1 createdAt=2024-03-15T18:05:00Z total=39.90 status=pending",
    ),
    (
        "Order",
        "orderId=o3 userId=u2 createdAt=2024-03-16T07:45:00Z total=239 status=pending",
    ),
    (
        "OrderItem",
        "orderId=o1 itemId=1 productId=p1 quantity=1 price=39.90",
    ),
    (
        "OrderItem",
        "orderId=o1 itemId=2 productId=p2 quantity=1 price=249",
    ),
    (
        "OrderItem",
        "orderId=o2 itemId=1 productId=p1 quantity=1 price=39.90",
    ),
    (
        "OrderItem",
        "orderId=o3 itemId=1 productId=p3 quantity=2 price=119.50",
    ),
];

/// The patterns that are shown, with their arguments.
const SHOWN: &[(&str, &str)] = &[
    ("user", "userId=u1"),
    ("user_by_email", "email=grace@example.com"),
    ("orders_of_user", "userId=u1"),
    ("order_with_items", "orderId=o1"),
    ("items_of_order", "orderId=o1"),
    ("product", "productId=p2"),
    ("orders_by_status", "status=pending"),
    ("recent_orders", "userId=u1 since=2024-03-01"),
    ("recent_orders_by_status", "status=pending since=2024-03-16"),
];

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let path = Path::new(SHOP_PATH);
    let model = if path.exists() {
        model_file::load(path, output)?
    } else {
        model_file::compile(Sources::of_text(SHOP_PATH, SHOP), output)?
    };
    let engine = backend::engine(Some(&arguments.data))?;
    let embedded = Backend::Embedded(Arc::clone(&engine));
    tables::ensure(&embedded, &model)?;
    load(&embedded, &model)?;
    if arguments.once {
        let answers = answers(&embedded, &model)?;
        output.result(
            || json!({ "patterns": documents(&answers) }),
            || show(&model, &answers),
        );
        return Ok(());
    }
    drop(embedded);
    let place = arguments.data.display().to_string();
    serve::start(
        Arc::clone(&engine),
        &arguments.listen,
        arguments.listen.config()?,
        |(address, _)| {
            let answers = answers(&Backend::Embedded(engine), &model)?;
            output.result(
                || {
                    let endpoint = format!("{}://{address}", serve::scheme(&arguments.listen));
                    json!({ "patterns": documents(&answers), "endpoint": endpoint, "data": place })
                },
                || {
                    show(&model, &answers);
                    serve::how_to_connect(&arguments.listen, "us-east-1", address, &place);
                    terminal::line(&format!(
                        "{FAINT}  try:          keyfold run {SHOP_PATH} orders_of_user userId=u1 --endpoint http://{address}{FAINT:#}"
                    ));
                },
            );
            Ok(())
        },
    )
}

/// The arguments of a text, separated by spaces.
fn given(text: &str) -> Result<BTreeMap<String, String>, Failure> {
    Ok(text
        .split(' ')
        .filter(|one| !one.is_empty())
        .map(arguments::split)
        .collect::<Result<_, _>>()?)
}

fn load(backend: &Backend, model: &Model) -> Result<(), Failure> {
    for (name, attributes) in SAMPLE {
        let entity = super::written::entity(model, name, Path::new(SHOP_PATH))?;
        let values: Values = arguments::of_entity(entity, &given(attributes)?)?;
        write::put(backend, model, entity, &values)?;
    }
    Ok(())
}

/// A pattern with its arguments and its answer.
struct Answer<'m> {
    pattern: &'m Pattern,
    arguments: &'static str,
    found: Found,
}

/// Asks each pattern.
fn answers<'m>(backend: &Backend, model: &'m Model) -> Result<Vec<Answer<'m>>, Failure> {
    let known = SHOWN
        .iter()
        .filter_map(|(name, arguments)| Some((model.pattern(name)?, *arguments)));
    known
        .map(|(pattern, arguments)| {
            let values = arguments::of_pattern(pattern, &given(arguments)?)?;
            let start = PageRequest::default();
            let found = read::run(backend, model, pattern, &values, &start, Pages::All)?;
            Ok(Answer {
                pattern,
                arguments,
                found,
            })
        })
        .collect()
}

fn documents(answers: &[Answer<'_>]) -> Vec<Json> {
    let document = |one: &Answer<'_>| run_command::report(one.pattern, &one.found);
    answers.iter().map(document).collect()
}

fn show(model: &Model, answers: &[Answer<'_>]) {
    let table = model.tables.first().map_or("", |table| table.name.as_str());
    terminal::line(&format!(
        "{STRONG}One table, every question one request{STRONG:#}  {FAINT}{SHOP_PATH} on the table {table}, {} entities loaded{FAINT:#}",
        SAMPLE.len()
    ));
    for Answer {
        pattern,
        arguments,
        found,
    } in answers
    {
        terminal::line(&format!(
            "\n{STRONG}{}{STRONG:#}({})  {FAINT}-> {}{FAINT:#}",
            pattern.name,
            arguments.replace(' ', ", "),
            whole_promise(model, pattern)
        ));
        run_command::show("  ", pattern, model, found, Length::Clipped);
    }
    terminal::line("");
}
