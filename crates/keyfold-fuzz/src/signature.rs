//! The target for signatures.

use keyfold_sigv4::{Authorization, Header, Query, SigningKey, presign, sign};

const SECRET: &str = "secret";
const KEY: SigningKey<'_> = SigningKey {
    access_key: "key",
    secret: SECRET,
    region: "eu-west-1",
};

/// A request as a server receives it.
struct Request<'r> {
    headers: [Header<'r>; 4],
    body: &'r [u8],
}

impl Request<'_> {
    /// Whether a signature is valid for the request with this body.
    fn accepts(
        &self,
        authorization: &Authorization<'_>,
        secret: &str,
        query: &Query,
        body: &[u8],
    ) -> bool {
        let header = |name: &str| {
            let found = self.headers.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| *value)
        };
        let received = self.headers.iter().map(|(name, _)| *name);
        authorization
            .verify(secret, query, header, received, body)
            .is_ok()
    }
}

/// An `Authorization` header or a query, and behind each line's end the value of a header that it
/// may name. No such text is a valid signature; a signature with the key is valid until a byte of
/// the request changes.
pub(crate) fn signature(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let mut lines = text.split('\n');
    let authorization = lines.next().unwrap_or_default();
    let values: Vec<&str> = lines.collect();
    let value = |at: usize, otherwise| values.get(at).copied().unwrap_or(otherwise);
    let timestamp = value(1, "20260101T000000Z");
    let request = Request {
        headers: [
            ("host", value(0, "localhost:8000")),
            ("x-amz-date", timestamp),
            ("x-amz-target", value(2, "DynamoDB_20120810.GetItem")),
            ("x-amz-security-token", value(3, "token")),
        ],
        body: value(4, "{}").as_bytes(),
    };
    assert_refused(authorization, &request);
    let is_timestamp =
        timestamp.len() == 16 && timestamp.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let are_trimmed = request
        .headers
        .iter()
        .all(|(_, value)| value.trim() == *value);
    if is_timestamp && are_trimmed {
        assert_header_valid(timestamp, &request);
        assert_query_valid(timestamp, authorization, &request);
    }
}

/// Asserts that a text is no valid header and no valid query.
fn assert_refused(text: &str, request: &Request<'_>) {
    if let Ok(authorization) = Authorization::parse(text) {
        let is_valid = request.accepts(&authorization, SECRET, &Query::default(), request.body);
        assert!(!is_valid, "nobody guesses a signature");
    }
    if let Ok(query) = Query::parse(text)
        && let Ok(Some(authorization)) = query.authorization()
    {
        let is_valid = request.accepts(&authorization, SECRET, &query, request.body);
        assert!(!is_valid, "nobody guesses a signature");
    }
}

/// Asserts that a signed header is valid, but not for another body or another secret.
fn assert_header_valid(timestamp: &str, request: &Request<'_>) {
    let signed = sign(KEY, timestamp, &request.headers, request.body);
    let authorization = Authorization::parse(&signed).expect("a signed header is read");
    let query = Query::default();
    assert!(request.accepts(&authorization, SECRET, &query, request.body));
    let other_body = [request.body, b" "].concat();
    assert!(!request.accepts(&authorization, SECRET, &query, &other_body));
    assert!(!request.accepts(&authorization, "other", &query, request.body));
}

/// Asserts that a signed query keeps its parameters and is valid, but not for another secret.
fn assert_query_valid(timestamp: &str, target: &str, request: &Request<'_>) {
    let parameters = [("X-Amz-Target", target)];
    let signed = presign(
        KEY,
        timestamp,
        60,
        &parameters,
        &request.headers,
        request.body,
    );
    let query = Query::parse(&signed).expect("a signed query is read");
    let authorization = query
        .authorization()
        .expect("a signed query has all parameters")
        .expect("a signed query has a signature");
    assert_eq!(query.get("x-amz-target"), Some(target));
    assert!(request.accepts(&authorization, SECRET, &query, request.body));
    assert!(!request.accepts(&authorization, "other", &query, request.body));
}
