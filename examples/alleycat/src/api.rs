//! The API and the pages.

use crate::club::{Club, Noted, Row};
use crate::live::{self, Live, Shown};
use crate::model::{
    Best, ClassId, ClassListed, NewRace, Race, RacerId, RecordArguments, ResultsOfRacerItem,
};
use crate::simulator::{self, Plan};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use examples_web::{Asked, Path, Problem, decoded, events, json_file, look, page, script};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use tokio::sync::Semaphore;

const POINTS_MAX: usize = 3600;
const WATTS_MAX: i64 = 3000;
const NAME_MAX: usize = 100;
/// Who looks at the leaderboard beside the pages.
const READERS: u32 = 4;
/// Races that this process runs at a time.
const RACES_MAX: usize = 2;

/// What the routes share.
#[derive(Clone)]
struct App {
    club: Club,
    live: Live,
    turns: Arc<Semaphore>,
}

/// The pages and the API of a club.
pub fn routes(club: Club) -> Router {
    let app = App {
        club,
        live: Live::default(),
        turns: Arc::new(Semaphore::new(RACES_MAX)),
    };
    let shell = || page(include_str!("../assets/page.html"));
    Router::new()
        .route("/", shell())
        .route("/classes/{class}", shell())
        .route("/classes/{class}/races/{race}", shell())
        .route("/racers/{racer}", shell())
        .route(
            "/alleycat.js",
            script(include_str!("../assets/alleycat.js")),
        )
        .merge(look())
        .route(
            "/api/openapi.json",
            json_file(include_str!("../openapi.json")),
        )
        .route("/api/classes", get(classes))
        .route("/api/classes/{classId}/races", get(races).post(start))
        .route("/api/classes/{classId}/races/{raceId}", get(race))
        .route("/api/classes/{classId}/races/{raceId}/events", get(watched))
        .route("/api/classes/{classId}/best", get(best))
        .route("/api/classes/{classId}/results", post(record))
        .route("/api/races/{raceId}/leaderboard", get(leaderboard))
        .route("/api/racers/{racerId}/results", get(results))
        .route("/api/racers/{racerId}/performance", get(performance))
        .with_state(app)
}

type Answer = Result<Json<Value>, Problem>;

fn class_json(class: &ClassListed) -> Value {
    json!({ "classId": class.class_id.to_string(), "name": class.name })
}

fn race_json(race: &Race) -> Value {
    json!({
        "classId": race.class_id.to_string(),
        "raceId": race.race_id,
        "number": race.number,
        "startsAt": race.starts_at.to_string(),
        "seconds": race.seconds,
        "racers": race.racers,
        "isOver": live::is_over(race),
    })
}

fn best_json(best: &Best) -> Value {
    json!({ "racerId": best.racer_id.to_string(), "raceId": best.race_id, "score": best.score })
}

fn result_json(result: &ResultsOfRacerItem) -> Value {
    json!({
        "classId": result.class_id.to_string(),
        "raceId": result.race_id,
        "score": result.score,
        "seconds": result.second,
    })
}

async fn classes(State(app): State<App>) -> Answer {
    let classes = app.club.classes().await?;
    let classes: Vec<Value> = classes.iter().map(class_json).collect();
    Ok(Json(json!({ "classes": classes })))
}

async fn class_of(app: &App, class: &str) -> Result<ClassId, Problem> {
    let class = ClassId::from(class);
    match app.club.class(&class).await? {
        Some(_) => Ok(class),
        None => Err(Problem::not_found(format!("There is no class {class}."))),
    }
}

/// A2
async fn races(State(app): State<App>, Path(class): Path<String>) -> Answer {
    let class = class_of(&app, &class).await?;
    let races = app.club.races(&class).await?;
    let races: Vec<Value> = races.iter().map(race_json).collect();
    Ok(Json(json!({ "races": races })))
}

