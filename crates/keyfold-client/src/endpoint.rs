//! The settings of an endpoint: its address, credentials, times and attempts.

use keyfold_lower::ClientError;
use keyfold_model::value::shown_text;
use std::fmt;
use std::time::Duration;
use ureq::http::Uri;

/// An endpoint and how it is used.
#[derive(Clone)]
pub struct Endpoint {
    /// The address, such as `https://dynamodb.eu-west-1.amazonaws.com`.
    pub url: String,
    /// The region of signatures.
    pub region: String,
    /// The access key.
    pub access_key: String,
    /// The secret of the access key.
    pub secret: String,
    /// The session token of temporary credentials.
    pub session_token: Option<String>,
    /// Another place of the credentials, which takes the place of those above.
    pub elsewhere: Option<Elsewhere>,
    /// The `User-Agent` of requests, which policies may ask for; that of the transport by default.
    pub agent: Option<String>,
    /// The certificate authorities that are trusted, as PEM; the public ones by default.
    pub authorities: Option<Vec<u8>>,
    /// The most time to connect.
    pub connect_timeout: Duration,
    /// The most time of an attempt, from connecting to the end of the answer.
    pub request_timeout: Duration,
    /// How often a request is sent again at the most, where that is safe.
    pub retries: u32,
}

/// Credentials that expire, of the sources that Amazon's own SDKs ask. They are fetched when the first
/// request is sent, and again before they expire. Needs the feature `aws`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The profile of the shared AWS files that says where; by default all sources in the SDKs' order.
    pub profile: Option<String>,
}

impl Endpoint {
    /// An endpoint with the credentials `local`, in us-east-1.
    pub fn new(url: &str) -> Endpoint {
        Endpoint {
            url: url.to_owned(),
            region: "us-east-1".to_owned(),
            access_key: "local".to_owned(),
            secret: "local".to_owned(),
            session_token: None,
            elsewhere: None,
            agent: None,
            authorities: None,
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(30),
            retries: 3,
        }
    }
}

/// Shows neither secrets nor what may be a password in the address.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &without_password(&self.url))
            .field("region", &self.region)
            .field("access_key", &self.access_key)
            .finish_non_exhaustive()
    }
}

/// The address of an endpoint, in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The address that requests are sent to: `http://127.0.0.1:8000/`.
    pub(crate) url: String,
    /// The host with its port, as requests name it: `127.0.0.1:8000`.
    pub(crate) authority: String,
    /// The host alone, an address of IPv6 without brackets.
    pub(crate) host: String,
    /// The port.
    pub(crate) port: u16,
    /// Whether connections have TLS.
    pub(crate) is_encrypted: bool,
}

impl Address {
    /// Why it could not be reached. Where nothing listens on this machine, it is said what starts a server.
    pub(crate) fn unreached(&self, why: &dyn fmt::Display, is_refused: bool) -> String {
        let advice = match is_refused && self.is_near() {
            true => "; `keyfold serve` starts a server",
            false => "",
        };
        format!("cannot reach {}: {why}{advice}", self.url)
    }

    /// Whether it is one of this machine.
    pub(crate) fn is_near(&self) -> bool {
        let address = self.host.parse::<std::net::IpAddr>();
        self.host == "localhost"
            || address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
    }
}

/// Reads the address of an endpoint.
///
/// # Errors
/// `Invalid` when the text is no address of an endpoint.
pub(crate) fn address(url: &str) -> Result<Address, ClientError> {
    let wrong = |why: &str| {
        Err(ClientError::Invalid(format!(
            "`{}` is no address of an endpoint: {why}; an address looks like http://127.0.0.1:8000",
            shown_text(&without_password(url))
        )))
    };
    // A text without a scheme would be parsed as a host.
    let Some((scheme, _)) = url.split_once("://") else {
        return wrong("it does not begin with http:// or https://");
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return wrong("it does not begin with http:// or https://");
    }
    if url.contains('@') {
        return wrong("it has a user or a password, and credentials are given beside the address");
    }
    let Ok(uri) = url.parse::<Uri>() else {
        return wrong("it has no host, or characters that an address cannot have");
    };
    let Some(authority) = uri.authority().filter(|one| !one.host().is_empty()) else {
        return wrong("it has no host");
    };
    let behind_host = authority.as_str().strip_prefix(authority.host());
    let port = behind_host.unwrap_or_default();
    if !port.is_empty() && authority.port_u16().is_none_or(|port| port == 0) {
        return wrong("its port is no number from 1 to 65535");
    }
    if !uri.path().trim_matches('/').is_empty() || uri.query().is_some() || url.contains('#') {
        return wrong("there is something behind the host");
    }
    let is_encrypted = scheme.eq_ignore_ascii_case("https");
    let host = authority.host();
    let unbracketed = host.strip_prefix('[').and_then(|one| one.strip_suffix(']'));
    Ok(Address {
        url: format!("{}://{authority}/", scheme.to_ascii_lowercase()),
        authority: authority.as_str().to_owned(),
        host: unbracketed.unwrap_or(host).to_owned(),
        port: authority
            .port_u16()
            .unwrap_or(if is_encrypted { 443 } else { 80 }),
        is_encrypted,
    })
}

/// An address without what stands before `@`.
pub(crate) fn without_password(url: &str) -> String {
    match url.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_and_a_host() {
        let amazon = "dynamodb.eu-west-1.amazonaws.com";
        for (url, authority, host, port) in [
            ("http://127.0.0.1:8000", "127.0.0.1:8000", "127.0.0.1", 8000),
            (&format!("https://{amazon}/"), amazon, amazon, 443),
            ("http://db.example", "db.example", "db.example", 80),
            ("HTTP://[::1]:8000//", "[::1]:8000", "::1", 8000),
        ] {
            let found = address(url).unwrap();
            assert_eq!(found.authority, authority, "{url}");
            assert_eq!((found.host.as_str(), found.port), (host, port), "{url}");
            assert_eq!(found.is_encrypted, port == 443, "{url}");
        }
        for (url, why) in [
            ("", "begin with"),
            ("127.0.0.1:8000", "begin with"),
            ("ftp://host", "begin with"),
            ("http://", "no host"),
            ("http:///path", "no host"),
            ("http://:8000", "no host"),
            ("http://host:", "port"),
            ("http://host:0", "port"),
            ("http://host:99999", "port"),
            ("http://host:x", "no address"),
            ("http://a b", "characters"),
            ("http://host/path", "behind the host"),
            ("http://host/?a=b", "behind the host"),
            ("http://host#x", "behind the host"),
            ("http://\u{1b}[31m", "\\u{1b}"),
            ("http://user:hunter2@host", "a user or a password"),
            ("http://hunter2@@/", "a user or a password"),
            ("ftp://user:hunter2@host", "begin with"),
        ] {
            let error = address(url).unwrap_err().to_string();
            assert!(
                error.contains(why) && !error.contains("hunter2"),
                "{url}: {error}"
            );
        }
        let shown = format!("{:?}", Endpoint::new("http://u:hunter2@host"));
        assert!(
            !shown.contains("hunter2") && !shown.contains("secret"),
            "{shown}"
        );
    }
}
