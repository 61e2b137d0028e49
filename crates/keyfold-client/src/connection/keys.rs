//! Access keys, and those of the environment.

use super::surroundings::Surroundings;
use keyfold_lower::ClientError;
use std::fmt;

/// The keys that sign requests.
#[derive(Clone, PartialEq, Eq)]
pub struct Keys {
    /// The access key.
    pub access_key: String,
    /// Its secret.
    pub secret: String,
    /// The session token of temporary keys.
    pub session_token: Option<String>,
}

/// Shows neither the secret nor the token.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys")
            .field("access_key", &self.access_key)
            .finish_non_exhaustive()
    }
}

impl Surroundings<'_> {
    /// The keys of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; `None` when
    /// neither the key nor the secret is set.
    ///
    /// # Errors
    /// `Invalid` when one of key and secret is set and the other is not.
    pub fn keys(&self) -> Result<Option<Keys>, ClientError> {
        of_environment(self).map_err(ClientError::Invalid)
    }
}

/// The keys of the environment, or the reason why there are none.
pub(super) fn of_environment(surroundings: &Surroundings<'_>) -> Result<Option<Keys>, String> {
    let key = surroundings.variable("AWS_ACCESS_KEY_ID");
    let secret = surroundings.variable("AWS_SECRET_ACCESS_KEY");
    match (key, secret) {
        (Some(access_key), Some(secret)) => Ok(Some(Keys {
            access_key,
            secret,
            session_token: surroundings.variable("AWS_SESSION_TOKEN"),
        })),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(
            "one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set, and the other is not"
                .to_owned(),
        ),
    }
}
