//! Tests `keyfold prove --endpoint`: a proof in tables of its own, which it deletes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{ListTablesInput, Response};
use keyfold_client::{Backend, tables};
use keyfold_model::compile;
use workplace::Workplace;
use workplace::server::Server;

/// The tables at an endpoint.
fn tables_of(backend: &Backend) -> Vec<String> {
    let answer = backend.call(ListTablesInput::default().into());
    let Ok(Response::ListTables(output)) = answer else {
        panic!("{answer:?}");
    };
    output.table_names.unwrap()
}

/// Aggregates, periods, shards and transactions meet in these models.
#[test]
fn models_are_proved_at_an_endpoint_that_keeps_only_its_own_tables() {
    let (place, server) = (Workplace::new(), Server::start(&[]));
    let compiled =
        compile("model m 1\ntable Other (PK)\nentity E\n  id: string\n  key \"E#{id}\"\n");
    tables::ensure(&server.backend(), &compiled.model.unwrap()).unwrap();
    for name in ["shop.keyfold", "santa_spread.keyfold", "readings.keyfold"] {
        let model = Workplace::model(name);
        let size = ["--items", "12", "--asks", "3"];
        let report = place.json(
            0,
            &[
                &["prove", &model, "--endpoint", &server.endpoint],
                &size[..],
            ]
            .concat(),
        );
        assert!(report["rows"].as_u64().unwrap() > 0, "{report}");
        assert_eq!(tables_of(&server.backend()), ["Other"]);
    }
}

#[test]
fn a_proof_beyond_this_machine_begins_after_a_question() {
    let place = Workplace::new();
    let model = Workplace::model("shop.keyfold");
    let output = place.run(&[
        "prove",
        &model,
        "--endpoint",
        "https://dynamodb.example.org",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("write units") && message.contains("nothing was sent"),
        "{message}"
    );
}
