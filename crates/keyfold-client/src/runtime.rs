//! The runtime on which tasks meet the network: the task's own where that is tokio, and else one
//! thread of this process.

use std::sync::OnceLock;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// Awaits a future that needs tokio's network and clock, on a task of any runtime. Dropping the
/// returned future ends it.
///
/// # Errors
/// The reason why no thread could be started.
pub(crate) async fn on_tokio<F>(future: F) -> Result<F::Output, String>
where
    F: Future<Output: Send> + Send + 'static,
{
    if Handle::try_current().is_ok() {
        return Ok(future.await);
    }
    let mut running = Running(own()?.spawn(future));
    match (&mut running.0).await {
        Ok(output) => Ok(output),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Err(error.to_string()),
        },
    }
}

/// The runtime of this process for tasks of other runtimes. It lives as long as the process.
pub(crate) fn own() -> Result<&'static Runtime, String> {
    static OWN: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let runtime = OWN.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("keyfold-http");
        let built = builder.enable_all().build();
        built.map_err(|error| format!("no thread can be started for requests: {error}"))
    });
    runtime.as_ref().map_err(String::clone)
}

/// A task that ends when nobody awaits it any more.
struct Running<T>(JoinHandle<T>);

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
