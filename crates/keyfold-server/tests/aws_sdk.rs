//! The AWS SDK for Rust on a server: tables, items, transactions, streams, statements.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, Put, ReturnValue,
    ScalarAttributeType, StreamSpecification, StreamViewType, TransactWriteItem,
};
use aws_smithy_http_client::Builder;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Credential, Server, ServerConfig};
use std::net::SocketAddr;
use std::sync::Arc;

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

#[tokio::test]
async fn the_rust_sdk_works_unchanged() {
    let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
    let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
    // The server verifies signatures, so that the SDK's signing is tested, too.
    let mut temporary = Credential::new("AK", "secret");
    temporary.session_token = Some("token".to_owned());
    config.credentials.push(temporary);
    let server = Server::bind(engine, config).await.unwrap();
    let endpoint = format!("http://{}", server.address());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async { drop(stopped.await) }));

    let credentials = Credentials::new("AK", "secret", Some("token".to_owned()), None, "test");
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("eu-central-1"))
        .endpoint_url(&endpoint)
        .http_client(Builder::new().build_http())
        .credentials_provider(credentials.clone())
        .build();
    let client = Client::from_conf(config);
    use_tables_and_items(&client).await;

    let config = aws_sdk_dynamodbstreams::Config::builder()
        .behavior_version(aws_sdk_dynamodbstreams::config::BehaviorVersion::latest())
        .region(Region::new("eu-central-1"))
        .endpoint_url(&endpoint)
        .http_client(Builder::new().build_http())
        .credentials_provider(credentials)
        .build();
    read_the_stream(&client, &aws_sdk_dynamodbstreams::Client::from_conf(config)).await;
    drop((client, stop));
    serving.await.unwrap();
}

async fn use_tables_and_items(client: &Client) {
    let definition = AttributeDefinition::builder()
        .attribute_name("p")
        .attribute_type(ScalarAttributeType::S)
        .build()
        .unwrap();
    let key = KeySchemaElement::builder()
        .attribute_name("p")
        .key_type(KeyType::Hash)
        .build()
        .unwrap();
    let stream = StreamSpecification::builder()
        .stream_enabled(true)
        .stream_view_type(StreamViewType::NewImage)
        .build()
        .unwrap();
    let made = client
        .create_table()
        .table_name("Tab")
        .attribute_definitions(definition)
        .key_schema(key)
        .billing_mode(BillingMode::PayPerRequest)
        .stream_specification(stream)
        .send()
        .await
        .unwrap();
    let arn = made
        .table_description()
        .unwrap()
        .table_arn()
        .unwrap()
        .to_owned();
    assert!(arn.starts_with("arn:aws:dynamodb:eu-central-1:"), "{arn}");

    client
        .put_item()
        .table_name("Tab")
        .item("p", text("a"))
        .item("n", AttributeValue::N("1".into()))
        .send()
        .await
        .unwrap();
    let updated = client
        .update_item()
        .table_name("Tab")
        .key("p", text("a"))
        .update_expression("ADD n :one")
        .expression_attribute_values(":one", AttributeValue::N("1".into()))
        .return_values(ReturnValue::AllNew)
        .send()
        .await
        .unwrap();
    assert_eq!(
        updated.attributes().unwrap()["n"],
        AttributeValue::N("2".into())
    );
    let put = |p: &str| {
        let put = Put::builder()
            .table_name("Tab")
            .item("p", text(p))
            .condition_expression("attribute_not_exists(p)")
            .build()
            .unwrap();
        TransactWriteItem::builder().put(put).build()
    };
    client
        .transact_write_items()
        .transact_items(put("b"))
        .transact_items(put("c"))
        .send()
        .await
        .unwrap();
    let refused = client
        .transact_write_items()
        .transact_items(put("d"))
        .transact_items(put("a"))
        .send()
        .await;
    let refused = refused.unwrap_err().into_service_error();
    let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(
        cancelled,
    ) = &refused
    else {
        panic!("{refused:?}")
    };
    let codes: Vec<_> = cancelled
        .cancellation_reasons()
        .iter()
        .map(|reason| reason.code().unwrap())
        .collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);
    let mut pages = client
        .scan()
        .table_name("Tab")
        .limit(1)
        .into_paginator()
        .items()
        .send();
    let mut found = 0;
    while let Some(item) = pages.next().await {
        item.unwrap();
        found += 1;
    }
    assert_eq!(found, 3);
    let selected = client
        .execute_statement()
        .statement("SELECT n FROM Tab WHERE p = 'a'")
        .send()
        .await
        .unwrap();
    assert_eq!(selected.items()[0]["n"], AttributeValue::N("2".into()));
    let missing = client
        .get_item()
        .table_name("None")
        .key("p", text("a"))
        .send()
        .await
        .unwrap_err();
    assert_eq!(missing.code(), Some("ResourceNotFoundException"));
}

async fn read_the_stream(client: &Client, streams: &aws_sdk_dynamodbstreams::Client) {
    let table = client
        .describe_table()
        .table_name("Tab")
        .send()
        .await
        .unwrap();
    let arn = table
        .table()
        .unwrap()
        .latest_stream_arn()
        .unwrap()
        .to_owned();
    let described = streams
        .describe_stream()
        .stream_arn(&arn)
        .send()
        .await
        .unwrap();
    let shard = described.stream_description().unwrap().shards()[0]
        .shard_id()
        .unwrap()
        .to_owned();
    let position = streams
        .get_shard_iterator()
        .stream_arn(&arn)
        .shard_id(shard)
        .shard_iterator_type(aws_sdk_dynamodbstreams::types::ShardIteratorType::TrimHorizon)
        .send()
        .await
        .unwrap();
    let read = streams
        .get_records()
        .shard_iterator(position.shard_iterator().unwrap())
        .send()
        .await
        .unwrap();
    let names: Vec<_> = read
        .records()
        .iter()
        .map(|record| record.event_name().unwrap().as_str())
        .collect();
    assert_eq!(names, ["INSERT", "MODIFY", "INSERT", "INSERT"]);
}
