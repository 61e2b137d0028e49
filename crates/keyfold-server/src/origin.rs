//! The protection from web pages: a page may call only if the server was started for its origin.
//!
//! A page in a browser on this machine reaches servers that only this machine reaches. Two ways are
//! closed here: a page of another origin, which browsers send in `Origin`, and a page whose own
//! name resolves to this server (DNS rebinding), which shows in `Host`. Other programs send no
//! `Origin` and are not affected.

use crate::config::ServerConfig;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use std::net::{IpAddr, Ipv6Addr};

const EXPOSED: &str = "x-amzn-requestid,x-amzn-errortype,x-amz-crc32,date";
/// Seconds for which a browser may cache the answer to a preflight.
const PREFLIGHT_MAX_AGE_S: &str = "172800";
const REQUEST_PRIVATE: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const ALLOW_PRIVATE: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// The web page that sent a request.
pub(crate) enum Page {
    /// No page, or a page of this server.
    Own,
    /// A page of an origin that the server was started for.
    Allowed(HeaderValue),
}

/// Determines the page of a request; returns the reason for people if it may not call.
pub(crate) fn judge(config: &ServerConfig, parts: &Parts) -> Result<Page, String> {
    for name in [header::HOST, header::ORIGIN] {
        if parts.headers.get_all(&name).iter().count() > 1 {
            return Err(format!("There is more than one {name} header"));
        }
    }
    // An absolute target takes precedence over `Host`. Probes of HTTP/1.0 have neither.
    let authority = parts.uri.authority().map(|authority| authority.as_str());
    // A header that is not text matches no name.
    let host = parts
        .headers
        .get(header::HOST)
        .map(|value| value.to_str().unwrap_or("?"));
    let named = authority.or(host);
    // A rebound page can call only an open server: it cannot sign, and over HTTPS its certificate
    // differs.
    let is_open = config.credentials.is_empty() && config.tls.is_none();
    if let Some(named) = named.filter(|_| is_open) {
        let name = name_of(named).ok_or_else(|| format!("`{named}` is no name of a server"))?;
        if !is_safe_name(config, name) {
            return Err(format!(
                "`{name}` is not a name of this server; if it is, start the server with --allow-host {name}"
            ));
        }
    }
    let Some(origin) = parts.headers.get(header::ORIGIN) else {
        return Ok(Page::Own);
    };
    let given = origin.to_str().unwrap_or_default();
    if config
        .allow_origins
        .iter()
        .any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(given))
    {
        return Ok(Page::Allowed(origin.clone()));
    }
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let is_own = given.split_once("://").is_some_and(|(before, rest)| {
        before == scheme && named.is_some_and(|named| rest.eq_ignore_ascii_case(named))
    });
    if is_own {
        return Ok(Page::Own);
    }
    Err(format!(
        "Pages of `{given}` may not call; to let them call, start the server with --allow-origin {given}"
    ))
}

/// The name in `name`, `name:port` or `[address]:port`; `None` for anything else.
fn name_of(authority: &str) -> Option<&str> {
    let (name, rest) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => authority
            .find(':')
            .map_or((authority, ""), |at| authority.split_at(at)),
    };
    let is_port = |port: &str| port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    let has_valid_rest = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    let is_name = match authority.starts_with('[') {
        true => name.parse::<Ipv6Addr>().is_ok(),
        false => name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')),
    };
    (has_valid_rest && is_name && !name.is_empty()).then_some(name)
}

/// Whether a name is safe from rebinding: an address, a name that cannot be registered, or a name
/// that the server was started with.
fn is_safe_name(config: &ServerConfig, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_reserved = |top: &str| {
        name == top
            || name
                .strip_suffix(top)
                .is_some_and(|rest| rest.ends_with('.'))
    };
    name.parse::<IpAddr>().is_ok()
        || !name.contains('.')
        || ["localhost", "internal", "test", "home.arpa"]
            .into_iter()
            .any(is_reserved)
        || config
            .allow_hosts
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(&name))
}

