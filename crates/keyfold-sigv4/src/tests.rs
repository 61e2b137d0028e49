//! Signing and verification together.

use super::*;
use crate::canonical::{Signed, hex, payload_hash};
use hmac::Mac;

const KEY: SigningKey<'static> = SigningKey {
    access_key: "AK",
    secret: "secret",
    region: "eu-west-1",
};
const TIMESTAMP: &str = "20260101T000000Z";
const HEADERS: &[Header<'static>] = &[
    ("host", "localhost:8000"),
    ("x-amz-date", "20260101T000000Z"),
    ("x-amz-target", "DynamoDB_20120810.Get"),
];

fn find(name: &str) -> Option<&'static str> {
    HEADERS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
}

#[test]
fn only_the_signed_request_verifies() {
    let header = sign(KEY, TIMESTAMP, HEADERS, b"{}");
    let authorization = Authorization::parse(&header).unwrap();
    assert_eq!(
        (authorization.access_key, authorization.region),
        ("AK", "eu-west-1")
    );
    let names = || HEADERS.iter().map(|(name, _)| *name);
    assert_eq!(
        authorization.verify("secret", &Query::default(), find, names(), b"{}"),
        Ok(())
    );
    let more = names().chain(["x-amz-security-token"]);
    assert!(matches!(
        authorization.verify("secret", &Query::default(), find, more, b"{}"),
        Err(SignatureError::Malformed(_))
    ));
    assert_eq!(
        authorization.verify("other", &Query::default(), find, names(), b"{}"),
        Err(SignatureError::Mismatch)
    );
    assert_eq!(
        authorization.verify("secret", &Query::default(), find, names(), b"{ }"),
        Err(SignatureError::Mismatch)
    );
    let moved = |name: &str| {
        if name == "host" {
            Some("elsewhere")
        } else {
            find(name)
        }
    };
    assert_eq!(
        authorization.verify("secret", &Query::default(), moved, names(), b"{}"),
        Err(SignatureError::Mismatch)
    );
}

#[test]
fn repeated_or_unordered_signed_headers_are_refused() {
    let header = sign(KEY, TIMESTAMP, HEADERS, b"{}");
    for names in [
        "host;host;x-amz-date;x-amz-target",
        "x-amz-date;host;x-amz-target",
    ] {
        let other = header.replace("host;x-amz-date;x-amz-target", names);
        let authorization = Authorization::parse(&other).unwrap();
        let received = HEADERS.iter().map(|(name, _)| *name);
        let outcome = authorization.verify("secret", &Query::default(), find, received, b"{}");
        assert!(
            matches!(outcome, Err(SignatureError::Malformed(_))),
            "{names}: {outcome:?}"
        );
    }
}

#[test]
fn a_key_of_another_day_does_not_sign() {
    let mut headers = HEADERS.to_vec();
    headers.sort_unstable();
    let signed = Signed {
        date: "20260102",
        region: "eu-west-1",
        service: SERVICE,
        timestamp: "20260101T000000Z",
        query: "",
        headers: &headers,
        payload: &payload_hash(b"{}"),
    };
    let signature = hex(&signed.mac("secret").finalize().into_bytes());
    let header = format!(
        "{ALGORITHM} Credential=AK/{}, SignedHeaders={}, Signature={signature}",
        signed.scope(),
        "host;x-amz-date;x-amz-target"
    );
    let authorization = Authorization::parse(&header).unwrap();
    let names = HEADERS.iter().map(|(name, _)| *name);
    assert_eq!(
        authorization.verify("secret", &Query::default(), find, names, b"{}"),
        Err(SignatureError::Mismatch)
    );
}

#[test]
fn malformed_headers_are_refused_as_malformed() {
    for header in [
        "",
        "Basic x",
        "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=00",
    ] {
        assert!(
            matches!(
                Authorization::parse(header),
                Err(SignatureError::Malformed(_))
            ),
            "{header}"
        );
    }
}

