//! What the club does: classes and their races, results, leaderboards (A1 to A5).

use crate::model::{
    AsyncAlleycatClient, Best, ClassId, ClassListed, NewClass, NewRace, NewRacer,
    PerformanceArguments, Race, RaceKey, RacePatch, RacerId, RecordArguments, Result2,
    ResultsOfRacerItem, RideArguments, Track,
};
use examples_web::Meter;
use keyfold::nonblocking::Keyfold;
use keyfold::typed::{self, Error, Page, Patch};
use serde::Serialize;
use std::cmp::Reverse;

/// The classes of the first day.
const CLASSES: [(&str, &str); 3] = [
    ("sprint", "Sprint"),
    ("climb", "Climb"),
    ("endurance", "Endurance"),
];
const FIRST: [&str; 40] = [
    "Ada", "Amir", "Ana", "Bao", "Bela", "Carl", "Chidi", "Dana", "Elif", "Emil", "Esi", "Finn",
    "Gita", "Hugo", "Ines", "Ivo", "Jun", "Kaia", "Kofi", "Lars", "Leila", "Lin", "Mara", "Mila",
    "Nils", "Noor", "Olga", "Omar", "Pia", "Quim", "Rafa", "Rosa", "Sami", "Siri", "Tariq", "Tess",
    "Uma", "Vera", "Wen", "Yara",
];
const LAST: [&str; 25] = [
    "Abe", "Berg", "Costa", "Diaz", "Eriksen", "Fofana", "Gupta", "Haas", "Ito", "Jensen", "Khan",
    "Lund", "Moreau", "Novak", "Okafor", "Popov", "Quist", "Rossi", "Sato", "Tamm", "Usman",
    "Vidal", "Weber", "Yilmaz", "Zhou",
];
/// The best racers of a class that are listed.
const BEST_MAX: usize = 100;

/// The identifier of the racer with a number, from 1.
pub fn racer(number: u32) -> RacerId {
    RacerId::from(format!("{number:04}"))
}

/// The name of the racer with a number, from 1. The first thousand have different ones.
pub fn name_of(number: u32) -> String {
    let at = usize::try_from(number.saturating_sub(1)).unwrap_or_default();
    let first = FIRST[at % FIRST.len()];
    format!("{first} {}", LAST[(at + at / FIRST.len()) % LAST.len()])
}

/// A row of a leaderboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The racer.
    pub racer_id: String,
    /// The racer's name.
    pub name: String,
    /// The output so far.
    pub score: i64,
}

/// The classes, races and results of a database.
#[derive(Clone, Debug)]
pub struct Club {
    client: AsyncAlleycatClient,
    meter: Meter,
}

/// Whether a result that is stored is noted where it is the best of its class.
#[derive(Debug)]
pub enum Noted {
    /// It is.
    Yes,
    /// It is not known yet; the same result may be sent again.
    NotYet(Error),
}

