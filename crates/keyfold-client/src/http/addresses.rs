//! The addresses of an endpoint's host, kept between blocking requests.
//!
//! The blocking library asks for the addresses before each request, also before one that goes by a
//! kept connection, and it asks for them on a thread of its own.

use super::pool::IDLE_MAX;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ArrayVec, DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Addresses that were found. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub(super) struct Addresses {
    found: Arc<Mutex<Vec<Found>>>,
}

/// The addresses of one host.
#[derive(Debug)]
struct Found {
    /// The scheme, the host and the port.
    of: String,
    addresses: Vec<SocketAddr>,
    since: Instant,
}

impl Addresses {
    /// Forgets what was found: a host that could not be reached may have moved.
    pub(super) fn forget(&self) {
        self.found().clear();
    }

    fn found(&self) -> MutexGuard<'_, Vec<Found>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The addresses of a host that were found not long ago.
    fn kept(&self, of: &str) -> Option<ResolvedSocketAddrs> {
        let mut found = self.found();
        found.retain(|one| one.since.elapsed() < IDLE_MAX);
        let own = found.iter().find(|one| one.of == of)?;
        Some(listed(&own.addresses))
    }
}

impl Resolver for Addresses {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        if let Some(address) = numeric(uri) {
            return Ok(listed(&[address]));
        }
        let of = format!(
            "{}://{}",
            uri.scheme_str().unwrap_or_default(),
            uri.authority().map_or("", |authority| authority.as_str())
        );
        if let Some(kept) = self.kept(&of) {
            return Ok(kept);
        }
        let resolved = DefaultResolver::default().resolve(uri, config, timeout)?;
        self.found().push(Found {
            of,
            addresses: resolved.iter().copied().collect(),
            since: Instant::now(),
        });
        Ok(resolved)
    }
}

/// The address of a host that is written in numbers, and with its port.
fn numeric(uri: &Uri) -> Option<SocketAddr> {
    let host = uri.host()?;
    let inside = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address: IpAddr = inside.unwrap_or(host).parse().ok()?;
    Some(SocketAddr::new(address, uri.port_u16()?))
}

/// Addresses as the library takes them: at most as many as it tries.
fn listed(addresses: &[SocketAddr]) -> ResolvedSocketAddrs {
    let unused = SocketAddr::from(([0, 0, 0, 0], 0));
    let mut all: ResolvedSocketAddrs = ArrayVec::from_fn(|_| unused);
    addresses.iter().for_each(|one| all.push(*one));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_in_numbers_are_not_looked_up() {
        for (uri, address) in [
            ("http://127.0.0.1:8000/", Some("127.0.0.1:8000")),
            ("http://[::1]:8000/", Some("[::1]:8000")),
            ("http://localhost:8000/", None),
            ("https://10.0.0.1/", None),
        ] {
            let found = numeric(&uri.parse().unwrap()).map(|one| one.to_string());
            assert_eq!(found.as_deref(), address, "{uri}");
        }
    }

    #[test]
    fn addresses_are_kept_until_a_host_cannot_be_reached() {
        let addresses = Addresses::default();
        let one: SocketAddr = "10.0.0.1:80".parse().unwrap();
        addresses.found().push(Found {
            of: "http://host".to_owned(),
            addresses: vec![one],
            since: Instant::now(),
        });
        let kept = addresses.kept("http://host").unwrap();
        assert_eq!(kept.iter().collect::<Vec<_>>(), [&one]);
        assert!(addresses.kept("http://other").is_none());
        addresses.forget();
        assert!(addresses.kept("http://host").is_none());
    }
}