async fn race_of(app: &App, class: &str, race: &str) -> Result<Race, Problem> {
    let found = app.club.race(&ClassId::from(class), race).await?;
    found.ok_or_else(|| Problem::not_found(format!("There is no race {race} of {class}.")))
}

async fn race(State(app): State<App>, Path((class, race)): Path<(String, String)>) -> Answer {
    let race = race_of(&app, &class, &race).await?;
    Ok(Json(race_json(&race)))
}

/// A4, while the race runs: server-sent events.
async fn watched(
    State(app): State<App>,
    Path((class, race)): Path<(String, String)>,
) -> Result<impl IntoResponse, Problem> {
    let race = race_of(&app, &class, &race).await?;
    let states: tokio::sync::watch::Receiver<Shown> = app.live.of(&app.club, &race).await?;
    Ok(events(states))
}

/// A3
async fn best(State(app): State<App>, Path(class): Path<String>) -> Answer {
    let class = class_of(&app, &class).await?;
    let best = app.club.best(&class).await?;
    let best: Vec<Value> = best.iter().map(best_json).collect();
    Ok(Json(json!({ "best": best })))
}

#[derive(Deserialize)]
struct Limit {
    limit: Option<u32>,
}

/// A4
async fn leaderboard(
    State(app): State<App>,
    Path(race): Path<String>,
    Asked(Limit { limit }): Asked<Limit>,
) -> Answer {
    let limit = limit.unwrap_or(10);
    if !(1..=100).contains(&limit) {
        return Err(Problem::wrong(
            "limit",
            "The limit is from 1 to 100. Send one of these.",
        ));
    }
    let rows: Vec<Row> = app.club.leaderboard(&race, limit).await?;
    if rows.is_empty() {
        let missing = || Problem::not_found(format!("There is no race {race}."));
        // The id of a race begins with that of its class: `sprint.2`.
        let class = race.rsplit_once('.').map(|(class, _)| class);
        let class = class.filter(|class| !class.is_empty());
        let class = ClassId::from(class.ok_or_else(missing)?);
        app.club.race(&class, &race).await?.ok_or_else(missing)?;
    }
    Ok(Json(json!({ "rows": rows })))
}

#[derive(Deserialize)]
struct Behind {
    after: Option<String>,
}

/// A1
async fn results(
    State(app): State<App>,
    Path(racer): Path<String>,
    Asked(Behind { after }): Asked<Behind>,
) -> Answer {
    let page = (app.club)
        .results(&RacerId::from(racer), after.as_deref())
        .await?;
    let results: Vec<Value> = page.items.iter().map(result_json).collect();
    Ok(Json(json!({ "results": results, "next": page.next })))
}

#[derive(Deserialize)]
struct OfRace {
    race: Option<String>,
    after: Option<String>,
}

