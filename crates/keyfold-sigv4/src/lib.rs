//! AWS Signature Version 4 for the DynamoDB API: one POST to `/` with a body. The signature is in
//! the `Authorization` header, or in the query of a request that was signed for others to send
//! (presigned).
//!
//! Both directions share the canonical request: a client [`sign`]s or [`presign`]s, a server parses
//! an [`Authorization`] and [`Authorization::verify`]s it. The crate reads no clock: the caller
//! passes the time.
//!
//! Source: "Signature Version 4 signing process", "Authenticating requests: using query
//! parameters".

mod authorization;
mod canonical;
mod presigned;
mod query;
#[cfg(test)]
mod tests;

pub use authorization::{Authorization, Validity};
pub use canonical::{Header, SigningKey, presign, sign};
pub use query::Query;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The service in the scope of all requests, those to streams included.
const SERVICE: &str = "dynamodb";
/// Replaces the body's hash when the signature does not cover the body.
const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";
/// The longest validity of a presigned request: seven days.
const EXPIRES_S_MAX: u32 = 604_800;

/// A signature is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The form of the signature is wrong, or a part is missing; the text is the message.
    #[error("{0}")]
    Malformed(String),
    /// `Host` is not signed.
    #[error("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")]
    HostNotSigned,
    /// The scope names another service.
    #[error("Credential should be scoped to correct service: 'dynamodb'. ")]
    Service,
    /// The signature differs from the one that the key makes.
    #[error(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details."
    )]
    Mismatch,
}
