//! Races as they run, for pages that are open: one reader of each race in this process, however many
//! pages look at it, and whichever process runs it.

use crate::club::{Club, Row};
use crate::model::Race;
use crate::simulator::Figures;
use keyfold::typed::{Error, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
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

/// The readers of the races that pages look at.
#[derive(Debug, Clone, Default)]
pub struct Live {
    races: Arc<Mutex<BTreeMap<String, watch::Receiver<Shown>>>>,
}

impl Live {
    /// The states of a race that exists, from the present one on.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn of(&self, club: &Club, race: &Race) -> Result<watch::Receiver<Shown>, Error> {
        if let Some(states) = self.open(&race.race_id) {
            return Ok(states);
        }
        let first = shown(club, race).await?;
        let (sender, states) = watch::channel(first);
        let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.retain(|_, one| one.has_changed().is_ok());
        races.insert(race.race_id.clone(), states.clone());
        tokio::spawn(follow(club.clone(), race.clone(), sender, self.clone()));
        Ok(states)
    }

    fn open(&self, race: &str) -> Option<watch::Receiver<Shown>> {
        let races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        let states = races.get(race)?;
        states.has_changed().is_ok().then(|| states.clone())
    }

    fn close(&self, race: &str) {
        let mut races = self.races.lock().unwrap_or_else(PoisonError::into_inner);
        races.remove(race);
    }
}

/// Looks at a race until it is over, or nobody is interested any more: one receiver is our own.
async fn follow(club: Club, race: Race, states: watch::Sender<Shown>, live: Live) {
    while !states.borrow().is_over && states.receiver_count() > 1 {
        sleep(LOOK).await;
        let now = match now(&club, &race).await {
            Ok(now) => now,
            Err(error) => Shown {
                problem: Some(error.to_string()),
                ..states.borrow().clone()
            },
        };
        states.send_if_modified(|state| {
            let is_new = *state != now;
            *state = now;
            is_new
        });
    }
    live.close(&race.race_id);
}

/// Whether a race is over: it has its figures, or was given up, since its program ended before it.
pub(crate) fn is_over(race: &Race) -> bool {
    let age = Timestamp::now().as_second() - race.starts_at.as_second();
    race.figures.is_some() || age > race.seconds + PATIENCE_SECONDS
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
