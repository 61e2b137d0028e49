//! Keys and settings of tables on a real engine: each is made, read back and compared.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use keyfold_api::{
    DescribeContinuousBackupsInput, DescribeTimeToLiveInput, ListTagsOfResourceInput,
    PointInTimeRecoveryStatus, ProvisionedThroughputDescription, Response, StreamViewType,
    TableClass, TimeToLiveStatus, known,
};
use keyfold_client::tables::{self, Outcome};
use keyfold_client::{Backend, ClientError};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use std::sync::Arc;

const KEYS: &str = "model m 1\ntable Tab (PK, SK)";
const INDEXES: &str =
    "\n  gsi GSI1 (A, B) capacity 7..70 read 3 write\n  gsi GSI2 (B)\n  lsi Loc (L)\n";
const SETTINGS: &str = "  capacity 5..100 read 4 write at 60 percent
  stream new and old images
  point in time recovery
  deletion protection
  class infrequent access
  tags team = \"orders\", a = \"1\", b = \"2\", c = \"3\", d = \"4\", e = \"5\"
  tags f = \"6\", g = \"7\", h = \"8\", i = \"9\", \"cost:center\" = \"x 1\"
";

fn model(text: &str) -> Model {
    let compiled = keyfold_model::compile(text);
    compiled
        .model
        .unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics))
}

fn full() -> Model {
    model(&format!("{KEYS} ttl expires{INDEXES}{SETTINGS}"))
}

fn backend() -> Backend {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    Backend::Embedded(Arc::new(engine))
}

fn units(description: &Option<ProvisionedThroughputDescription>) -> (i64, i64) {
    let units = description.as_ref().unwrap();
    (
        units.read_capacity_units.unwrap(),
        units.write_capacity_units.unwrap(),
    )
}

#[test]
fn each_setting_is_made() {
    let (backend, model) = (backend(), full());
    let outcomes = tables::ensure(&backend, &model).unwrap();
    assert_eq!(outcomes, [("Tab".to_owned(), Outcome::Created)]);
    assert_eq!(
        tables::notes(&model, &outcomes),
        [
            "table Tab is made with the least of its capacity, 5..100 read 4 write at 60 percent; `keyfold export` has its autoscaling",
            "index GSI1 of table Tab is made with the least of its capacity, 7..70 read 3 write at 70 percent; `keyfold export` has its autoscaling",
        ]
    );
    let table = tables::describe(&backend, "Tab").unwrap().unwrap();
    let stream = table.stream_specification.clone().unwrap();
    assert_eq!(
        (stream.stream_enabled, known(&stream.stream_view_type)),
        (Some(true), Some(StreamViewType::NewAndOldImages))
    );
    assert_eq!(table.deletion_protection_enabled, Some(true));
    let class = table.table_class_summary.clone().unwrap().table_class;
    assert_eq!(known(&class), Some(TableClass::StandardInfrequentAccess));
    assert_eq!(units(&table.provisioned_throughput), (5, 4));
    for index in table.global_secondary_indexes.iter().flatten() {
        let is_first = index.index_name.as_deref() == Some("GSI1");
        let wanted = if is_first { (7, 3) } else { (5, 4) };
        assert_eq!(units(&index.provisioned_throughput), wanted);
    }
    let input = DescribeTimeToLiveInput {
        table_name: Some("Tab".to_owned()),
    };
    let Ok(Response::DescribeTimeToLive(output)) = backend.call(input.into()) else {
        panic!("no expiry")
    };
    let expiry = output.time_to_live_description.unwrap();
    assert_eq!(expiry.attribute_name.as_deref(), Some("expires"));
    assert!(matches!(
        known(&expiry.time_to_live_status),
        Some(TimeToLiveStatus::Enabling | TimeToLiveStatus::Enabled)
    ));
    let input = DescribeContinuousBackupsInput {
        table_name: Some("Tab".to_owned()),
    };
    let Ok(Response::DescribeContinuousBackups(output)) = backend.call(input.into()) else {
        panic!("no backups")
    };
    let recovery = output
        .continuous_backups_description
        .and_then(|backups| backups.point_in_time_recovery_description)
        .unwrap();
    assert_eq!(
        known(&recovery.point_in_time_recovery_status),
        Some(PointInTimeRecoveryStatus::Enabled)
    );
    let input = ListTagsOfResourceInput {
        resource_arn: table.table_arn.clone(),
        next_token: None,
    };
    let Ok(Response::ListTagsOfResource(output)) = backend.call(input.into()) else {
        panic!("no tags")
    };
    // More tags than one answer lists.
    assert!(output.next_token.is_some());
    let again = tables::ensure(&backend, &model).unwrap();
    assert_eq!(again, [("Tab".to_owned(), Outcome::Existing)]);
    assert_eq!(tables::notes(&model, &again), Vec::<String>::new());
}