/// A5: of all races, or of one, which may be running.
async fn performance(
    State(app): State<App>,
    Path(racer): Path<String>,
    Asked(OfRace { race, after }): Asked<OfRace>,
) -> Answer {
    let racer = RacerId::from(racer);
    let found = (app.club).performance(&racer, race.as_deref(), after.as_deref());
    let called = |why| Problem::from(why).called("raceId", "race");
    let page = found.await.map_err(called)?;
    let (tracks, next) = (page.items.into_iter(), page.next);
    let track = |race_id: String, points: Vec<i64>| json!({ "raceId": race_id, "points": points });
    let mut tracks: Vec<Value> = tracks.map(|one| track(one.race_id, one.points)).collect();
    if let (true, Some(race)) = (tracks.is_empty(), race) {
        let live = app.club.result(&racer, &race).await.map_err(called)?;
        tracks.extend(live.map(|live| track(live.race_id, live.live.unwrap_or_default())));
    }
    Ok(Json(json!({ "tracks": tracks, "next": next })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    racers: u32,
    seconds: u32,
    speed: f64,
}

/// Starts a simulated race.
async fn start(
    State(app): State<App>,
    Path(class): Path<String>,
    body: Bytes,
) -> Result<impl IntoResponse, Problem> {
    let Start {
        racers,
        seconds,
        speed,
    } = decoded(&body)?;
    let class = class_of(&app, &class).await?;
    let plan = Plan {
        class,
        racers,
        seconds,
        speed,
        readers: READERS,
        seed: fastrand::u64(..),
    };
    plan.check()
        .map_err(|(field, why)| Problem::wrong(field, why))?;
    let busy = "Two races are running. Wait until one is over.";
    let turn = Arc::clone(&app.turns).try_acquire_owned();
    let turn = turn.map_err(|_| Problem::conflict("busy", busy))?;
    let race: NewRace = simulator::announce(&app.club, &plan).await?;
    let answer = json!({ "classId": race.class_id.to_string(), "raceId": race.race_id });
    tokio::spawn(async move {
        if let Err(why) = simulator::simulate(&app.club, &plan, &race).await {
            let line = format!("the race {} broke off: {why}", race.race_id);
            // Where there is no log, nobody can be asked for it.
            writeln!(std::io::stderr(), "{line}").unwrap_or_default();
        }
        drop(turn);
    });
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Recorded {
    racer_id: String,
    name: String,
    race_id: String,
    points: Vec<i64>,
}

/// Whether a race takes a result of so many seconds that was recorded elsewhere.
async fn accepts(app: &App, race: &Race, seconds: i64) -> Result<(), Problem> {
    if !live::is_over(race) {
        let detail = "The race is running. Record a result of it when it is over.";
        return Err(Problem::conflict("busy", detail));
    }
    if seconds != race.seconds {
        let detail = format!(
            "The race has {} seconds. Send a point for each of them.",
            race.seconds
        );
        return Err(Problem::wrong("points", detail));
    }
    if race.ended_at.is_none() {
        // Its program ended before it, or is of an earlier version.
        let (class, id) = (&race.class_id, &race.race_id);
        app.club.end_race(class, id, None).await?;
    }
    Ok(())
}

/// Stores a result that was recorded elsewhere: up to an hour, second by second.
async fn record(
    State(app): State<App>,
    Path(class): Path<String>,
    body: Bytes,
) -> Result<impl IntoResponse, Problem> {
    let Recorded {
        racer_id,
        name,
        race_id,
        points,
    } = decoded(&body)?;
    Problem::check_written("racerId", &racer_id)?;
    Problem::check_written("name", &name)?;
    let class_id = class_of(&app, &class).await?;
    if points.is_empty() || points.len() > POINTS_MAX {
        return Err(Problem::wrong(
            "points",
            "A result has from 1 to 3,600 points. Send as many as the race has seconds.",
        ));
    }
    if name.chars().count() > NAME_MAX {
        return Err(Problem::wrong(
            "name",
            "A name has up to 100 characters. Shorten it.",
        ));
    }
    if let Some(at) = (points.iter()).position(|watts| !(0..=WATTS_MAX).contains(watts)) {
        let detail = "A point is from 0 to 3,000 watts. Correct it.";
        return Err(Problem::wrong(format!("points[{at}]"), detail));
    }
    let seconds = i64::try_from(points.len()).unwrap_or(i64::MAX);
    let race = race_of(&app, &class, &race_id).await?;
    accepts(&app, &race, seconds).await?;
    let mut result = RecordArguments::new(
        points.iter().sum(),
        seconds,
        class_id,
        race_id,
        RacerId::from(racer_id),
        name,
        points,
    );
    result.live = None;
    if let Noted::NotYet(_) = app.club.record(&result).await? {
        let detail = "The result is stored. Whether it is the best of its class is not noted yet: send it again in a \
                      minute.";
        return Err(Problem::unavailable("not_noted", detail));
    }
    let answer = json!({ "raceId": result.race_id, "score": result.score });
    Ok((StatusCode::CREATED, Json(answer)))
}
