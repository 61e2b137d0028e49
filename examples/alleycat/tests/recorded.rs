//! Results that were recorded elsewhere: of a race that is over, beside races that run.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alleycat::model::{AsyncAlleycatClient, NewBest, NewRace, RecordArguments, RideArguments};
use alleycat::{Club, Noted, Plan, announce, racer, simulate};
use keyfold::nonblocking::Keyfold;
use keyfold::typed::Error;

const HOUR: i64 = 3600;

/// A race of an hour of one racer, which runs.
fn race() -> NewRace {
    NewRace {
        class_id: "endurance".into(),
        race_id: "endurance.1".to_owned(),
        starts_at: Club::now(),
        number: 1,
        seconds: HOUR,
        racers: 1,
        figures: None,
        ended_at: None,
    }
}

/// A result of that race with so many points.
fn result(number: u32, seconds: i64) -> RecordArguments {
    let points: Vec<i64> = (0..seconds).map(|at| 200 + at % 7).collect();
    RecordArguments::new(
        points.iter().sum(),
        seconds,
        "endurance".into(),
        "endurance.1".to_owned(),
        racer(number),
        "Ines Berg".to_owned(),
        points,
    )
}

/// A second of a racer, from the first one on.
fn second(race: &NewRace, at: i64) -> RideArguments {
    RideArguments {
        total: 200 * at,
        at,
        before: at - 1,
        watts: 200,
        racer_id: racer(1),
        race_id: race.race_id.clone(),
        class_id: race.class_id.clone(),
        name: "Ada Abe".to_owned(),
    }
}

#[tokio::test]
async fn a_race_that_runs_takes_no_recorded_result() {
    let database = Keyfold::connect("memory:").await.unwrap();
    let club = Club::open(&database).await.unwrap();
    let race = race();
    club.add_race(&race).await.unwrap();
    club.ride(&second(&race, 1)).await.unwrap();
    // Neither for who rides nor for who would ride next.
    for number in [1, 2] {
        let refused = club.record(&result(number, HOUR)).await.unwrap_err();
        assert!(matches!(refused, Error::Refused(_)), "{refused}");
    }
    club.ride(&second(&race, 2)).await.unwrap();
    assert_eq!(club.best(&race.class_id).await.unwrap(), []);
    database.close().await.unwrap();
}

#[tokio::test]
async fn a_recorded_result_has_the_seconds_of_its_race_and_takes_nobodys_place() {
    let database = Keyfold::connect("memory:").await.unwrap();
    let club = Club::open(&database).await.unwrap();
    let race = race();
    club.add_race(&race).await.unwrap();
    club.ride(&second(&race, 1)).await.unwrap();
    club.end_race(&race.class_id, &race.race_id, None)
        .await
        .unwrap();
    let refused = club.record(&result(2, 60)).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused}");
    let refused = club.record(&result(1, HOUR)).await.unwrap_err();
    assert!(matches!(refused, Error::Exists(_)), "{refused}");
    club.record(&result(2, HOUR)).await.unwrap();
    // An hour lies in several items, and is one list.
    let tracks = club.performance(&racer(2), None, None).await.unwrap().items;
    assert_eq!(tracks[0].points, result(2, HOUR).points);
    let best = club.best(&race.class_id).await.unwrap();
    assert_eq!(best.len(), 1);
    database.close().await.unwrap();
}

#[tokio::test]
async fn a_result_that_is_sent_again_is_noted_as_the_best() {
    let database = Keyfold::connect("memory:").await.unwrap();
    let club = Club::open(&database).await.unwrap();
    let race = race();
    club.add_race(&race).await.unwrap();
    club.end_race(&race.class_id, &race.race_id, None)
        .await
        .unwrap();
    // A program that ended between the two writes.
    let client = AsyncAlleycatClient::new(&database).await.unwrap();
    client.record(&result(2, HOUR)).await.unwrap();
    assert_eq!(club.best(&race.class_id).await.unwrap(), []);
    let noted = club.record(&result(2, HOUR)).await.unwrap();
    assert!(matches!(noted, Noted::Yes), "{noted:?}");
    let best = club.best(&race.class_id).await.unwrap();
    assert_eq!(best[0].score, result(2, HOUR).score);
    // With the same score and other seconds it is another result.
    let mut other = result(2, HOUR);
    other.points.reverse();
    let refused = club.record(&other).await.unwrap_err();
    assert!(matches!(refused, Error::Exists(_)), "{refused}");
    database.close().await.unwrap();
}

#[tokio::test]
async fn a_race_that_breaks_off_is_over() {
    let database = Keyfold::connect("memory:").await.unwrap();
    let club = Club::open(&database).await.unwrap();
    let plan = Plan {
        class: "sprint".into(),
        racers: 2,
        seconds: 2,
        speed: 10.0,
        readers: 1,
        seed: 1,
    };
    let race = announce(&club, &plan).await.unwrap();
    // Another program rides for the first racer, so that the simulated one is refused.
    club.ride(&second(&race, 5)).await.unwrap();
    simulate(&club, &plan, &race).await.unwrap_err();
    let stored = club.race(&race.class_id, &race.race_id).await.unwrap();
    let stored = stored.unwrap();
    assert!(stored.ended_at.is_some() && stored.figures.is_none());
    database.close().await.unwrap();
}

#[tokio::test]
async fn a_class_of_many_thousand_racers_has_its_best_hundred() {
    let database = Keyfold::connect("memory:").await.unwrap();
    let club = Club::open(&database).await.unwrap();
    let best = |number: u32| NewBest {
        class_id: "sprint".into(),
        racer_id: racer(number),
        score: i64::from(number * 7919 % 10_007),
        race_id: "sprint.1".to_owned(),
    };
    let all: Vec<NewBest> = (1..=10_001).map(best).collect();
    let client = AsyncAlleycatClient::new(&database).await.unwrap();
    client.best.put_many(&all).await.unwrap();
    let mut scores: Vec<i64> = all.iter().map(|one| one.score).collect();
    scores.sort_unstable_by(|one, other| other.cmp(one));
    let found = club.best(&"sprint".into()).await.unwrap();
    let found: Vec<i64> = found.iter().map(|one| one.score).take(100).collect();
    assert_eq!(found, scores[..100]);
    database.close().await.unwrap();
}
