//! The upkeep of views while a proof runs: workers, some of which lose their database in the middle of
//! what they do, as a process that is killed does.

use crate::ProveError;
use keyfold_client::{Backend, ClientError};
use keyfold_model::Model;
use keyfold_stream::Sends;
use keyfold_stream::views::{ViewOptions, ViewReport, ViewWorker, status};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a proof waits for workers to come to the end of the streams.
const SETTLE_TIME_MAX: Duration = Duration::from_secs(20);
/// The time between two looks at them.
const LOOK_TIME: Duration = Duration::from_millis(10);

/// Keeps the views of a model until no record is left. Before that, workers are killed, each after so
/// many requests. Returns how many of them were killed in the middle of what they did.
pub(crate) fn keep(backend: &Backend, model: &Model, kills: &[i64]) -> Result<usize, ProveError> {
    let backend = Arc::new(match backend {
        Backend::Embedded(engine) => Backend::Embedded(Arc::clone(engine)),
        Backend::Guarded(guarded) => Backend::Guarded(Arc::clone(guarded)),
        Backend::Http(http) => Backend::Http(Arc::clone(http)),
    });
    let model = Arc::new(model.clone());
    let trouble = Arc::new(Mutex::new(String::new()));
    let options = options(Arc::clone(&trouble));
    let mut killed = 0;
    for requests in kills {
        let left = Arc::new(AtomicI64::new(*requests));
        let worker = ViewWorker::start(dying(&backend, &left), &model, &options);
        // A worker that is killed early cannot even start.
        let Ok(worker) = worker else {
            killed += 1;
            continue;
        };
        let began = Instant::now();
        while left.load(Ordering::SeqCst) > 0 && began.elapsed() < 20 * LOOK_TIME {
            std::thread::sleep(LOOK_TIME);
        }
        // One that had nothing to do for so long is ended, and not killed.
        killed += usize::from(left.swap(0, Ordering::SeqCst) <= 0);
        drop(worker);
    }
    let send = keyfold_stream::sends(Arc::clone(&backend));
    let worker = ViewWorker::start(Arc::clone(&send), &model, &options)?;
    let began = Instant::now();
    loop {
        let all = status(&send, &model, &options.consumers)?;
        let is_done = all.iter().all(|one| {
            one.live.is_some() && one.is_current && one.next.is_none() && one.behind == 0
        });
        if is_done {
            worker.stop()?;
            return Ok(killed);
        }
        if let Some(why) = all.iter().find_map(|one| one.why.clone()) {
            return Err(ProveError::Engine(format!("a view is not kept: {why}")));
        }
        if began.elapsed() > SETTLE_TIME_MAX {
            let why = trouble.lock().unwrap_or_else(PoisonError::into_inner);
            let message =
                format!("the views are not kept within {SETTLE_TIME_MAX:?}: {why}, {all:?}");
            return Err(ProveError::Engine(message));
        }
        std::thread::sleep(LOOK_TIME);
    }
}

/// Sends requests until none is left; then each fails, and what it asks for is not done.
fn dying(backend: &Arc<Backend>, left: &Arc<AtomicI64>) -> Sends {
    let (backend, left) = (Arc::clone(backend), Arc::clone(left));
    Arc::new(move |request| {
        if left.fetch_sub(1, Ordering::SeqCst) > 0 {
            return backend.call(request);
        }
        Err(ClientError::Invalid("the worker is killed".to_owned()))
    })
}

/// Settings in which a killed worker's shards go to another soon. The last trouble of a worker is
/// noted.
fn options(trouble: Arc<Mutex<String>>) -> ViewOptions {
    let mut options = ViewOptions {
        on_report: Arc::new(move |view, report| {
            if let ViewReport::Trouble(why) = report {
                let mut last = trouble.lock().unwrap_or_else(PoisonError::into_inner);
                *last = format!("{view}: {why}");
            }
        }),
        ..ViewOptions::default()
    };
    let consumers = &mut options.consumers;
    consumers.lease_time = Duration::from_millis(400);
    consumers.discovery_time = Duration::from_millis(50);
    consumers.poll_time = Duration::from_millis(10);
    consumers.retry_pause = Duration::from_millis(5);
    options
}
