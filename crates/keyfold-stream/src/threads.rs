//! Threads that carry a worker out: one for each of its tasks. A request blocks its thread.

use crate::failures::{self, SetAside};
use crate::handler::{Failure, Handler};
use crate::options::Options;
use crate::tasks::Tasks;
use crate::world::{Boxed, Io, World};
use keyfold_api::{Request, Response};
use keyfold_client::{Backend, blocked, origin};
use keyfold_lower::ClientError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Carries out a request, and blocks the thread until it is answered.
pub type Sends = Arc<dyn Fn(Request) -> Result<Response, ClientError> + Send + Sync>;

/// Sends requests to a backend.
pub fn sends(backend: Arc<Backend>) -> Sends {
    Arc::new(move |request| backend.call(request))
}

/// The surroundings of a worker in a program.
pub(crate) struct Threads {
    itself: Weak<Threads>,
    send: Sends,
    began: Instant,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    stops: Mutex<bool>,
    stopped: Condvar,
}

impl Threads {
    pub(crate) fn new(send: Sends) -> Arc<Threads> {
        Arc::new_cyclic(|itself| Threads {
            itself: Weak::clone(itself),
            send,
            began: Instant::now(),
            tasks: Mutex::default(),
            stops: Mutex::new(false),
            stopped: Condvar::new(),
        })
    }

    /// Ends all pauses, and makes none any more but the shortest.
    pub(crate) fn stop(&self) {
        *lock(&self.stops) = true;
        self.stopped.notify_all();
    }

    /// Waits until all tasks have ended, also those that begin meanwhile.
    pub(crate) fn join(&self) {
        loop {
            let Some(task) = lock(&self.tasks).pop() else {
                return;
            };
            // A task that panicked has ended; its leases go to others.
            drop(task.join());
        }
    }
}

/// A pause while the worker stops: its tasks try a last time, and must not spin.
const LAST_PAUSE: Duration = Duration::from_millis(20);

impl Io for Threads {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(async move { (self.send)(request) })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        Box::pin(async move {
            let stops = lock(&self.stops);
            if *stops {
                drop(stops);
                return std::thread::sleep(time.min(LAST_PAUSE));
            }
            let waited = self
                .stopped
                .wait_timeout_while(stops, time, |stops| !*stops);
            drop(waited);
        })
    }

    fn random(&self) -> u64 {
        fastrand::u64(..)
    }
}

impl World for Threads {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn epoch_ms(&self) -> i64 {
        origin().now_epoch_ms
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        // The task has a worker, which has these surroundings: they outlive it.
        let surroundings = self.itself.upgrade();
        let task = std::thread::spawn(move || {
            blocked(task);
            drop(surroundings);
        });
        let mut tasks = lock(&self.tasks);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A worker: it reads its share of a stream's shards until it is stopped.
///
/// Dropping it stops it, and waits for what it is about.
pub struct Worker {
    tasks: Tasks,
    threads: Arc<Threads>,
}

impl Worker {
    /// Starts a worker. The tables of the leases and of the failures are made if they are absent. A
    /// consumer that begins with the latest record has begun when this returns: what is written then is
    /// handled, whatever happens to the worker.
    ///
    /// # Errors
    /// `Invalid` for settings that contradict each other; the backend's error.
    pub fn start(
        send: Sends,
        options: Options,
        handler: impl Handler,
    ) -> Result<Worker, ClientError> {
        let threads = Threads::new(send);
        let world: Arc<dyn World> = Arc::clone(&threads) as Arc<dyn World>;
        let tasks = blocked(Tasks::prepare(world, options, Arc::new(handler)))?;
        tasks.begin();
        Ok(Worker { tasks, threads })
    }

    /// Lets the worker end what it is about, gives its shards back, and waits for that.
    ///
    /// # Errors
    /// The reason for which the worker had stopped by itself: records are missing.
    pub fn stop(self) -> Result<(), ClientError> {
        self.end()
    }

    /// Waits until the worker stops by itself, and returns the reason.
    pub fn wait(self) -> ClientError {
        while !self.tasks.is_stopping() {
            std::thread::sleep(LAST_PAUSE);
        }
        match self.end() {
            Err(error) => error,
            Ok(()) => ClientError::Invalid("the worker was stopped".to_owned()),
        }
    }

    /// Whether it has stopped by itself.
    pub fn has_stopped(&self) -> bool {
        self.tasks.is_stopping()
    }

    fn end(&self) -> Result<(), ClientError> {
        self.tasks.stop();
        self.threads.stop();
        self.threads.join();
        self.tasks
            .why()
            .map_or(Ok(()), |why| Err(ClientError::refused(why)))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.end());
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("options", self.tasks.options())
            .finish_non_exhaustive()
    }
}

/// The records that a consumer has set aside.
///
/// # Errors
/// The backend's; `Refused` when the table has items of others.
pub fn set_aside(send: &Sends, options: &Options) -> Result<Vec<SetAside>, ClientError> {
    let threads = Threads::new(Arc::clone(send));
    blocked(failures::list(&*threads, &options.failures, &options.name))
}

/// Handles a record that was set aside, and deletes it in the transaction of its effects: exactly once.
///
/// # Errors
/// The handler's failure, or the backend's. Then the record is still there.
pub fn replay(
    send: &Sends,
    options: &Options,
    record: &SetAside,
    handler: &impl Handler,
) -> Result<(), Failure> {
    let threads = Threads::new(Arc::clone(send));
    let place = (options.failures.as_str(), options.name.as_str());
    blocked(failures::replay(&*threads, place, record, handler))
}
