//! The names that an application is called by. A page whose own name leads to this machine (DNS
//! rebinding) reads and writes what only this machine reaches; its name shows in the header `Host`.

use crate::problem::Problem;
use axum::http::{HeaderMap, header};
use std::net::{IpAddr, Ipv6Addr};

/// Names the one further name that an application answers to: that of a proxy before it.
const ALLOW_HOST: &str = "ALLOW_HOST";

/// The sentence about an `ALLOW_HOST` that is no name. Whoever starts the application has to know: no
/// request would ever be called so.
pub(crate) fn wrong() -> Option<String> {
    let given = std::env::var_os(ALLOW_HOST).unwrap_or_default();
    let is_name = given.to_str().is_some_and(is_name_alone);
    (!given.is_empty() && !is_name).then(|| {
        let given = given.to_string_lossy();
        format!(
            "{ALLOW_HOST} is {given:?}. Set it to a name alone, as club.example.com, without http:// and port"
        )
    })
}

/// Whether it is a name without a scheme, a port and a path.
fn is_name_alone(name: &str) -> bool {
    name.split('.').all(is_part)
}

/// Whether it can stand between the dots of a name.
fn is_part(part: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !part.is_empty() && part.bytes().all(is_word)
}

/// Why a request calls the application by a name that anybody may let lead here, or by none.
pub(crate) fn misnamed(headers: &HeaderMap) -> Option<Problem> {
    let mut named = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else {
        return Some(Problem::unnamed());
    };
    // What is no text, or no name and port, is nobody's name.
    let Some(name) = host.to_str().ok().and_then(name_of) else {
        return Some(Problem::unnamed());
    };
    let is_own = is_safe(name) || is_allowed(name);
    (!is_own).then(|| Problem::misnamed(name))
}

/// Whether a name, with a port or without, is that of a proxy, which the application was told of.
pub(crate) fn is_allowed(host: &str) -> bool {
    let allowed = std::env::var(ALLOW_HOST).unwrap_or_default();
    name_of(host).is_some_and(|name| name.eq_ignore_ascii_case(&allowed))
}

/// The name in `name`, `name:port` or `[address]:port`.
fn name_of(host: &str) -> Option<&str> {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (name, rest) = match bracketed {
        Some((address, rest)) => (address.parse::<Ipv6Addr>().ok().map(|_| address)?, rest),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = |port: &str| {
        (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_whole = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    (is_whole && !name.is_empty()).then_some(name)
}

/// Whether no page of the web has this name: it is an address, a name without a dot, or one below
/// `localhost`.
fn is_safe(name: &str) -> bool {
    let last = name.rsplit('.').next();
    let is_local =
        !name.contains('.') || last.is_some_and(|last| last.eq_ignore_ascii_case("localhost"));
    name.parse::<IpAddr>().is_ok() || is_local && is_name_alone(name)
}

#[cfg(test)]
mod tests {
    use super::misnamed;
    use axum::http::{HeaderMap, HeaderValue, header};

    #[test]
    fn only_names_that_cannot_be_registered_are_answered() {
        let named = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            misnamed(&headers)
        };
        for own in [
            "127.0.0.1",
            "127.0.0.1:8000",
            "[::1]:8000",
            "localhost",
            "LOCALHOST:80",
            "home.localhost",
            "club:8000",
        ] {
            assert_eq!(named(own), None, "{own}");
        }
        for other in [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "[localhost]evil.example",
            "local host",
            ".localhost",
            "localhost:",
            "localhost:80:evil",
            "",
        ] {
            assert!(named(other).is_some(), "{other}");
        }
        assert!(misnamed(&HeaderMap::new()).is_some());
        let mut two = HeaderMap::new();
        two.append(header::HOST, HeaderValue::from_static("localhost"));
        two.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(misnamed(&two).is_some());
    }
}
