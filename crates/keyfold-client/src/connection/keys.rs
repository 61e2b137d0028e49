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

/// The parts of keys, in the words of a place that has them.
pub(crate) struct Names<'a> {
    pub(crate) access_key: &'a str,
    pub(crate) secret: &'a str,
    pub(crate) session_token: &'a str,
}

/// The names of the environment.
const OF_ENVIRONMENT: Names<'static> = Names {
    access_key: "AWS_ACCESS_KEY_ID",
    secret: "AWS_SECRET_ACCESS_KEY",
    session_token: "AWS_SESSION_TOKEN",
};

impl Keys {
    /// The keys, whose characters are those that keys have: a line's end that came with one would
    /// make every signature wrong.
    ///
    /// # Errors
    /// A sentence that names the wrong part, and does not show it.
    pub(crate) fn checked(self, names: &Names<'_>) -> Result<Keys, String> {
        let is_visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        let is_key = |text: &str| is_visible(text) && !text.contains(['/', ',']);
        let token = self.session_token.as_deref().unwrap_or_default();
        let wrong =
            |name: &str, what: &str| Err(format!("{name} has a character that no {what} has"));
        if !is_key(&self.access_key) {
            return wrong(names.access_key, "access key");
        }
        if !is_visible(&self.secret) {
            return wrong(names.secret, "secret");
        }
        if !is_visible(token) {
            return wrong(names.session_token, "token");
        }
        Ok(self)
    }
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
        (Some(access_key), Some(secret)) => {
            let keys = Keys {
                access_key,
                secret,
                session_token: surroundings.variable("AWS_SESSION_TOKEN"),
            };
            keys.checked(&OF_ENVIRONMENT).map(Some)
        }
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(
            "one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set, and the other is not"
                .to_owned(),
        ),
    }
}
