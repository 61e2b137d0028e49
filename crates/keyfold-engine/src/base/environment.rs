//! Time and randomness, which the engine's caller provides.

use std::sync::Arc;

/// A source of time.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> u64;
}

/// A source of random numbers: for identifiers, and for the secret that seals the cursors of
/// clients.
pub trait Random: Send + Sync {
    /// 128 random bits.
    fn next_u128(&self) -> u128;
}

/// Time and randomness.
#[derive(Clone)]
pub struct Environment {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The random source.
    pub random: Arc<dyn Random>,
}

struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the engine's clock may be the machine's"
    )]
    fn now_ms(&self) -> u64 {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since_epoch.map_or(0, |elapsed| {
            u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
        })
    }
}

struct SystemRandom;

impl Random for SystemRandom {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the engine's random source may be the machine's"
    )]
    fn next_u128(&self) -> u128 {
        let mut bytes = [0; 16];
        // Without a random source of the system, identifiers can be guessed. That is no reason to
        // fail.
        getrandom::fill(&mut bytes)
            .map_or_else(|_| fastrand::u128(..), |()| u128::from_be_bytes(bytes))
    }
}

impl Environment {
    /// The machine's clock and random source.
    pub fn system() -> Environment {
        Environment {
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
        }
    }
}
