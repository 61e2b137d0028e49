//! Connection texts: one text says where a program's tables are.
//!
//! | text | where |
//! |---|---|
//! | `memory:` | an engine in this process, in memory |
//! | `keyfold:./data` | an engine in this process, over a data folder |
//! | `http://127.0.0.1:8000`, `https://…` | an endpoint: a Keyfold server, or another engine with DynamoDB's API |
//! | `dynamodb://eu-west-1` | Amazon DynamoDB in a region |
//!
//! The last two take `?profile=NAME`, `?region=NAME` and `?ca=FILE`. [`Connection`] reads the text and
//! nothing else; [`Connection::endpoint`] adds region and credentials from the [`Surroundings`].
//!
//! Not here: opening a data folder, and sending requests.

mod keys;
mod profile;
mod settle;
mod surroundings;

use crate::amazon::is_region;
use keyfold_lower::ClientError;
use keyfold_model::value::shown_text;
use percent_encoding::percent_decode_str;
use std::path::PathBuf;
use std::str::FromStr;

pub use keys::Keys;
pub(crate) use keys::Names;
pub use surroundings::Surroundings;

/// Where a program's tables are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// An engine in this process, in memory.
    Memory,
    /// An engine in this process, over a data folder.
    Folder(PathBuf),
    /// An endpoint with DynamoDB's API.
    Endpoint {
        /// Its address.
        url: String,
        /// What the text says beside the address.
        asked: Asked,
    },
    /// Amazon DynamoDB.
    Amazon(Asked),
}

/// The region, the credentials and the authorities that a connection text asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The region.
    pub region: Option<String>,
    /// The profile of the shared AWS files whose credentials sign requests.
    pub profile: Option<String>,
    /// The file of the certificate authorities that are trusted.
    pub ca: Option<String>,
}

/// What a wrong text is answered with.
const FORMS: &str = "write http://127.0.0.1:8000, https://HOST, dynamodb://eu-west-1?profile=NAME, \
                     keyfold:./data or memory:";

impl FromStr for Connection {
    type Err = ClientError;

    /// Reads a connection text.
    ///
    /// # Errors
    /// `Invalid` when it has none of the forms, or a parameter that is not known. A password in the
    /// text is not repeated.
    fn from_str(text: &str) -> Result<Connection, ClientError> {
        Connection::among(text, FORMS)
    }
}

impl Connection {
    /// Reads a connection text. `forms` is what a wrong text is answered with, where only some of the forms
    /// are taken: `write http://127.0.0.1:8000`.
    ///
    /// # Errors
    /// Those of [`Connection::from_str`].
    pub fn among(text: &str, forms: &str) -> Result<Connection, ClientError> {
        let whole = Whole { text, forms };
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(whole.wrong("it has no scheme"));
        };
        match scheme.to_ascii_lowercase().as_str() {
            "memory" if rest.is_empty() => Ok(Connection::Memory),
            "memory" => Err(whole.wrong("nothing stands behind `memory:`")),
            "keyfold" if rest.is_empty() => Err(whole.wrong("no folder is named")),
            "keyfold" => Ok(Connection::Folder(PathBuf::from(rest))),
            "http" | "https" => {
                let (url, asked) = whole.parameters()?;
                crate::endpoint::address(url)?;
                let url = url.to_owned();
                Ok(Connection::Endpoint { url, asked })
            }
            "dynamodb" => whole.amazon(),
            _ => Err(whole.wrong("its scheme is not known")),
        }
    }
}

/// A connection text, and what it is answered with when it is wrong.
#[derive(Clone, Copy)]
struct Whole<'t> {
    text: &'t str,
    forms: &'t str,
}

impl<'t> Whole<'t> {
    /// `dynamodb://REGION`, or `dynamodb://` with the region of the surroundings.
    fn amazon(self) -> Result<Connection, ClientError> {
        let (place, mut asked) = self.parameters()?;
        let Some(region) = place.split_once("://").map(|(_, region)| region) else {
            return Err(self.wrong("`//` and a region stand behind `dynamodb:`"));
        };
        let region = region.trim_end_matches('/');
        if !region.is_empty() {
            if asked.region.is_some() {
                return Err(self.wrong("it has two regions"));
            }
            asked.region = Some(region.to_owned());
        }
        if asked.region.as_ref().is_some_and(|name| !is_region(name)) {
            return Err(self.wrong("a region looks like eu-west-1"));
        }
        Ok(Connection::Amazon(asked))
    }

