//! The proof by execution of the model as it is edited: one at a time, in a thread of its own. The page asks
//! how far it is.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a proof is: the name of its phase, and the steps done and in all.
pub type ProofStep<'s> = (&'s str, usize, usize);

/// Proves a model. It is called with each step, which says whether it goes on, and returns the report, or a sentence;
/// `None` where it did not go on.
pub type Prove = Arc<
    dyn Fn(
            &keyfold_model::Model,
            &mut dyn FnMut(ProofStep<'_>) -> bool,
        ) -> Result<Option<Json>, String>
        + Send
        + Sync,
>;

/// What the page sends to begin a proof.
#[derive(Deserialize)]
pub(crate) struct Asked {
    pub(crate) file: usize,
    /// The text as it is edited.
    pub(crate) text: String,
}

/// The proofs of a workbench.
pub(crate) struct Proofs {
    prove: Prove,
    state: Arc<Mutex<Json>>,
    stops: Arc<AtomicBool>,
}

fn held(state: &Mutex<Json>) -> MutexGuard<'_, Json> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proofs {
    pub(crate) fn new(prove: Prove) -> Proofs {
        let state = Arc::new(Mutex::new(json!({ "isRunning": false })));
        Proofs {
            prove,
            state,
            stops: Arc::default(),
        }
    }

    /// How far the proof is, or what the last one has found.
    pub(crate) fn state(&self) -> Json {
        held(&self.state).clone()
    }

    /// Ends the proof that runs, if one does, at its next step.
    pub(crate) fn stop(&self) {
        self.stops.store(true, Ordering::SeqCst);
    }

    /// Begins the proof of a model, whose text is what was asked.
    ///
    /// # Errors
    /// A sentence, when one is running, or no thread can be started.
    pub(crate) fn begin(&self, model: keyfold_model::Model, asked: Asked) -> Result<(), String> {
        {
            let mut state = held(&self.state);
            if state["isRunning"] == true {
                return Err("a proof is running already".to_owned());
            }
            *state = json!({ "isRunning": true, "phase": "beginning", "done": 0, "total": 0 });
            self.stops.store(false, Ordering::SeqCst);
        }
        let (prove, state) = (Arc::clone(&self.prove), Arc::clone(&self.state));
        let stops = Arc::clone(&self.stops);
        let work = move || {
            let running = Running(Arc::clone(&state));
            let mut step = |(phase, done, total): ProofStep<'_>| {
                *held(&state) =
                    json!({ "isRunning": true, "phase": phase, "done": done, "total": total });
                !stops.load(Ordering::SeqCst)
            };
            let mut said = match prove(&model, &mut step) {
                Ok(Some(report)) => json!({ "isRunning": false, "report": report }),
                Ok(None) => json!({ "isRunning": false, "isStopped": true }),
                Err(error) => json!({ "isRunning": false, "error": error }),
            };
            said["file"] = asked.file.into();
            said["text"] = asked.text.into();
            *held(&running.0) = said;
        };
        let thread = std::thread::Builder::new().name("proof".to_owned());
        thread.spawn(work).map(drop).map_err(|error| {
            let why = format!("cannot start a thread: {error}");
            *held(&self.state) = json!({ "isRunning": false, "error": why });
            why
        })
    }
}

/// A proof that runs. One that panics is over, too.
struct Running(Arc<Mutex<Json>>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = held(&self.0);
        if state["isRunning"] == true {
            *state = json!({ "isRunning": false, "error": "the proof broke off" });
        }
    }
}
