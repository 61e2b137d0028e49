//! The number of connections of each address. A limit keeps one client from taking all connections.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The open connections of all addresses.
pub(crate) struct Addresses {
    open: Mutex<HashMap<IpAddr, usize>>,
    /// Connections that one address may have open.
    max: usize,
}

/// An admitted connection, which counts for its address until this is dropped.
pub(crate) struct Admitted {
    addresses: Arc<Addresses>,
    address: IpAddr,
}

/// The client of an address: the address itself, of IPv6 its /64 network.
fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

impl Addresses {
    pub(crate) fn new(max: usize) -> Arc<Addresses> {
        Arc::new(Addresses {
            open: Mutex::default(),
            max,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection; `None` when its address has reached the limit.
    pub(crate) fn admit(self: &Arc<Addresses>, address: IpAddr) -> Option<Admitted> {
        let address = client(address);
        let mut open = self.lock();
        let count = open.entry(address).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(Admitted {
            addresses: Arc::clone(self),
            address,
        })
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.addresses.lock();
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_a_limit_and_gets_closed_connections_back() {
        let addresses = Addresses::new(2);
        let admit = |address: &str| addresses.admit(address.parse().unwrap());
        let first = admit("10.0.0.1").unwrap();
        let _mapped = admit("::ffff:10.0.0.1").unwrap();
        assert!(admit("10.0.0.1").is_none());
        let _other = admit("10.0.0.2").unwrap();
        drop(first);
        let _again = admit("10.0.0.1").unwrap();
        // A network of IPv6 is one client.
        let network = [
            admit("2001:db8::1").unwrap(),
            admit("2001:db8::ffff:2").unwrap(),
        ];
        assert!(admit("2001:db8::3").is_none());
        assert!(admit("2001:db8:0:1::3").is_some());
        drop(network);
        assert!(
            !addresses.lock().keys().any(IpAddr::is_ipv6),
            "addresses without connections are removed"
        );
    }
}