    /// The text before `?`, and the parameters behind it.
    fn parameters(self) -> Result<(&'t str, Asked), ClientError> {
        let text = self.text;
        let Some((place, query)) = text.split_once('?') else {
            return Ok((text, Asked::default()));
        };
        let mut asked = Asked::default();
        for parameter in query.split('&') {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = percent_decode_str(value)
                .decode_utf8()
                .map_err(|_| self.wrong(&format!("`{}` is not UTF-8", shown_text(name))))?;
            let slot = match name {
                "profile" => &mut asked.profile,
                "region" => &mut asked.region,
                "ca" => &mut asked.ca,
                other => {
                    let why = format!(
                        "its parameters are profile, region and ca, and not `{}`",
                        shown_text(other)
                    );
                    return Err(self.wrong(&why));
                }
            };
            if value.is_empty() || slot.is_some() {
                let why = format!("`{name}` has one value");
                return Err(self.wrong(&why));
            }
            *slot = Some(value.into_owned());
        }
        Ok((place, asked))
    }

    fn wrong(self, why: &str) -> ClientError {
        let shown = crate::endpoint::without_password(self.text);
        let (shown, forms) = (shown_text(&shown), self.forms);
        ClientError::Invalid(format!("`{shown}` is no connection: {why}; {forms}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(region: Option<&str>, profile: Option<&str>) -> Asked {
        Asked {
            region: region.map(str::to_owned),
            profile: profile.map(str::to_owned),
            ca: None,
        }
    }

    #[test]
    fn a_text_says_where_the_tables_are() {
        let endpoint = |url: &str, asked: Asked| Connection::Endpoint {
            url: url.to_owned(),
            asked,
        };
        for (text, connection) in [
            ("memory:", Connection::Memory),
            ("keyfold:./data", Connection::Folder("./data".into())),
            (
                "keyfold:/var/a b?c",
                Connection::Folder("/var/a b?c".into()),
            ),
            (
                "http://127.0.0.1:8000",
                endpoint("http://127.0.0.1:8000", Asked::default()),
            ),
            (
                "HTTPS://db.example/?region=eu-west-1",
                endpoint("HTTPS://db.example/", asked(Some("eu-west-1"), None)),
            ),
            (
                "https://db.example?ca=/etc/ca%20of%20us.pem",
                endpoint(
                    "https://db.example",
                    Asked {
                        ca: Some("/etc/ca of us.pem".to_owned()),
                        ..Asked::default()
                    },
                ),
            ),
            ("dynamodb://", Connection::Amazon(Asked::default())),
            (
                "dynamodb://eu-west-1",
                Connection::Amazon(asked(Some("eu-west-1"), None)),
            ),
            (
                "dynamodb://eu-west-1/?profile=the%20team",
                Connection::Amazon(asked(Some("eu-west-1"), Some("the team"))),
            ),
            (
                "dynamodb://?profile=a&region=us-east-2",
                Connection::Amazon(asked(Some("us-east-2"), Some("a"))),
            ),
        ] {
            assert_eq!(text.parse::<Connection>().unwrap(), connection, "{text}");
        }
    }

    #[test]
    fn a_wrong_text_is_refused_with_the_reason() {
        for (text, why) in [
            ("", "no scheme"),
            ("./data", "no scheme"),
            ("127.0.0.1:8000", "scheme is not known"),
            ("sqlite:./data", "scheme is not known"),
            ("memory:x", "behind `memory:`"),
            ("keyfold:", "no folder"),
            ("dynamodb:eu-west-1", "`//` and a region"),
            ("dynamodb://EU", "looks like"),
            ("dynamodb://eu-west-1/x", "looks like"),
            ("dynamodb://a?region=b", "two regions"),
            ("dynamodb://a?profil=b", "not `profil`"),
            ("dynamodb://a?profile=", "one value"),
            ("dynamodb://a?profile=b&profile=c", "one value"),
            ("dynamodb://a?profile=%ff", "UTF-8"),
            ("http://host/path", "behind the host"),
            ("http://user:hunter2@host", "a user or a password"),
            ("mysql://user:hunter2@host", "scheme is not known"),
            ("x:\u{1b}[31m", "\\u{1b}"),
        ] {
            let error = text.parse::<Connection>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
