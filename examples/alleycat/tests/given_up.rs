//! Races whose program ended before them: they are listed as over, and pages hear so.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alleycat::model::NewRace;
use alleycat::{Club, routes};
use keyfold::nonblocking::Keyfold;
use keyfold::typed::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const SECONDS: i64 = 60;

/// Adds a race that began so many seconds ago.
async fn race(club: &Club, number: i64, ago: i64) {
    let starts_at = Timestamp::from_second(Timestamp::now().as_second() - ago).unwrap();
    let race = NewRace {
        class_id: "sprint".into(),
        race_id: format!("sprint.{number}"),
        starts_at,
        number,
        seconds: SECONDS,
        racers: 2,
        figures: None,
        ended_at: None,
    };
    club.add_race(&race).await.unwrap();
}

/// The body of an answer, which ends with the connection.
async fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.0\r\nhost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[tokio::test]
async fn a_race_whose_program_ended_is_listed_as_over() {
    let database = Keyfold::connect("memory:").await.unwrap();
    let club = Club::open(&database).await.unwrap();
    // A race has ten minutes beyond its own time to write its figures.
    race(&club, 1, SECONDS + 610).await;
    race(&club, 2, SECONDS + 590).await;
    race(&club, 3, 5).await;
    race(&club, 4, 5).await;
    let figures = "{}".to_owned();
    club.end_race(&"sprint".into(), "sprint.4", Some(figures))
        .await
        .unwrap();

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(examples_web::serve(listener, routes(club)));
    let list = get(&address, "/api/classes/sprint/races").await;
    let list: Value = serde_json::from_str(&list).unwrap();
    let races = list["races"].as_array().unwrap();
    let are_over: Vec<Value> = races
        .iter()
        .map(|race| json!([race["raceId"], race["isOver"]]))
        .collect();
    let expected = json!([
        ["sprint.4", true],
        ["sprint.3", false],
        ["sprint.2", false],
        ["sprint.1", true]
    ]);
    assert_eq!(Value::from(are_over), expected);

    // A page hears it at once, and that there are no figures.
    let events = get(&address, "/api/classes/sprint/races/sprint.1/events").await;
    let state = events.trim().strip_prefix("data: ").unwrap();
    let state: Value = serde_json::from_str(state).unwrap();
    assert_eq!(
        (&state["isOver"], &state["figures"], &state["problem"]),
        (&Value::Bool(true), &Value::Null, &Value::Null)
    );
    database.close().await.unwrap();
}