impl Club {
    /// Opens the club of a database, and makes its tables and first classes where there are none.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn open(database: &Keyfold) -> Result<Club, Error> {
        let meter = Meter::default();
        let observed = meter.clone();
        let database = database.on_request(move |sent| observed.add(sent));
        let client = AsyncAlleycatClient::new(&database).await?;
        let club = Club { client, meter };
        if club.classes().await?.is_empty() {
            club.found().await?;
        }
        Ok(club)
    }

    /// The classes and racers of the first day. Two programs may do it at once.
    async fn found(&self) -> Result<(), Error> {
        let racers = (1..=1000).map(|number| NewRacer {
            racer_id: racer(number),
            name: name_of(number),
        });
        let racers: Vec<NewRacer> = racers.collect();
        self.client.racer.put_many(&racers).await?;
        for (class_id, name) in CLASSES {
            let (class_id, name) = (ClassId::from(class_id), name.to_owned());
            self.client.class.put(&NewClass { class_id, name }).await?;
        }
        Ok(())
    }

    /// What requests have taken so far.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// All classes.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn classes(&self) -> Result<Vec<ClassListed>, Error> {
        self.client.classes().all(usize::MAX).await
    }

    /// A class, if there is one.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn class(&self, class: &ClassId) -> Result<Option<crate::model::Class>, Error> {
        self.client.class(class).await
    }

    /// A1: a page of the results of a racer, the first one or that behind a cursor.
    ///
    /// # Errors
    /// `Invalid` when the cursor is none; those of the database.
    pub async fn results(
        &self,
        racer: &RacerId,
        after: Option<&str>,
    ) -> Result<Page<ResultsOfRacerItem>, Error> {
        let all = self.client.results_of_racer(racer);
        match after {
            Some(cursor) => all.after(cursor).page().await,
            None => all.page().await,
        }
    }

    /// A2: the races of a class, the latest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn races(&self, class: &ClassId) -> Result<Vec<Race>, Error> {
        Ok(self.client.races_of_class(class).page().await?.items)
    }

    /// A race, if there is one.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn race(&self, class: &ClassId, race: &str) -> Result<Option<Race>, Error> {
        self.client.race(class, race).await
    }

    /// A3: the best of each racer in a class, the highest first: a hundred of them. All are looked at, a page
    /// at a time.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn best(&self, class: &ClassId) -> Result<Vec<Best>, Error> {
        let mut pages = self.client.best_of_class(class).pages();
        let mut best: Vec<Best> = Vec::new();
        while let Some(page) = pages.next().await {
            best.extend(page?.items);
            best.sort_by_key(|one| Reverse(one.score));
            best.truncate(BEST_MAX);
        }
        Ok(best)
    }

    /// A4: the top of a race. It is read from an index, which may lag behind the results.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn leaderboard(&self, race: &str, limit: u32) -> Result<Vec<Row>, Error> {
        let page = self.client.leaderboard(race).limit(limit).page().await?;
        let row = |item: crate::model::LeaderboardItem| Row {
            racer_id: item.racer_id.to_string(),
            name: item.name,
            score: item.score,
        };
        Ok(page.items.into_iter().map(row).collect())
    }

    /// A5: the output of a racer second by second in each race that is over, or in one: a page of it, the first
    /// one or that behind a cursor.
    ///
    /// # Errors
    /// `Invalid` when the cursor is none; those of the database.
    pub async fn performance(
        &self,
        racer: &RacerId,
        race: Option<&str>,
        after: Option<&str>,
    ) -> Result<Page<Track>, Error> {
        let mut arguments = PerformanceArguments::new(racer.clone());
        arguments.race_id = race.map(str::to_owned);
        let all = self.client.performance(&arguments);
        match after {
            Some(cursor) => all.after(cursor).page().await,
            None => all.page().await,
        }
    }

    /// A5: the result of a racer, whose `live` are the seconds of a race that runs. It has every write
    /// that was answered before.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn result(&self, racer: &RacerId, race: &str) -> Result<Option<Result2>, Error> {
        self.client.strong().result(racer, race).await
    }

    /// Adds a race to a class.
    ///
    /// # Errors
    /// `Exists` when it has that race; those of the database.
    pub async fn add_race(&self, race: &NewRace) -> Result<(), Error> {
        self.client.race.create(race).await.map(drop)
    }

    /// The number of the next race of a class.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn next_number(&self, class: &ClassId) -> Result<i64, Error> {
        let last = self.client.races_of_class(class).limit(1).page().await?;
        Ok(last.items.first().map_or(1, |race| race.number + 1))
    }

    /// Ends a race, with its figures as JSON if it ended in order.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn end_race(
        &self,
        class: &ClassId,
        race: &str,
        figures: Option<String>,
    ) -> Result<(), Error> {
        let key = RaceKey {
            class_id: class.clone(),
            race_id: race.to_owned(),
        };
        let patch = RacePatch {
            figures: figures.map_or(Patch::Keep, Patch::Set),
            ended_at: Patch::Set(Club::now()),
            ..RacePatch::default()
        };
        self.client.race.update(&key, &patch).await.map(drop)
    }

    /// Adds a second to a racer's result. Sent twice, the second time is `Refused`.
    ///
    /// # Errors
    /// `Refused` when the second before is not the last one; those of the database.
    pub async fn ride(&self, second: &RideArguments) -> Result<f64, Error> {
        Ok(self.client.ride(second).await?.units)
    }

    /// Stores the points of a race that is over, and the best of the class if it is one.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn finish(&self, result: &Result2) -> Result<(), Error> {
        let points = result.live.as_deref().unwrap_or_default();
        let (racer, race) = (&result.racer_id, &result.race_id);
        self.client.finish(racer, race, points).await?;
        let class = &result.class_id;
        self.note_best(result.score, race, class, racer).await
    }

    /// Stores a result that was recorded elsewhere, up to an hour of it, and notes it where it is the best of its
    /// class. The same result may be sent again.
    ///
    /// # Errors
    /// `Refused` when the class has no such race, the race runs or has another number of seconds; `Exists`
    /// when the racer has another result in it; those of the database. Nothing is stored then.
    pub async fn record(&self, result: &RecordArguments) -> Result<Noted, Error> {
        let (class, racer, race) = (&result.class_id, &result.racer_id, &result.race_id);
        match self.client.record(result).await {
            Ok(_) => {}
            Err(Error::Exists(_)) if self.has(result).await? => {}
            Err(other) => return Err(other),
        }
        let noted = self.note_best(result.score, race, class, racer).await;
        Ok(noted.map_or_else(Noted::NotYet, |()| Noted::Yes))
    }

    /// Whether a racer's result is stored as it is given, with all of its seconds.
    async fn has(&self, result: &RecordArguments) -> Result<bool, Error> {
        let (racer, race) = (&result.racer_id, &result.race_id);
        let stored = self.result(racer, race).await?;
        // One with live points is not complete.
        let is_same = stored.is_some_and(|stored| {
            stored.live.is_none() && stored.score == result.score && stored.name == result.name
        });
        if !is_same {
            return Ok(false);
        }
        let mut arguments = PerformanceArguments::new(racer.clone());
        arguments.race_id = Some(race.clone());
        let tracks = self.client.strong().performance(&arguments).all(1).await?;
        Ok(tracks.iter().any(|track| track.points == result.points))
    }

    async fn note_best(
        &self,
        score: i64,
        race: &str,
        class: &ClassId,
        racer: &RacerId,
    ) -> Result<(), Error> {
        match self.client.new_best(score, race, class, racer).await {
            // A better one is there.
            Ok(_) | Err(Error::Refused(_)) => Ok(()),
            Err(other) => Err(other),
        }
    }

    /// The present moment, with the digits that the model keeps.
    pub fn now() -> typed::Timestamp {
        typed::now(typed::Precision::Millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_thousand_racers_have_a_thousand_names() {
        let names: BTreeSet<String> = (1..=1000).map(name_of).collect();
        assert_eq!(names.len(), 1000);
    }
}
