//! Authentication and rights: signatures, sessions, and rights by table under every spelling of its
//! name.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/running.rs"]
mod running;

use keyfold_server::{Access, Credential};
use running::{Answer, Coding, Running, now, signed, signing_key};

fn with_credentials() -> Running {
    let mut reader = Credential::new("READER", "secret");
    reader.access = Access::None;
    reader.tables.insert("Open".to_owned(), Access::Read);
    let mut most = Credential::new("MOST", "secret");
    most.tables.insert("Closed".to_owned(), Access::None);
    let mut viewer = Credential::new("VIEWER", "secret");
    viewer.access = Access::Read;
    let mut temporary = Credential::new("TEMP", "secret");
    temporary.session_token = Some("token".to_owned());
    Running::start(|config| config.credentials = vec![reader, most, viewer, temporary])
}

fn ask(server: &Running, key: &str, operation: &str, body: &str) -> String {
    let target = if operation.contains('.') {
        operation.to_owned()
    } else {
        format!("DynamoDB_20120810.{operation}")
    };
    signed(
        server,
        (key, None),
        &now(),
        &target,
        body.as_bytes(),
        Coding::Plain,
    )
    .text()
    .to_owned()
}

fn shifted(minutes: i64) -> String {
    let moment = jiff::Timestamp::now()
        .checked_add(jiff::SignedDuration::from_mins(minutes))
        .unwrap();
    moment.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Requests that name a table or a part of it; `@` stands for the name.
const NAMING: &[(&str, &str)] = &[
    ("GetItem", r#"{"TableName":"@","Key":{"p":{"S":"a"}}}"#),
    ("PutItem", r#"{"TableName":"@","Item":{"p":{"S":"b"}}}"#),
    (
        "UpdateItem",
        r#"{"TableName":"@","Key":{"p":{"S":"a"}},"UpdateExpression":"SET x = p","ReturnValues":"ALL_NEW"}"#,
    ),
    (
        "DeleteItem",
        r#"{"TableName":"@","Key":{"p":{"S":"a"}},"ReturnValues":"ALL_OLD"}"#,
    ),
    (
        "Query",
        r#"{"TableName":"@","KeyConditionExpression":"p = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}"#,
    ),
    ("Scan", r#"{"TableName":"@"}"#),
    (
        "BatchGetItem",
        r#"{"RequestItems":{"@":{"Keys":[{"p":{"S":"a"}}]}}}"#,
    ),
    (
        "BatchWriteItem",
        r#"{"RequestItems":{"@":[{"DeleteRequest":{"Key":{"p":{"S":"a"}}}}]}}"#,
    ),
    (
        "TransactGetItems",
        r#"{"TransactItems":[{"Get":{"TableName":"@","Key":{"p":{"S":"a"}}}}]}"#,
    ),
    (
        "TransactWriteItems",
        r#"{"TransactItems":[{"Delete":{"TableName":"@","Key":{"p":{"S":"a"}}}}]}"#,
    ),
    ("ExecuteStatement", r#"{"Statement":"SELECT * FROM \"@\""}"#),
    (
        "ExecuteStatement",
        r#"{"Statement":"DELETE FROM \"@\" WHERE p = 'a'"}"#,
    ),
    (
        "BatchExecuteStatement",
        r#"{"Statements":[{"Statement":"SELECT * FROM \"@\" WHERE p = 'a'"}]}"#,
    ),
    (
        "ExecuteTransaction",
        r#"{"TransactStatements":[{"Statement":"DELETE FROM \"@\" WHERE p = 'a'"}]}"#,
    ),
    ("DescribeTable", r#"{"TableName":"@"}"#),
    (
        "UpdateTable",
        r#"{"TableName":"@","DeletionProtectionEnabled":true}"#,
    ),
    ("DeleteTable", r#"{"TableName":"@"}"#),
    ("DescribeTimeToLive", r#"{"TableName":"@"}"#),
    (
        "UpdateTimeToLive",
        r#"{"TableName":"@","TimeToLiveSpecification":{"AttributeName":"p","Enabled":true}}"#,
    ),
    ("DescribeContinuousBackups", r#"{"TableName":"@"}"#),
    (
        "UpdateContinuousBackups",
        r#"{"TableName":"@","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false}}"#,
    ),
    ("DescribeContributorInsights", r#"{"TableName":"@"}"#),
    (
        "TagResource",
        r#"{"ResourceArn":"@","Tags":[{"Key":"a","Value":"b"}]}"#,
    ),
    ("ListTagsOfResource", r#"{"ResourceArn":"@"}"#),
    ("PutResourcePolicy", r#"{"ResourceArn":"@","Policy":"{}"}"#),
    ("GetResourcePolicy", r#"{"ResourceArn":"@"}"#),
    ("CreateBackup", r#"{"TableName":"@","BackupName":"more"}"#),
    ("DescribeBackup", r#"{"BackupArn":"@"}"#),
    ("DeleteBackup", r#"{"BackupArn":"@"}"#),
    (
        "RestoreTableFromBackup",
        r#"{"BackupArn":"@","TargetTableName":"Taken"}"#,
    ),
    (
        "RestoreTableToPointInTime",
        r#"{"SourceTableName":"@","TargetTableName":"Taken","UseLatestRestorableTime":true}"#,
    ),
    (
        "RestoreTableToPointInTime",
        r#"{"SourceTableArn":"@","TargetTableName":"Taken","UseLatestRestorableTime":true}"#,
    ),
    (
        "RestoreTableToPointInTime",
        r#"{"SourceTableName":"Mine","SourceTableArn":"@","TargetTableName":"Taken","UseLatestRestorableTime":true}"#,
    ),
    ("ListBackups", r#"{"TableName":"@"}"#),
    ("ListExports", r#"{"TableArn":"@"}"#),
    ("ListImports", r#"{"TableArn":"@"}"#),
    ("DescribeExport", r#"{"ExportArn":"@"}"#),
    ("DescribeImport", r#"{"ImportArn":"@"}"#),
    (
        "ExportTableToPointInTime",
        r#"{"TableArn":"@","S3Bucket":"mine"}"#,
    ),
    ("ListStreams", r#"{"TableName":"@"}"#),
    ("DescribeStream", r#"{"StreamArn":"@"}"#),
    (
        "GetShardIterator",
        r#"{"StreamArn":"@","ShardId":"shardId-00000001757000000000-00000000","ShardIteratorType":"TRIM_HORIZON"}"#,
    ),
    ("GetRecords", r#"{"ShardIterator":"@"}"#),
];

/// Other ways to write a name.
fn spellings(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    for before in [
        "x",
        " ",
        "ARN",
        "arn:",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxx:table/Mine:",
        "arn:aws:dynamodb:us-east-1:000000000000:table/Mine",
    ] {
        all.push(format!("{before}{name}"));
    }
    for after in [
        "/",
        " ",
        "\\n",
        "\\u0000",
        "/stream/x",
        "/index/ByName",
        "/backup/1",
        "|1|AAAA",
        ":table/Mine",
    ] {
        all.push(format!("{name}{after}"));
    }
    if let Some((_, rest)) = name.split_once(":table/") {
        all.push(format!("{}:table/{rest}", "x".repeat(40)));
        all.push(format!(":table/{rest}"));
        all.push(format!("arn:aws:s3:us-east-1:000000000000:table/{rest}"));
        all.push(format!(
            "arn:aws:dynamodb:eu-west-1:999999999999:table/{rest}"
        ));
        all.push(format!(
            "arn:aws:dynamodb:us-east-1:000000000000:table/Mine/../{rest}"
        ));
        all.push(format!(
            "arn:aws:dynamodb:us-east-1:000000000000:table/%53{}",
            &rest[1..]
        ));
    }
    all
}

#[test]
fn configured_credentials_are_required() {
    let mut reader = Credential::new("READER", "secret");
    reader.access = Access::None;
    reader.tables.insert("Open".to_owned(), Access::Read);
    let mut temporary = Credential::new("TEMP", "secret");
    temporary.session_token = Some("token".to_owned());
    let server = Running::start(|config| {
        config.credentials = vec![Credential::new("AK", "secret"), reader, temporary];
    });
    assert!(
        server
            .post("ListTables", b"{}")
            .text()
            .contains("MissingAuthenticationTokenException")
    );
    let try_with = |key: &str, secret: &str, timestamp: &str, authorization: Option<&str>| {
        let headers = [
            ("host", "localhost"),
            ("x-amz-date", timestamp),
            ("x-amz-target", "DynamoDB_20120810.ListTables"),
        ];
        let signed = keyfold_sigv4::sign(signing_key(key, secret), timestamp, &headers, b"{}");
        let sent = [
            ("X-Amz-Date", timestamp),
            ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
            ("Authorization", authorization.unwrap_or(&signed)),
        ];
        server.send(&sent, b"{}").text().to_owned()
    };
    let now = now();
    assert_eq!(try_with("AK", "secret", &now, None), r#"{"TableNames":[]}"#);
    assert!(try_with("AK", "wrong", &now, None).contains("InvalidSignatureException"));
    assert!(try_with("other", "secret", &now, None).contains("UnrecognizedClientException"));
    assert!(
        try_with("AK", "secret", "20200101T000000Z", None)
            .contains("Signature expired: 20200101T000000Z is now earlier than")
    );
    assert!(
        try_with("AK", "secret", "20990101T000000Z", None)
            .contains("Signature not yet current: 20990101T000000Z is still later than")
    );
    assert!(
        try_with("AK", "secret", &now, Some("Bearer x")).contains("IncompleteSignatureException")
    );
    let cut = "AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/dynamodb/aws4_request";
    let refused = try_with("AK", "secret", &now, Some(cut));
    assert!(
        refused.contains(
            "requires 'Signature' parameter. Authorization header requires 'SignedHeaders'"
        ),
        "{refused}"
    );
    // Of repeated headers one reader could take the first, and another the last.
    let twice = |name: &'static str, value: &str| {
        let headers = [
            ("host", "localhost"),
            ("x-amz-date", now.as_str()),
            ("x-amz-target", "DynamoDB_20120810.ListTables"),
        ];
        let signed = keyfold_sigv4::sign(signing_key("AK", "secret"), &now, &headers, b"{}");
        let sent = [
            ("X-Amz-Date", now.as_str()),
            ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
            ("Authorization", &signed),
            (name, value),
        ];
        server.send(&sent, b"{}").text().to_owned()
    };
    for name in ["X-Amz-Target", "X-Amz-Date", "Authorization"] {
        assert!(
            twice(name, "DynamoDB_20120810.DeleteTable").contains("IncompleteSignatureException"),
            "{name}"
        );
    }
    assert_eq!(twice("X-Other", "x"), r#"{"TableNames":[]}"#);
    // A temporary credential needs its token.
    assert!(try_with("TEMP", "secret", &now, None).contains("UnrecognizedClientException"));
    // Rights are by table; operations on no table need the general right.
    let ask = |operation: &str, body: &str| {
        let target = format!("DynamoDB_20120810.{operation}");
        let headers = [
            ("host", "localhost"),
            ("x-amz-date", now.as_str()),
            ("x-amz-target", target.as_str()),
        ];
        let signed = keyfold_sigv4::sign(
            signing_key("READER", "secret"),
            &now,
            &headers,
            body.as_bytes(),
        );
        let sent = [
            ("X-Amz-Date", now.as_str()),
            ("X-Amz-Target", &target),
            ("Authorization", &signed),
        ];
        server.send(&sent, body.as_bytes()).text().to_owned()
    };
    assert!(ask("ListTables", "{}").contains("AccessDeniedException"));
    assert!(
        ask("GetItem", r#"{"TableName":"Open","Key":{}}"#).contains("ResourceNotFoundException")
    );
    assert!(ask("PutItem", r#"{"TableName":"Open","Item":{}}"#).contains("is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table/Open"));
    assert!(ask("GetItem", r#"{"TableName":"Closed","Key":{}}"#).contains("AccessDeniedException"));
    assert!(
        ask("ExecuteStatement", r#"{"Statement":"SELECT * FROM Open"}"#)
            .contains("ResourceNotFoundException")
    );
    assert!(
        ask(
            "ExecuteStatement",
            r#"{"Statement":"DELETE FROM Open WHERE p = 1"}"#
        )
        .contains("AccessDeniedException")
    );
}

#[test]
fn without_credentials_a_signature_is_required_and_its_region_is_used() {
    let server = Running::start(|config| config.allow_unsigned = false);
    assert!(
        server
            .post("ListTables", b"{}")
            .text()
            .contains("Request is missing Authentication Token")
    );
    // An unknown operation is reported first.
    assert!(
        server
            .post("Nonsense", b"{}")
            .text()
            .contains("UnknownOperationException")
    );
    let sign = |region: &str, operation: &str, body: &str| {
        let credential = format!(
            "AWS4-HMAC-SHA256 Credential=any/20260101/{region}/dynamodb/aws4_request, SignedHeaders=host, Signature=00"
        );
        let date = now();
        let target = format!("DynamoDB_20120810.{operation}");
        let sent = [
            ("X-Amz-Date", date.as_str()),
            ("X-Amz-Target", &target),
            ("Authorization", &credential),
        ];
        server.send(&sent, body.as_bytes()).text().to_owned()
    };
    let create = r#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    assert!(
        sign("eu-west-1", "CreateTable", create)
            .contains("arn:aws:dynamodb:eu-west-1:000000000000:table/Tab")
    );
    assert!(
        sign("us-west-2", "DescribeTable", r#"{"TableName":"Tab"}"#)
            .contains("arn:aws:dynamodb:us-west-2:000000000000:table/Tab")
    );
    assert_eq!(
        sign(
            "us-west-2",
            "TagResource",
            r#"{"ResourceArn":"arn:aws:dynamodb:us-west-2:000000000000:table/Tab","Tags":[{"Key":"a","Value":"b"}]}"#
        ),
        ""
    );
}

#[test]
fn a_batch_needs_the_right_to_write() {
    let server = with_credentials();
    let answer = ask(
        &server,
        "READER",
        "BatchWriteItem",
        r#"{"RequestItems":{"Open":[{"DeleteRequest":{"Key":{"p":{"S":"a"}}}}]}}"#,
    );
    assert!(answer.contains("AccessDeniedException"), "{answer}");
}

#[test]
fn every_table_of_a_transaction_is_checked() {
    let server = with_credentials();
    let get =
        |table: &str| format!(r#"{{"Get":{{"TableName":"{table}","Key":{{"p":{{"S":"a"}}}}}}}}"#);
    let answer = ask(
        &server,
        "READER",
        "TransactGetItems",
        &format!(r#"{{"TransactItems":[{},{}]}}"#, get("Open"), get("Closed")),
    );
    assert!(answer.contains("AccessDeniedException"), "{answer}");
}

#[test]
fn the_rights_of_an_arn_are_those_of_its_table() {
    let server = with_credentials();
    let answer = ask(
        &server,
        "MOST",
        "GetItem",
        r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/Closed","Key":{}}"#,
    );
    assert!(answer.contains("AccessDeniedException"), "{answer}");
    let answer = ask(
        &server,
        "READER",
        "GetItem",
        r#"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/Open","Key":{}}"#,
    );
    assert!(answer.contains("ResourceNotFoundException"), "{answer}");
}

#[test]
fn signatures_are_valid_for_a_quarter_of_an_hour() {
    let server = with_credentials();
    let list = |at: &str| {
        signed(
            &server,
            ("MOST", None),
            at,
            "DynamoDB_20120810.ListTables",
            b"{}",
            Coding::Plain,
        )
        .text()
        .to_owned()
    };
    assert!(list(&shifted(-14)).contains("TableNames"));
    assert!(list(&shifted(14)).contains("TableNames"));
    assert!(list(&shifted(-16)).contains("Signature expired"));
    assert!(list(&shifted(16)).contains("Signature not yet current"));
}

#[test]
fn a_session_token_must_match() {
    let server = with_credentials();
    let list = |token| {
        signed(
            &server,
            ("TEMP", Some(token)),
            &now(),
            "DynamoDB_20120810.ListTables",
            b"{}",
            Coding::Plain,
        )
        .text()
        .to_owned()
    };
    assert!(list("token").contains("TableNames"));
    assert!(list("other").contains("UnrecognizedClientException"));
}

#[test]
fn a_copy_needs_the_right_to_write() {
    let server = with_credentials();
    let answer = ask(
        &server,
        "VIEWER",
        "Keyfold.CopyDataFolder",
        r#"{"To":"/nonexistent/x"}"#,
    );
    assert!(answer.contains("AccessDeniedException"), "{answer}");
}

#[test]
fn a_signature_covers_the_compressed_body() {
    let server = with_credentials();
    let answer = signed(
        &server,
        ("MOST", None),
        &now(),
        "DynamoDB_20120810.ListTables",
        b"{}",
        Coding::Gzip,
    );
    assert!(answer.text().contains("TableNames"), "{}", answer.text());
}

#[test]
fn no_spelling_of_a_name_has_more_rights_than_the_name() {
    let mut most = Credential::new("MOST", "secret");
    most.tables.insert("Secret".to_owned(), Access::None);
    let server =
        Running::start(|config| config.credentials = vec![most, Credential::new("ALL", "secret")]);
    let target = |operation: &str| {
        let of_streams = matches!(
            operation,
            "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords"
        );
        format!(
            "{}_20120810.{operation}",
            if of_streams {
                "DynamoDBStreams"
            } else {
                "DynamoDB"
            }
        )
    };
    let call = |key: &str, operation: &str, body: &str| {
        signed(
            &server,
            (key, None),
            &now(),
            &target(operation),
            body.as_bytes(),
            Coding::Plain,
        )
    };
    let member_of = |answer: &Answer, member: &str| {
        let text = answer.text();
        let rest = text
            .split_once(&format!("\"{member}\":\""))
            .map(|(_, rest)| rest);
        rest.and_then(|rest| rest.split('"').next())
            .unwrap_or_else(|| panic!("no {member} in {text}"))
            .to_owned()
    };
    for name in ["Secret", "Mine"] {
        let body = format!(
            r#"{{"TableName":"{name}","AttributeDefinitions":[{{"AttributeName":"p","AttributeType":"S"}}],"KeySchema":[{{"AttributeName":"p","KeyType":"HASH"}}],"BillingMode":"PAY_PER_REQUEST","StreamSpecification":{{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}}}}"#
        );
        assert_eq!(call("ALL", "CreateTable", &body).status, 200);
        let recovery = format!(
            r#"{{"TableName":"{name}","PointInTimeRecoverySpecification":{{"PointInTimeRecoveryEnabled":true}}}}"#
        );
        assert_eq!(
            call("ALL", "UpdateContinuousBackups", &recovery).status,
            200
        );
    }
    let put = r#"{"TableName":"Secret","Item":{"p":{"S":"a"},"v":{"S":"classified"}}}"#;
    assert_eq!(call("ALL", "PutItem", put).status, 200);
    let backup = member_of(
        &call(
            "ALL",
            "CreateBackup",
            r#"{"TableName":"Secret","BackupName":"one"}"#,
        ),
        "BackupArn",
    );
    let described = call("ALL", "DescribeTable", r#"{"TableName":"Secret"}"#);
    let (table, stream) = (
        member_of(&described, "TableArn"),
        member_of(&described, "LatestStreamArn"),
    );
    let shards = call(
        "ALL",
        "DescribeStream",
        &format!(r#"{{"StreamArn":"{stream}"}}"#),
    );
    let shard = member_of(&shards, "ShardId");
    let iterator = call(
        "ALL",
        "GetShardIterator",
        &format!(
            r#"{{"StreamArn":"{stream}","ShardId":"{shard}","ShardIteratorType":"TRIM_HORIZON"}}"#
        ),
    );
    let iterator = member_of(&iterator, "ShardIterator");
    let records = |key: &str| {
        call(
            key,
            "GetRecords",
            &format!(r#"{{"ShardIterator":"{iterator}"}}"#),
        )
        .text()
        .to_owned()
    };
    assert!(records("ALL").contains("classified"));
    let state = || {
        let scan = call("ALL", "Scan", r#"{"TableName":"Secret"}"#)
            .text()
            .to_owned();
        let table = call("ALL", "DescribeTable", r#"{"TableName":"Secret"}"#)
            .text()
            .to_owned();
        let tags = call(
            "ALL",
            "ListTagsOfResource",
            &format!(r#"{{"ResourceArn":"{table}"}}"#),
        )
        .text()
        .to_owned();
        let backups = call("ALL", "ListBackups", "{}").text().to_owned();
        (
            scan,
            table,
            tags,
            backups,
            call("ALL", "ListTables", "{}").text().to_owned(),
        )
    };
    let before = state();
    let mut tried = 0;
    for name in ["Secret", &table, &stream, &backup, &iterator] {
        for spelling in spellings(name) {
            for (operation, body) in NAMING {
                let body = body
                    .replace('@', &spelling)
                    .replace("shardId-00000001757000000000-00000000", &shard);
                let answer = call("MOST", operation, &body);
                let text = answer.text();
                assert!(!text.contains("classified"), "{operation} {body}: {text}");
                assert!(
                    answer.status != 200
                        || !text.contains("Secret")
                        || text.contains(r#""Error":{"#),
                    "{operation} {body}: {text}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 3000, "{tried}");
    assert_eq!(state(), before);
}
