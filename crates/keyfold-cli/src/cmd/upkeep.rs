//! How far the rows of a model's views are, for `keyfold verify`.

use crate::cmd::views;
use keyfold_client::verify::{self, Report};
use keyfold_model::Model;
use keyfold_stream::Sends;
use keyfold_stream::views::{ViewStatus, live, status};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time between two looks.
const LOOK_TIME: Duration = Duration::from_millis(500);
/// How long rows may not come nearer to their sources before they are not waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait for them, when they do.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The rows of a view in a report.
pub(super) struct Rows {
    pub(super) view: String,
    pub(super) count: u64,
    /// The attributes that were not compared with the source, each with the reason; the reason when no row was.
    pub(super) compared: Result<Vec<(String, &'static str)>, &'static str>,
    /// The generation that readers see; `None` while there is none. Unknown where it cannot be read.
    pub(super) live: Option<Option<u64>>,
}

/// The upkeep of a model's views.
pub(super) struct Upkeep {
    send: Sends,
    model: Arc<Model>,
}

impl Upkeep {
    pub(super) fn new(send: Sends, model: &Arc<Model>) -> Upkeep {
        let model = Arc::clone(model);
        Upkeep { send, model }
    }

    /// Waits until rows have followed their sources, while they do. Returns the names of the views of
    /// which it is not known that they have.
    pub(super) fn lagging(&self) -> Vec<String> {
        let (began, mut since) = (Instant::now(), Instant::now());
        let mut seen = None;
        loop {
            // Where the state cannot be read, nothing is known.
            let Ok(all) = status(&self.send, &self.model, &views::consumers()) else {
                let names = views::names(&self.model).into_iter();
                return names.map(str::to_owned).collect();
            };
            let lagging: Vec<&ViewStatus> = all.iter().filter(|view| is_lagging(view)).collect();
            let behind: u64 = lagging.iter().map(|view| view.behind).sum();
            if seen.replace(behind) != Some(behind) {
                since = Instant::now();
            }
            let is_over = since.elapsed() >= PATIENCE || began.elapsed() >= WAIT_MAX;
            if lagging.is_empty() || is_over {
                let names = lagging.iter().map(|view| views::name_of(view).to_owned());
                return names.collect();
            }
            std::thread::sleep(LOOK_TIME);
        }
    }

    /// The rows of the model's views.
    pub(super) fn rows(&self, report: &Report) -> Vec<Rows> {
        let entities = self.model.entities.iter();
        let of: Vec<_> = entities.filter(|entity| entity.view.is_some()).collect();
        if of.is_empty() {
            return Vec::new();
        }
        let live = live(&self.send, &self.model).unwrap_or_default();
        let rows = of.into_iter().map(|entity| {
            let number = live.iter().find(|(view, _)| *view == entity.name);
            let compared = match (verify::uncompared(&self.model, entity), &report.sample) {
                (_, Some(_)) => Err("a sample has not all items of a row"),
                (None, None) => Err("the items of a row may lie in tables of several periods"),
                (Some(left), None) => {
                    let left = left.into_iter().map(|(name, why)| (name.to_owned(), why));
                    Ok(left.collect())
                }
            };
            Rows {
                count: report.kinds.get(&entity.name).copied().unwrap_or_default(),
                compared,
                live: number.map(|(_, number)| *number),
                view: entity.name.clone(),
            }
        });
        rows.collect()
    }
}

/// Whether rows may be behind their source: records are left, nobody keeps them any more, or others are about to take
/// their place.
/// Those of a view that was never built follow from nothing.
fn is_lagging(view: &ViewStatus) -> bool {
    view.next.is_some() || view.lost.is_some() || view.live.is_some() && view.behind > 0
}