/// Adds the headers that let an allowed page read an answer.
pub(crate) fn expose(page: &Page, answer: &mut HeaderMap) {
    if let Page::Allowed(origin) = page {
        answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        answer.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(EXPOSED),
        );
        answer.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
}

/// Adds the headers that answer a preflight of an allowed page.
pub(crate) fn preflight(page: &Page, asked: &HeaderMap, answer: &mut HeaderMap) {
    if let Page::Own = page {
        return;
    }
    let pairs = [
        (
            header::ACCESS_CONTROL_REQUEST_METHOD,
            header::ACCESS_CONTROL_ALLOW_METHODS,
        ),
        (
            header::ACCESS_CONTROL_REQUEST_HEADERS,
            header::ACCESS_CONTROL_ALLOW_HEADERS,
        ),
        (REQUEST_PRIVATE, ALLOW_PRIVATE),
    ];
    for (asked_in, answered_in) in pairs {
        if let Some(wanted) = asked.get(asked_in) {
            answer.insert(answered_in, wanted.clone());
        }
    }
    answer.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static(PREFLIGHT_MAX_AGE_S),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Credential;
    use std::net::SocketAddr;

    fn judged(config: &ServerConfig, host: &str, origin: Option<&str>) -> Result<bool, String> {
        let mut request = hyper::Request::post("/").header("host", host);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        judge(config, &parts).map(|page| matches!(page, Page::Allowed(_)))
    }

    fn plain() -> ServerConfig {
        ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 8000)))
    }

    #[test]
    fn names_that_anyone_can_register_are_refused() {
        let mut config = plain();
        for safe in [
            "localhost",
            "localhost:8000",
            "127.0.0.1:8000",
            "[::1]:8000",
            "a.localhost",
            "keyfold:8000",
        ] {
            assert_eq!(judged(&config, safe, None), Ok(false), "{safe}");
        }
        assert_eq!(
            judged(&config, "host.docker.internal:8000", None),
            Ok(false)
        );
        for other in [
            "evil.example",
            "evil.example:8000",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "x@evil.example",
            "localhost@evil.example",
            "[::1].evil.example",
            "[localhost]x.evil.com:80",
            "localhost:80.evil.com",
            "ai.",
            "[evil.example]",
            "local host",
            "",
        ] {
            assert!(judged(&config, other, None).is_err(), "{other}");
        }
        config.allow_hosts.push("db.example.com".to_owned());
        assert_eq!(judged(&config, "DB.example.com:8000", None), Ok(false));
        // With credentials a page cannot sign.
        config.credentials.push(Credential::new("A", "s"));
        assert_eq!(judged(&config, "evil.example", None), Ok(false));
    }

    #[test]
    fn a_repeated_header_is_refused() {
        for name in ["host", "origin"] {
            let request = hyper::Request::post("/").header("host", "localhost");
            let request = request
                .header(name, "localhost")
                .header(name, "evil.example");
            let (parts, ()) = request.body(()).unwrap().into_parts();
            assert!(judge(&plain(), &parts).is_err(), "{name}");
        }
    }

    #[test]
    fn pages_may_call_from_the_servers_origin_or_an_allowed_one() {
        let mut config = plain();
        assert_eq!(
            judged(&config, "localhost:8000", Some("http://localhost:8000")),
            Ok(false)
        );
        for other in [
            "http://localhost:3000",
            "https://localhost:8000",
            "http://evil.example",
            "null",
            "",
        ] {
            assert!(
                judged(&config, "localhost:8000", Some(other)).is_err(),
                "{other}"
            );
        }
        config
            .allow_origins
            .push("http://localhost:3000".to_owned());
        assert_eq!(
            judged(&config, "localhost:8000", Some("http://localhost:3000")),
            Ok(true)
        );
        assert!(judged(&config, "localhost:8000", Some("http://localhost:30001")).is_err());
        config.allow_origins.push("*".to_owned());
        assert_eq!(judged(&config, "localhost:8000", Some("null")), Ok(true));
    }
}
