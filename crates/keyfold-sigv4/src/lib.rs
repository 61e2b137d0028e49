//! AWS Signature Version 4, as far as the DynamoDB API needs it: one POST to `/` with a body. The
//! signature is in the `Authorization` header, or in the query of a request that was signed for
//! others to send (presigned).
//!
//! Both directions share the canonical request: a client [`sign`]s or [`presign`]s, a server reads
//! an [`Authorization`] and [`Authorization::verify`]s it. No clock: the caller says what time it
//! is.
//!
//! Source: "Signature Version 4 signing process", "Authenticating requests: using query
//! parameters".

mod authorization;
mod canonical;
mod query;
#[cfg(test)]
mod tests;

pub use authorization::{Authorization, Validity};
pub use canonical::{Header, presign, sign};
pub use query::Query;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The service in the scope, for items and streams alike.
pub const SERVICE: &str = "dynamodb";
/// What stands for the body's hash when the signature does not cover the body.
const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";
/// The longest time that a presigned request holds: seven days.
pub const EXPIRES_S_MAX: u32 = 604_800;

/// What is wrong with a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header's form is wrong, or a part is missing; the whole sentence.
    #[error("{0}")]
    Malformed(String),
    /// `Host` is not signed.
    #[error("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")]
    HostNotSigned,
    /// The scope names another service.
    #[error("Credential should be scoped to correct service: 'dynamodb'. ")]
    Service,
    /// The signature is not the one the key makes.
    #[error(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details."
    )]
    Mismatch,
}
