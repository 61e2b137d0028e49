//! Keys that expire: fetched from their place, kept, and fetched again before they expire.
//!
//! ```text
//! |------------- good -------------|-- aging (5 minutes) --|-- gone --
//! fetched                                                  expires
//! ```
//!
//! Aging keys are used while new ones are fetched, and afterwards if none could be had. One fetch is
//! under way at a time, on a task of its own: it goes on when the call that needed it has ended.
//!
//! Keys that an endpoint refuses as ended are fetched again before their time ([`Source::forget`]).

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
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// The keys that were fetched last.
#[derive(Default)]
struct Kept {
    keys: Option<(Arc<Keys>, Option<SystemTime>)>,
    /// The moment before which aging keys are not fetched again.
    again_at: Option<SystemTime>,
    /// The moment before which refused keys are not fetched again.
    forget_at: Option<SystemTime>,
    /// The number of fetches that have ended, and why the last one failed.
    ended: u64,
    failed: Option<String>,
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
        self.ended += 1;
        self.failed = result.as_ref().err().cloned();
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

    /// Why a fetch failed that has ended since `ended` of them had.
    fn failed_since(&self, ended: u64) -> Option<String> {
        self.failed.clone().filter(|_| self.ended > ended)
    }

    /// Lets keys go that were refused. Returns whether a request with other keys may succeed: those of
    /// another fetch, or of the next one. Keys that are wrong are not fetched again for each request.
    fn forget(&mut self, refused: &Arc<Keys>, now: SystemTime) -> bool {
        let is_kept = self
            .keys
            .as_ref()
            .is_some_and(|(keys, _)| Arc::ptr_eq(keys, refused));
        if !is_kept {
            return true;
        }
        if self.forget_at.is_some_and(|at| now < at) {
            return false;
        }
        self.forget_at = Some(now + PATIENCE);
        self.keys = None;
        true
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
                turn: Arc::default(),
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

    /// Lets keys go that an endpoint refused as ended. Returns whether the request may succeed with
    /// others.
    pub(super) fn forget(&self, refused: &Arc<Keys>) -> bool {
        self.kept().forget(refused, SystemTime::now())
    }

    /// The keys, on a task.
    ///
    /// # Errors
    /// The reason why there are none.
    pub(super) async fn keys(&self) -> Result<Arc<Keys>, String> {
        if let Some(keys) = self.ready()? {
            return Ok(keys);
        }
        let own = self.clone();
        let fetched = crate::runtime::own()?.spawn(async move { own.fetched().await });
        fetched.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// The keys, on a thread that waits for them at most `time`.
    ///
    /// # Errors
    /// The reason why there are none.
    pub(super) fn keys_now(&self, time: Duration) -> Result<Arc<Keys>, String> {
        if let Some(keys) = self.ready()? {
            return Ok(keys);
        }
        let (sender, receiver) = mpsc::channel();
        let own = self.clone();
        crate::runtime::own()?.spawn(async move {
            // A receiver that has given up needs no keys.
            drop(sender.send(own.fetched().await));
        });
        match receiver.recv_timeout(time) {
            Ok(keys) => keys,
            Err(_) => Err(format!("they did not come within {time:?}")),
        }
    }

    /// The kept keys, if they are good for a request. Aging ones are fetched again meanwhile.
    ///
    /// # Errors
    /// When no thread can be started.
    fn ready(&self) -> Result<Option<Arc<Keys>>, String> {
        let keys = match self.state() {
            State::Good(keys) => return Ok(Some(keys)),
            State::Gone => return Ok(None),
            State::Aging(keys) => keys,
        };
        if let Ok(turn) = Arc::clone(&self.shared.turn).try_lock_owned() {
            let own = self.clone();
            crate::runtime::own()?.spawn(async move {
                let result = (own.shared.fetch)().await;
                // Without new keys, the aging ones stay.
                drop(own.kept().take(result, SystemTime::now()));
                drop(turn);
            });
        }
        Ok(Some(keys))
    }

    /// The keys, fetched if nobody else fetches them meanwhile.
    async fn fetched(&self) -> Result<Arc<Keys>, String> {
        let ended = self.kept().ended;
        let turn = self.shared.turn.lock().await;
        if let State::Good(keys) | State::Aging(keys) = self.state() {
            return Ok(keys);
        }
        if let Some(why) = self.kept().failed_since(ended) {
            return Err(why);
        }
        let result = (self.shared.fetch)().await;
        let keys = self.kept().take(result, SystemTime::now());
        drop(turn);
        keys
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

    /// A fetch that hangs while the keys are good for some minutes holds nobody up.
    #[test]
    fn aging_keys_are_used_while_new_ones_are_fetched() {
        let count = Arc::new(AtomicUsize::new(0));
        let fetches = count.clone();
        let source = Source::new(move || {
            let number = fetches.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move {
                match number {
                    0 => fetched("0", Some(SystemTime::now() + Duration::from_secs(60))),
                    _ => std::future::pending().await,
                }
            })
        });
        let runtime = crate::runtime::own().unwrap();
        assert_eq!(source.keys_now(SECOND), Ok(Arc::new(keys("0"))));
        source.kept().again_at = None;
        for _ in 0..3 {
            assert_eq!(source.keys_now(SECOND), Ok(Arc::new(keys("0"))));
            let awaited = async { tokio::time::timeout(SECOND, source.keys()).await };
            assert_eq!(runtime.block_on(awaited).unwrap(), Ok(Arc::new(keys("0"))));
        }
        let until = std::time::Instant::now() + SECOND;
        while count.load(Ordering::SeqCst) < 2 && std::time::Instant::now() < until {
            std::thread::yield_now();
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    /// Tasks that waited for a fetch that failed do not repeat it one after the other.
    #[test]
    fn a_fetch_that_fails_fails_for_all_who_wait() {
        let count = Arc::new(AtomicUsize::new(0));
        let fetches = count.clone();
        let source = Source::new(move || {
            fetches.fetch_add(1, Ordering::SeqCst);
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                Err("no".to_owned())
            })
        });
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let own = source.clone();
                std::thread::spawn(move || own.keys_now(SECOND))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), Err("no".to_owned()));
        }
        assert!(count.load(Ordering::SeqCst) <= 2, "{count:?}");
    }

    /// A task that gives up does not end the fetch that it began.
    #[test]
    fn keys_arrive_for_tasks_with_little_time() {
        let count = Arc::new(AtomicUsize::new(0));
        let fetches = count.clone();
        let source = Source::new(move || {
            fetches.fetch_add(1, Ordering::SeqCst);
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                fetched("late", None)
            })
        });
        let runtime = crate::runtime::own().unwrap();
        let little = Duration::from_millis(10);
        let mut asks = (0..200)
            .map(|_| runtime.block_on(async { tokio::time::timeout(little, source.keys()).await }));
        assert_eq!(asks.find_map(Result::ok), Some(Ok(Arc::new(keys("late")))));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    /// Refused keys are fetched again once in a while, not for each request.
    #[test]
    fn refused_keys_are_let_go_once_in_a_while() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let mut kept = Kept::default();
        let first = kept.take(fetched("a", None), at(0)).unwrap();
        assert!(kept.forget(&first, at(1)));
        assert_eq!(kept.state(at(1)), State::Gone);
        let second = kept.take(fetched("b", None), at(1)).unwrap();
        // A request with the first keys was refused late: the second ones are there.
        assert!(kept.forget(&first, at(2)));
        assert_eq!(kept.state(at(2)), State::Good(second.clone()));
        assert!(!kept.forget(&second, at(30)));
        assert!(kept.forget(&second, at(31)));
    }

    const SECOND: Duration = Duration::from_secs(1);
}
