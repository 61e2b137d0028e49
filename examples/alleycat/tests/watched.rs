//! Pages that open a race at once: all of them hear of it until it is over.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alleycat::model::NewRace;
use alleycat::{Club, Live};
use keyfold::nonblocking::Keyfold;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const PAGES: usize = 50;

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_open_a_race_at_once_share_one_reader_until_it_is_over() {
    let database = Keyfold::connect("memory:").await.unwrap();
    let club = Club::open(&database).await.unwrap();
    let race = NewRace {
        class_id: "sprint".into(),
        race_id: "sprint.1".to_owned(),
        starts_at: Club::now(),
        number: 1,
        seconds: 60,
        racers: 2,
        figures: None,
        ended_at: None,
    };
    club.add_race(&race).await.unwrap();
    let race = club.race(&race.class_id, &race.race_id).await.unwrap();
    let race = race.unwrap();
    let live = Live::default();
    let mut opened = JoinSet::new();
    for _ in 0..PAGES {
        let (live, club, race) = (live.clone(), club.clone(), race.clone());
        opened.spawn(async move { live.of(&club, &race).await.unwrap() });
    }
    let pages = opened.join_all().await;
    // Several looks of a reader.
    sleep(Duration::from_secs(1)).await;
    let are_open = pages.iter().filter(|page| page.has_changed().is_ok());
    assert_eq!(are_open.count(), PAGES);
    assert!(pages.iter().all(|page| page.same_channel(&pages[0])));

    // A page that comes when all others have left begins again.
    drop(pages);
    sleep(Duration::from_secs(1)).await;
    let mut page = live.of(&club, &race).await.unwrap();
    assert!(page.has_changed().is_ok());
    club.end_race(&race.class_id, &race.race_id, None)
        .await
        .unwrap();
    page.wait_for(|state| state.is_over).await.unwrap();
    database.close().await.unwrap();
}
