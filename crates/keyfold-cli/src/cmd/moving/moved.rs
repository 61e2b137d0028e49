//! A table that is moved by this command.

use super::cost::{Priced, units_view};
use super::line::Far;
use super::places::Opened;
use keyfold_client::{ClientError, blocked};
use keyfold_motion::tables::Found;
use keyfold_motion::threads::Threads;
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Ended, Options, Progress, Writing, carry_on, swapped};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A table that is moved.
pub(super) struct Moved {
    pub(super) found: Found,
    pub(super) options: Options,
    pub(super) stream: Option<String>,
    /// The side whose changes are read.
    pub(super) reads: Place,
    pub(super) progress: Arc<Progress>,
    pub(super) threads: Arc<Threads>,
    pub(super) priced: Priced,
    /// The exports of which its is one; `None` when it goes to a table.
    pub(super) export: Option<Arc<Writing>>,
    /// Whether its run has ended with an error.
    pub(super) has_failed: AtomicBool,
    /// Whether its run has ended since the move was paused.
    pub(super) is_paused: AtomicBool,
    /// Whether it was even when the runs ended: their last look may have been cut short.
    pub(super) was_even: AtomicBool,
}

/// Ends the tasks of a run when it has ended, whatever the reason.
struct Ends<'m>(&'m Moved);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.has_failed.store(true, Ordering::SeqCst);
        }
        self.0.progress.stop();
        self.0.threads.join();
    }
}

impl Moved {
    /// The run of a direction of a move.
    pub(super) fn of(
        places: &Opened,
        options: Options,
        (found, stream): (Found, Option<String>),
        reads: Place,
    ) -> Moved {
        let progress = Arc::new(Progress::default());
        Moved {
            threads: places.threads(&progress),
            reads,
            priced: places.priced,
            found,
            options,
            stream,
            progress,
            export: None,
            has_failed: AtomicBool::new(false),
            is_paused: AtomicBool::new(false),
            was_even: AtomicBool::new(false),
        }
    }

    /// Carries it on until its run ends.
    pub(super) fn carry_on(&self) -> Result<Ended, ClientError> {
        let world: Arc<dyn World> = Arc::clone(&self.threads) as Arc<dyn World>;
        let world = match self.reads {
            Place::Source => world,
            Place::Target => swapped(world),
        };
        let of = (self.found.schema.clone(), self.stream.clone());
        let (options, progress) = (self.options.clone(), Arc::clone(&self.progress));
        // Also when it panics.
        let ends = Ends(self);
        let ended = match &self.export {
            Some(writing) => {
                let from = (&self.found, options.rate);
                blocked(writing.export(&*world, from, &progress))
            }
            None => blocked(carry_on(world, options, of, progress)),
        };
        let has_failed = ended.is_err();
        self.has_failed.store(has_failed, Ordering::SeqCst);
        let is_paused = matches!(ended, Ok(Ended::Paused));
        self.is_paused.store(is_paused, Ordering::SeqCst);
        drop(ends);
        ended
    }

    /// Whether its run has ended with an error.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    /// Whether its run has ended since the move was paused.
    pub(super) fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::SeqCst)
    }

    /// Whether the target's table is even with the source's.
    pub(super) fn is_even(&self) -> bool {
        self.was_even.load(Ordering::SeqCst) || self.progress.figures().is_even()
    }

    /// How far it is, in words.
    pub(super) fn state(&self) -> String {
        let far = self.far();
        match (far.is_copied(), self.is_even()) {
            (true, true) => format!("copied, and even with the {}", self.reads.word()),
            (true, false) => "copied".to_owned(),
            (false, _) => format!("{} of {} segments copied", far.segments_done, far.segments),
        }
    }

    /// How far it is.
    pub(super) fn far(&self) -> Far {
        let mut far = Far::of(&self.found, &self.progress.figures(), self.stream.is_some());
        far.is_export = self.export.is_some();
        if let [tables, _, even] = &mut far.tables
            && self.is_even()
        {
            *even = *tables;
        }
        far
    }

    /// What programs get of it.
    pub(super) fn view(&self) -> Json {
        let figures = self.progress.figures();
        let mut view = json!({
            "table": self.found.table,
            "follows": self.stream.is_some(),
            "items": figures.items,
            "kept": figures.kept,
            "records": figures.records,
            "changes": figures.changes,
            "segments": figures.segments,
            "segmentsDone": figures.segments_done,
            "isEven": self.is_even(),
            "secondsBehind": self.far().behind.map(|time| time.as_secs()),
            "isPaused": self.is_paused(),
            "expiry": self.found.expiry,
            "units": units_view(figures.units),
            "dollars": self.priced.dollars(figures.units),
            "throttles": figures.throttles,
        });
        // Nothing of an export waits until it is complete.
        if let Some(writing) = &self.export {
            let root = writing.root(&self.found.table).unwrap_or_default();
            view["export"] = Json::from(root.display().to_string());
            view["items"] = Json::from(figures.earlier.read + figures.items);
            view["expiry"] = Json::Null;
        }
        view
    }
}
