//! Readings of a range that has more of them than one answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold::jiff::SignedDuration;
use keyfold::nonblocking::Keyfold;
use keyfold::typed::{Number, Timestamp};
use smart_home::Home;
use smart_home::model::{AsyncHomeClient, NewReading, SensorId};

/// A reading each minute, as many as a little more than four days have.
const MINUTES: i64 = 6_000;

#[tokio::test]
async fn n6_a_range_with_many_readings_is_answered_in_parts() {
    let database = Keyfold::memory().await.unwrap();
    let home = Home::open(&database).await.unwrap();
    let attic = SensorId::from("attic");
    let start: Timestamp = "2026-09-28T00:00:00Z".parse().unwrap();
    let reading = |minute: i64| NewReading {
        sensor_id: attic.clone(),
        at: start + SignedDuration::from_mins(minute),
        value: Number::from(minute),
    };
    let all: Vec<NewReading> = (0..MINUTES).map(reading).collect();
    let client = AsyncHomeClient::new(&database).await.unwrap();
    client.reading.put_many(&all).await.unwrap();
    let end = start + SignedDuration::from_mins(MINUTES);
    let (first, next) = home.readings(&attic, start, end).await.unwrap();
    assert_eq!(next, Some(start + SignedDuration::from_mins(5_000)));
    let (second, none) = home.readings(&attic, next.unwrap(), end).await.unwrap();
    assert_eq!((first.len(), second.len(), none), (5_000, 1_000, None));
    let times = first.iter().chain(&second).map(|reading| reading.at);
    assert!(times.eq(all.iter().map(|reading| reading.at)));
}
