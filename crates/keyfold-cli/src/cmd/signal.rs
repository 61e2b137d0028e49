//! The signals that end a command.

use crate::failure::Failure;

/// Ctrl-C and SIGTERM. From its creation on no signal is missed: one that comes while nobody waits is
/// the next one.
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// Takes the signals over from the system, which would end the process. Within a runtime.
    ///
    /// # Errors
    /// When the system refuses it.
    #[cfg(unix)]
    pub(super) fn take() -> Result<Signals, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let take = |kind| {
            signal(kind)
                .map_err(|error| Failure::backend(format!("cannot wait for signals: {error}")))
        };
        Ok(Signals {
            interrupt: take(SignalKind::interrupt())?,
            terminate: take(SignalKind::terminate())?,
        })
    }

    /// Nothing is to be taken over here.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub(super) fn take() -> Result<Signals, Failure> {
        Ok(Signals {})
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