const PRESIGNED: &[Header<'static>] = &[("host", "localhost:8000")];

fn presigned(parameters: &[(&str, &str)]) -> String {
    presign(KEY, TIMESTAMP, 60, parameters, PRESIGNED, b"{}")
}

fn verify(
    query: &str,
    header: impl Fn(&str) -> Option<&'static str>,
    body: &[u8],
) -> Result<(), SignatureError> {
    let query = Query::parse(query)?;
    let authorization = query.authorization()?.unwrap();
    authorization.verify(
        "secret",
        &query,
        header,
        PRESIGNED.iter().map(|(name, _)| *name),
        body,
    )
}

#[test]
fn only_the_presigned_request_verifies() {
    let query = presigned(&[
        ("x-amz-target", "DynamoDB_20120810.GetItem"),
        ("X-Amz-Security-Token", "a+b/c=ä ~"),
    ]);
    assert_eq!(verify(&query, find, b"{}"), Ok(()));
    let parsed = Query::parse(&query).unwrap();
    assert_eq!(
        parsed.get("X-AMZ-TARGET"),
        Some("DynamoDB_20120810.GetItem")
    );
    assert_eq!(parsed.get("x-amz-security-token"), Some("a+b/c=ä ~"));
    let validity = parsed.authorization().unwrap().unwrap().validity;
    assert_eq!(
        validity,
        Validity::Presigned {
            timestamp: "20260101T000000Z",
            expires_s: 60
        }
    );
    // The order of a query and its spelling do not matter.
    let mut parts: Vec<&str> = query.split('&').collect();
    parts.reverse();
    assert_eq!(
        verify(
            &parts.join("&").replace("%20", " ").replace("%2B", "+"),
            find,
            b"{}"
        ),
        Ok(())
    );
    assert_eq!(verify(&query, find, b"{ }"), Err(SignatureError::Mismatch));
    for (part, other) in [
        ("GetItem", "DeleteItem"),
        ("Expires=60", "Expires=600"),
        ("T000000Z", "T000001Z"),
        ("X-Amz-Algorithm", "more=1&X-Amz-Algorithm"),
        ("x-amz-target=", "x-amz-target=x"),
    ] {
        let changed = query.replacen(part, other, 1);
        assert_ne!(changed, query);
        assert_eq!(
            verify(&changed, find, b"{}"),
            Err(SignatureError::Mismatch),
            "{other}"
        );
    }
    let malformed = [
        query.replace("X-Amz-Expires", "X-Amz-Other"),
        query.replace("Expires=60", "Expires=0"),
        query.replace("Expires=60", "Expires=604801"),
        query.replace("Expires=60", "Expires=%2B60"),
        query.replace("HMAC-SHA256", "HMAC-SHA1"),
        format!("{query}&X-Amz-Target=DynamoDB_20120810.DeleteItem"),
        format!("{query}&x=%ff"),
        query.replace("=host", "=x-amz-date;host"),
    ];
    for query in malformed {
        assert!(
            matches!(
                verify(&query, find, b"{}"),
                Err(SignatureError::Malformed(_))
            ),
            "{query}"
        );
    }
    assert_eq!(Query::parse("a=1&&b").unwrap().authorization(), Ok(None));
}

/// The signature covers the words that replace the body's hash, so nobody else can insert them.
#[test]
fn only_the_signer_can_leave_the_body_out() {
    let mut headers = HEADERS.to_vec();
    headers.push(("x-amz-content-sha256", UNSIGNED_PAYLOAD));
    headers.sort_unstable();
    let names = headers
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(";");
    let find = |name: &str| {
        headers
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    };
    let with = |payload: &str| {
        let timestamp = "20260101T000000Z";
        let signed = Signed {
            date: "20260101",
            region: "eu-west-1",
            service: SERVICE,
            timestamp,
            query: "",
            headers: &headers,
            payload,
        };
        let signature = hex(&signed.mac("secret").finalize().into_bytes());
        let header = format!(
            "{ALGORITHM} Credential=AK/{}, SignedHeaders={names}, Signature={signature}",
            signed.scope()
        );
        let received = headers.iter().map(|(name, _)| *name);
        Authorization::parse(&header).unwrap().verify(
            "secret",
            &Query::default(),
            find,
            received,
            b"{}",
        )
    };
    assert_eq!(with(UNSIGNED_PAYLOAD), Ok(()));
    assert_eq!(with(&payload_hash(b"{}")), Err(SignatureError::Mismatch));
}
