//! Keys that expire: fetched from their place, kept, and fetched again before they expire.
//!
//! ```text
//! |------------- good -------------|-- aging (5 minutes) --|-- gone --
//! fetched                                                  expires
//! ```
//!
//! Aging keys are used while one request fetches new ones, and afterwards if none could be had. One
//! fetch is under way at a time.

use crate::connection::Keys;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, SystemTime};

/// The time before their end in which keys are fetched again.
const EARLY: Duration = Duration::from_secs(5 * 60);
/// The least time between two fetches while the keys are still good.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keys and the moment at which they end, if they do.
#[derive(Debug, Clone)]
pub(super) struct Fetched {
    pub(super) keys: Keys,
    pub(super) expires: Option<SystemTime>,
}

/// A fetch under way: keys, or the reason why there are none.
pub(super) type Fetching = Pin<Box<dyn Future<Output = Result<Fetched, String>> + Send>>;

/// Keys of another place. Cloning shares them.
#[derive(Clone)]
pub(super) struct Source {
    shared: Arc<Shared>,
}

struct Shared {
    fetch: Box<dyn Fn() -> Fetching + Send + Sync>,
    kept: Mutex<Kept>,
    /// Held while keys are fetched.
    turn: tokio::sync::Mutex<()>,
}

/// The keys that were fetched last.
#[derive(Default)]
struct Kept {
    keys: Option<(Arc<Keys>, Option<SystemTime>)>,
    /// The moment before which aging keys are not fetched again.
    again_at: Option<SystemTime>,
}

/// What the kept keys are good for.
#[derive(Debug, Clone, PartialEq)]
enum State {
    Good(Arc<Keys>),
    /// They are still good, and should be fetched again.
    Aging(Arc<Keys>),
    Gone,
}

impl Kept {
    fn state(&self, now: SystemTime) -> State {
        let Some((keys, expires)) = &self.keys else {
            return State::Gone;
        };
        let Some(expires) = expires else {
            return State::Good(Arc::clone(keys));
        };
        match expires.duration_since(now) {
            Ok(Duration::ZERO) | Err(_) => State::Gone,
            Ok(left) if left > EARLY => State::Good(Arc::clone(keys)),
            Ok(_) if self.again_at.is_some_and(|at| now < at) => State::Good(Arc::clone(keys)),
            Ok(_) => State::Aging(Arc::clone(keys)),
        }
    }

    /// Takes the result of a fetch, and returns the keys to use.
    fn take(
        &mut self,
        result: Result<Fetched, String>,
        now: SystemTime,
    ) -> Result<Arc<Keys>, String> {
        self.again_at = Some(now + PATIENCE);
        match (result, self.state(now)) {
            (Ok(Fetched { keys, expires }), _) => {
                let keys = Arc::new(keys);
                self.keys = Some((Arc::clone(&keys), expires));
                Ok(keys)
            }
            (Err(_), State::Good(keys) | State::Aging(keys)) => Ok(keys),
            (Err(why), State::Gone) => Err(why),
        }
    }
}

impl Source {
    #[cfg_attr(
        not(feature = "aws"),
        allow(
            dead_code,
            reason = "only this feature has a place that keys are fetched from"
        )
    )]
    pub(super) fn new(fetch: impl Fn() -> Fetching + Send + Sync + 'static) -> Source {
        Source {
            shared: Arc::new(Shared {
                fetch: Box::new(fetch),
                kept: Mutex::default(),
                turn: tokio::sync::Mutex::default(),
            }),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.shared
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> State {
        self.kept().state(SystemTime::now())
    }

    /// The keys, on a task of tokio.
    ///
    /// # Errors
    /// The reason why there are none.
    pub(super) async fn keys(&self) -> Result<Arc<Keys>, String> {
        let turn = match self.state() {
            State::Good(keys) => return Ok(keys),
            State::Aging(keys) => match self.shared.turn.try_lock() {
                Ok(turn) => turn,
                Err(_) => return Ok(keys),
            },
            State::Gone => self.shared.turn.lock().await,
        };
        // Another request may have fetched them in the meantime.
        if let State::Good(keys) = self.state() {
            return Ok(keys);
        }
        let result = (self.shared.fetch)().await;
        let keys = self.kept().take(result, SystemTime::now());
        drop(turn);
        keys
    }

    /// The keys, on a thread that waits for them at most `time`.
    ///
    /// # Errors
    /// The reason why there are none.
    pub(super) fn keys_now(&self, time: Duration) -> Result<Arc<Keys>, String> {
        if let State::Good(keys) = self.state() {
            return Ok(keys);
        }
        let (sender, receiver) = mpsc::channel();
        let own = self.clone();
        crate::runtime::own()?.spawn(async move {
            // A receiver that has given up needs no keys.
            drop(sender.send(own.keys().await));
        });
        match receiver.recv_timeout(time) {
            Ok(keys) => keys,
            Err(_) => Err(format!("they did not come within {time:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn keys(name: &str) -> Keys {
        Keys {
            access_key: name.to_owned(),
            secret: String::new(),
            session_token: None,
        }
    }

    fn fetched(name: &str, expires: Option<SystemTime>) -> Result<Fetched, String> {
        Ok(Fetched {
            keys: keys(name),
            expires,
        })
    }

    #[test]
    fn keys_are_kept_until_they_age() {
        let start = SystemTime::UNIX_EPOCH;
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut kept = Kept::default();
        assert_eq!(kept.state(start), State::Gone);
        assert_eq!(kept.take(Err("no".to_owned()), start), Err("no".to_owned()));
        kept.take(fetched("a", Some(at(3600))), start).unwrap();
        let (one, two) = (Arc::new(keys("a")), Arc::new(keys("b")));
        assert_eq!(kept.state(at(3299)), State::Good(one.clone()));
        assert_eq!(kept.state(at(3300)), State::Aging(one.clone()));
        // A fetch that fails leaves them in use, and is not repeated at once.
        assert_eq!(kept.take(Err("no".to_owned()), at(3300)), Ok(one.clone()));
        assert_eq!(kept.state(at(3329)), State::Good(one.clone()));
        assert_eq!(kept.state(at(3330)), State::Aging(one));
        assert_eq!(kept.state(at(3600)), State::Gone);
        kept.take(fetched("b", None), at(3600)).unwrap();
        assert_eq!(kept.state(at(1_000_000_000)), State::Good(two));
    }

    /// Many tasks and threads ask at once: one fetch.
    #[test]
    fn one_fetch_is_under_way_at_a_time() {
        let count = Arc::new(AtomicUsize::new(0));
        let fetches = count.clone();
        let source = Source::new(move || {
            let number = fetches.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(30)).await;
                match number {
                    0 => Err("not yet".to_owned()),
                    _ => fetched(&number.to_string(), None),
                }
            })
        });
        let second = Duration::from_secs(1);
        assert_eq!(source.keys_now(second), Err("not yet".to_owned()));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let own = source.clone();
                std::thread::spawn(move || own.keys_now(second))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), Ok(Arc::new(keys("1"))));
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
        let slow = Source::new(|| Box::pin(std::future::pending()));
        assert!(slow.keys_now(Duration::from_millis(20)).is_err());
    }
}
