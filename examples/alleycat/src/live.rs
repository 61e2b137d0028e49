//! Races as they run, for pages that are open: one reader of each race in this process, however many
//! pages look at it, and whichever process runs it.

use crate::club::{Club, Row};
use crate::model::Race;
use crate::simulator::Figures;
use examples_web::Problem;
use keyfold::typed::{Error, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::time::sleep;

/// How often a race is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// The rows that a page shows.
const ROWS: u32 = 10;
/// A race without figures that is so much longer than it may take at the slowest is given up.
const PATIENCE_SECONDS: i64 = 600;

/// A race at a moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// The top, the highest first.
    pub rows: Vec<Row>,
    /// Whether it is over.
    pub is_over: bool,
    /// Its figures, if it ended in order.
    pub figures: Option<Figures>,
    /// Why nothing can be shown at the moment.
    pub problem: Option<String>,
}

/// The states of one race, while somebody reads it. Locked while a reader begins or ends.
type Followed = Arc<AsyncMutex<Option<watch::Receiver<Shown>>>>;

/// The readers of the races that pages look at.
#[derive(Debug, Clone, Default)]
pub struct Live {
    races: Arc<Mutex<BTreeMap<String, Followed>>>,
}

impl Live {
    /// The states of a race that exists, from the present one on.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn of(&self, club: &Club, race: &Race) -> Result<watch::Receiver<Shown>, Error> {
        let followed = self.entry(&race.race_id);
        let mut states = followed.lock().await;
        if let Some(states) = states.as_ref() {
            return Ok(states.clone());
        }
        let first = shown(club, race).await?;
        let (sender, receiver) = watch::channel(first);
        *states = Some(receiver.clone());
        let follower = follow(club.clone(), race.clone(), sender, Arc::clone(&followed));
        tokio::spawn(follower);
        Ok(receiver)
    }

    /// The entry of a race. Entries that nobody holds any more go.
    fn entry(&self, race: &str) -> Followed {
        let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.retain(|_, one| Arc::strong_count(one) > 1);
        Arc::clone(races.entry(race.to_owned()).or_default())
    }
}

/// Looks at a race until it is over, or nobody is interested any more: one receiver is our own.
async fn follow(club: Club, race: Race, states: watch::Sender<Shown>, followed: Followed) {
    let is_wanted = || !states.borrow().is_over && states.receiver_count() > 1;
    loop {
        while is_wanted() {
            sleep(LOOK).await;
            let next = next(&club, &race, &states).await;
            states.send_if_modified(|state| {
                let is_new = *state != next;
                *state = next;
                is_new
            });
        }
        // A page that comes now finds these states, or begins its own.
        let mut entry = followed.lock().await;
        if !is_wanted() {
            *entry = None;
            return;
        }
    }
}

/// The next state. Where there is none, the last one with a sentence about the problem.
async fn next(club: &Club, race: &Race, states: &watch::Sender<Shown>) -> Shown {
    let now = now(club, race).await;
    let last = states.borrow().clone();
    match now {
        Ok(now) => now,
        // It was said, and logged.
        Err(_) if last.problem.is_some() => last,
        Err(error) => Shown {
            problem: Some(Problem::from(error).detail().to_owned()),
            ..last
        },
    }
}

/// Whether a race is over: it was ended, or was given up, since its program ended before it.
pub(crate) fn is_over(race: &Race) -> bool {
    let age = Timestamp::now().as_second() - race.starts_at.as_second();
    race.ended_at.is_some() || race.figures.is_some() || age > race.seconds + PATIENCE_SECONDS
}

async fn now(club: &Club, race: &Race) -> Result<Shown, Error> {
    let stored = club.race(&race.class_id, &race.race_id).await?;
    shown(club, stored.as_ref().unwrap_or(race)).await
}

async fn shown(club: &Club, race: &Race) -> Result<Shown, Error> {
    let rows = club.leaderboard(&race.race_id, ROWS).await?;
    let figures = race.figures.as_deref();
    let figures = figures.and_then(|text| serde_json::from_str(text).ok());
    Ok(Shown {
        rows,
        is_over: is_over(race),
        figures,
        problem: None,
    })
}