#[test]
fn a_table_without_the_settings_differs() {
    let backend = backend();
    let plain = model(&format!(
        "{KEYS}\n  gsi GSI1 (A, B)\n  gsi GSI2 (B)\n  lsi Loc (L)\n"
    ));
    tables::ensure(&backend, &plain).unwrap();
    let wanted = model(&format!(
        "{KEYS} ttl expires\n  stream keys\n  point in time recovery\n  deletion protection\n  class infrequent access\n  tags team = \"orders\"\n"
    ));
    let Err(ClientError::TableDiffers { table, differences }) = tables::ensure(&backend, &wanted)
    else {
        panic!("no difference")
    };
    assert_eq!(table, "Tab");
    assert_eq!(
        differences,
        [
            "ttl: the model says expires, the table has none",
            "stream: the model says KEYS_ONLY, the table has none",
            "point in time recovery: the model says on, the table has it off",
            "deletion protection: the model says on, the table has it off",
            "class: the model says STANDARD_INFREQUENT_ACCESS, the table has STANDARD",
            "tag team: the model says \"orders\", the table has none",
        ]
    );
    // What a model does not say, and the usual class, do not matter.
    let usual = model(&format!("{KEYS}\n  class standard\n"));
    tables::ensure(&backend, &usual).unwrap();
}

#[test]
fn an_existing_table_with_more_settings_serves_a_model_without() {
    let backend = backend();
    tables::ensure(&backend, &full()).unwrap();
    let plain = model(&format!("{KEYS}\n"));
    assert_eq!(
        tables::ensure(&backend, &plain).unwrap(),
        [("Tab".to_owned(), Outcome::Existing)]
    );
    let other = model(&format!(
        "{KEYS} ttl gone\n  stream old images\n  tags team = \"users\"\n"
    ));
    let Err(ClientError::TableDiffers { differences, .. }) = tables::ensure(&backend, &other)
    else {
        panic!("no difference")
    };
    assert_eq!(
        differences,
        [
            "ttl: the model says gone, the table has expires",
            "stream: the model says OLD_IMAGE, the table has NEW_AND_OLD_IMAGES",
            "tag team: the model says \"users\", the table has \"orders\"",
        ]
    );
}

#[test]
fn tables_of_past_periods_have_their_capacity_and_the_settings() {
    let backend = backend();
    let model = model(
        "model m 1\ntable Reads (PK, SK) per month\n  gsi GSI1 (A) capacity 9 read 8 write\n  capacity 5 read 5 write then 2 read 1 write\n  stream keys\nentity Read\n  id: string, at: time\n  key \"R#{id}\" \"{at}\"\n  GSI1 \"{id}\"\n",
    );
    let outcomes = tables::ensure(&backend, &model).unwrap();
    let present = tables::describe(&backend, &outcomes[0].0).unwrap().unwrap();
    let entity = model.entity("Read").unwrap();
    let row = [("id", "1"), ("at", "2024-01-05T00:00:00Z")];
    let given = row
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let values = keyfold_client::arguments::of_entity(entity, &given).unwrap();
    keyfold_client::write::put(&backend, &model, entity, &values).unwrap();
    let past = tables::describe(&backend, "Reads_2024_01")
        .unwrap()
        .unwrap();
    let all = |table: &keyfold_api::TableDescription| {
        let index = &table.global_secondary_indexes.as_ref().unwrap()[0];
        (
            units(&table.provisioned_throughput),
            units(&index.provisioned_throughput),
            table.stream_specification.is_some(),
        )
    };
    assert_eq!(all(&present), ((5, 5), (9, 8), true));
    assert_eq!(all(&past), ((2, 1), (2, 1), true));
}

#[test]
fn a_table_made_from_a_model_has_no_differences_to_it() {
    let source = "model m 1\ntable Tab (PK, SK: number)\n  gsi Gee (A, B) project (x)\n  lsi Loc (N: number)\n";
    let (backend, model) = (backend(), model(source));
    assert_eq!(
        tables::ensure(&backend, &model).unwrap(),
        [("Tab".to_owned(), Outcome::Created)]
    );
    assert_eq!(
        tables::ensure(&backend, &model).unwrap(),
        [("Tab".to_owned(), Outcome::Existing)]
    );

    let other = "model m 1\ntable Tab (PK, SK)\n  gsi Gee (A, C) project keys\n  gsi Hay (D)\n";
    let other = self::model(other);
    let Err(ClientError::TableDiffers { differences, .. }) = tables::ensure(&backend, &other)
    else {
        panic!("fits")
    };
    assert_eq!(
        differences,
        [
            "key: the model says (PK: S, SK: S), the table has (PK: S, SK: N)",
            "gsi Gee: the model says (A: S, C: S), the table has (A: S, B: S)",
            "gsi Gee: the model projects KEYS_ONLY, the table INCLUDE (x)",
            "gsi Hay: the model has it, the table has not",
        ]
    );
}
