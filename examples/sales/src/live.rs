//! The state of everything, for pages that are open: sales, views and their lag, workers, numbers.

use crate::crew::{Crew, News, WorkerShown};
use crate::desk::{Desk, today};
use crate::importer::Importer;
use crate::numbers::{DailyRow, RegionRow};
use crate::seller::{Seller, Sold};
use crate::upkeep::without_table;
use examples_web::Problem;
use keyfold::typed::Error;
use keyfold::views::ViewStatus;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// How often it is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// The looks that are remembered.
const LOOKS: usize = 120;

/// How the sentence about numbers that cannot be read begins.
const UNREAD: &str = "The numbers cannot be read. ";

/// A view at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ViewShown {
    view: String,
    generation: Option<u64>,
    /// How far the next generation is, while one is built.
    building: Option<String>,
    behind: u64,
    lag_ms: u64,
    set_aside: usize,
}

/// A look at the sales and at the views that follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Look {
    /// Orders that were placed since the look before.
    placed: u64,
    /// The records that the view which is furthest behind has not handled.
    behind: u64,
    /// The age of the oldest of them.
    lag_ms: u64,
}

/// Everything at a moment. It has looks as soon as it was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    day: String,
    sold: Sold,
    views: Vec<ViewShown>,
    workers: Vec<WorkerShown>,
    is_disturbed: bool,
    /// Whether the sales rest for a proof.
    is_resting: bool,
    daily: Vec<DailyRow>,
    regions: Vec<RegionRow>,
    /// The looks since somebody looks: none from before a pause, in which nobody did.
    looks: VecDeque<Look>,
    news: Vec<News>,
    /// What does not work at the moment.
    problem: Option<String>,
}

/// The states, which are made while somebody looks at them.
#[derive(Debug, Clone)]
pub struct Live {
    states: Arc<watch::Sender<Shown>>,
}

/// What the states are made of.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    pub(crate) desk: Desk,
    pub(crate) seller: Seller,
    pub(crate) importer: Importer,
    pub(crate) crew: Crew,
}

impl Live {
    /// Looks once a second, while anybody does.
    pub(crate) fn start(watched: Watched) -> Live {
        let states = Arc::new(watch::Sender::new(Shown::default()));
        tokio::spawn(follow(watched, Arc::clone(&states)));
        Live { states }
    }

    /// The states from one on that was made while somebody looked.
    pub(crate) async fn states(&self) -> watch::Receiver<Shown> {
        let mut states = self.states.subscribe();
        // It fails where no state follows. Then the one that there is ends the events.
        drop(states.wait_for(|state| !state.looks.is_empty()).await);
        states
    }
}

async fn follow(watched: Watched, states: Arc<watch::Sender<Shown>>) {
    let mut placed = 0;
    loop {
        let began = Instant::now();
        if states.receiver_count() == 0 {
            placed = watched.seller.sold().placed;
            // Who looks after a pause gets a state of its own, and no line from the looks before to the present one.
            states.send_if_modified(|state| {
                let is_old = !state.looks.is_empty();
                *state = Shown::default();
                is_old
            });
        } else {
            let next = match now(&watched).await {
                Ok(shown) => shown,
                Err(error) => troubled(&watched, states.borrow().clone(), error),
            };
            states.send_modify(|state| {
                let looks = std::mem::take(&mut state.looks);
                *state = next;
                state.looks = looks;
                state.looks.push_back(look(state, &mut placed));
                while state.looks.len() > LOOKS {
                    state.looks.pop_front();
                }
            });
        }
        sleep(LOOK.saturating_sub(began.elapsed()).max(LOOK / 5)).await;
    }
}

/// The last state with what is known now, where it cannot be made.
fn troubled(watched: &Watched, last: Shown, error: Error) -> Shown {
    // It was said, and logged.
    let known = last.problem.filter(|known| known.starts_with(UNREAD));
    let problem = known.unwrap_or_else(|| format!("{UNREAD}{}", Problem::from(error).detail()));
    Shown {
        day: today(),
        sold: watched.seller.sold(),
        workers: watched.crew.workers(),
        news: watched.crew.news(),
        problem: Some(problem),
        ..last
    }
}

fn look(state: &Shown, placed: &mut u64) -> Look {
    let before = std::mem::replace(placed, state.sold.placed);
    let views = || state.views.iter();
    Look {
        placed: state.sold.placed - before,
        behind: views().map(|view| view.behind).max().unwrap_or_default(),
        lag_ms: views().map(|view| view.lag_ms).max().unwrap_or_default(),
    }
}

async fn now(watched: &Watched) -> Result<Shown, Error> {
    let desk = &watched.desk;
    let day = today();
    let month: String = day.chars().take(7).collect();
    let (status, daily, regions) = tokio::join!(
        desk.status(),
        desk.sales_of_day(&day),
        desk.sales_of_month(&month)
    );
    let (status, mut daily, regions) = (status?, daily?, regions?);
    daily.sort_by_key(|row| std::cmp::Reverse(row.turnover_cents));
    let sold = watched.seller.sold();
    let aside = status.iter().find_map(|view| view.why.clone());
    let aside = aside.map(|why| format!("A view has set records aside: {why}"));
    let import = watched.importer.catalogue().problem;
    let import = import.map(|why| format!("The import fails: {why}"));
    Ok(Shown {
        day,
        views: status.into_iter().map(view_shown).collect(),
        workers: watched.crew.workers(),
        is_disturbed: watched.crew.is_disturbed(),
        is_resting: desk.rest().try_read().is_err(),
        daily,
        regions,
        looks: VecDeque::new(),
        news: watched.crew.news(),
        problem: aside.or(import),
        sold,
    })
}

fn view_shown(status: ViewStatus) -> ViewShown {
    ViewShown {
        view: without_table(&status.view).to_owned(),
        generation: status.live,
        building: status
            .next
            .map(|(number, how)| format!("building generation {number}: {how}")),
        behind: status.behind,
        lag_ms: u64::try_from(status.lag.as_millis()).unwrap_or(u64::MAX),
        set_aside: status.set_aside,
    }
}
