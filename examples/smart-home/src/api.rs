//! The API and the page.

use crate::home::Home;
use crate::model::{Activity, DeviceId, NewReading, Reading, SensorId, Status};
use crate::polling::{POLLS_MAX, Polling};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use examples_web::{Asked, Path, Problem, decoded, events, json_file, look, page, script, shown};
use keyfold::typed::{Number, Precision, Timestamp, truncated};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

const EVENTS_MAX: u32 = 2000;

#[derive(Clone)]
struct App {
    home: Home,
    polling: Polling,
}

/// The page and the API of a home, and its polling.
pub fn routes(home: Home) -> Router {
    let polling = Polling::start(&home);
    Router::new()
        .route("/", page(include_str!("../assets/page.html")))
        .route("/home.js", script(include_str!("../assets/home.js")))
        .merge(look())
        .route(
            "/api/openapi.json",
            json_file(include_str!("../openapi.json")),
        )
        .route("/api/events", get(watched))
        .route("/api/polling", post(want))
        .route("/api/burst", post(burst))
        .route("/api/devices", get(devices))
        .route("/api/devices/{deviceId}/activity", get(activity))
        .route(
            "/api/sensors/{sensorId}/readings",
            get(readings).post(add_reading),
        )
        .with_state(App { home, polling })
}

type Answer = Result<Json<Value>, Problem>;

fn status_json(status: &Status) -> Value {
    json!({
        "deviceId": status.device_id.to_string(),
        "isOnline": status.online,
        "polls": status.polls,
        "seenAt": status.seen_at.to_string(),
    })
}

fn activity_json(activity: &Activity) -> Value {
    json!({ "at": activity.at.to_string(), "event": activity.event.as_str() })
}

/// A reading, whose number has all its digits.
#[derive(Serialize)]
struct ShownReading {
    at: String,
    value: Box<RawValue>,
}

#[derive(Serialize)]
struct Readings {
    readings: Vec<ShownReading>,
    next: Option<String>,
}

fn as_sent(reading: &Reading) -> Result<ShownReading, Problem> {
    let value = RawValue::from_string(reading.value.to_string())
        .map_err(|_| Problem::invalid("A reading is no number. The table has to be looked at."))?;
    Ok(ShownReading {
        at: reading.at.to_string(),
        value,
    })
}

/// N4: the polling, second by second.
async fn watched(State(app): State<App>) -> impl IntoResponse {
    events(app.polling.states())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Wanted {
    polls_a_second: u32,
}

async fn want(State(app): State<App>, body: Bytes) -> Answer {
    let Wanted { polls_a_second } = decoded(&body)?;
    if polls_a_second > POLLS_MAX {
        return Err(Problem::wrong(
            "pollsASecond",
            "The polls a second are from 0 to 1,000. Send one of these numbers.",
        ));
    }
    app.polling.want(polls_a_second);
    Ok(Json(json!({ "pollsASecond": polls_a_second })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenBurst {
    events: u32,
}

/// N4: many events at once.
async fn burst(State(app): State<App>, body: Bytes) -> Result<impl IntoResponse, Problem> {
    let GivenBurst { events } = decoded(&body)?;
    if !(1..=EVENTS_MAX).contains(&events) {
        return Err(Problem::wrong(
            "events",
            "A burst has from 1 to 2,000 events. Send one of these numbers.",
        ));
    }
    Ok(Json(app.home.burst(events).await?))
}

async fn devices(State(app): State<App>) -> Answer {
    let statuses = app.home.statuses().await?;
    let statuses: Vec<Value> = statuses.iter().map(status_json).collect();
    Ok(Json(json!({ "devices": statuses })))
}

async fn activity(State(app): State<App>, Path(device): Path<String>) -> Answer {
    let device = DeviceId::from(device);
    if !Home::has(&device) {
        return Err(Problem::not_found(format!("There is no device {device}.")));
    }
    let activity = app.home.activity(&device).await?;
    let activity: Vec<Value> = activity.iter().map(activity_json).collect();
    Ok(Json(json!({ "activity": activity })))
}

#[derive(Deserialize)]
struct Range {
    from: String,
    to: String,
}

/// The moment of a text, with the digits that the model keeps.
fn time_of(field: &str, text: &str) -> Result<Timestamp, Problem> {
    let why = |_| {
        let last = truncated(Timestamp::MAX, Precision::Millis);
        let text = shown(text);
        let detail = format!(
            "The time {text} is none. Send one like 2026-11-24T08:00:00Z; the last one is {last}."
        );
        Problem::wrong(field, detail)
    };
    let time: Timestamp = text.parse().map_err(why)?;
    Ok(truncated(time, Precision::Millis))
}

/// Most days of a range of readings, each month of which is a table that is asked.
const RANGE_DAYS_MAX: i64 = 731;

fn check_range(from: Timestamp, to: Timestamp) -> Result<(), Problem> {
    let days = (to.as_second() - from.as_second()) / (24 * 60 * 60);
    if from > to {
        return Err(Problem::wrong(
            "to",
            format!(
                "The range ends before it begins: to is {to}, from is {from}. Send a later end."
            ),
        ));
    }
    if days > RANGE_DAYS_MAX {
        return Err(Problem::wrong(
            "to",
            format!(
                "The range from {from} to {to} has {days} days. Ask for at most {RANGE_DAYS_MAX}."
            ),
        ));
    }
    Ok(())
}

/// N6: a range over the tables of several months, in order.
async fn readings(
    State(app): State<App>,
    Path(sensor): Path<String>,
    Asked(Range { from, to }): Asked<Range>,
) -> Result<Json<Readings>, Problem> {
    let (from, to) = (time_of("from", &from)?, time_of("to", &to)?);
    check_range(from, to)?;
    let sensor = SensorId::from(sensor);
    let (readings, next) = app.home.readings(&sensor, from, to).await?;
    let readings: Result<Vec<ShownReading>, Problem> = readings.iter().map(as_sent).collect();
    Ok(Json(Readings {
        readings: readings?,
        next: next.map(|at| at.to_string()),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenReading {
    at: String,
    /// A number, whose digits are those of the text.
    #[serde(rename = "value")]
    _value: f64,
}

/// The digits of a given reading, all of which are kept: a number of 64 bits has 17.
#[derive(Deserialize)]
struct GivenDigits<'b> {
    #[serde(borrow)]
    value: &'b RawValue,
}

fn number_of(body: &[u8]) -> Result<Number, Problem> {
    let digits: GivenDigits<'_> = serde_json::from_slice(body)
        .map_err(|_| Problem::wrong("value", "The value cannot be read. Send a number."))?;
    let text = digits.value.get();
    let number = text.parse::<Number>();
    number.map_err(|why| {
        Problem::wrong(
            "value",
            format!(
                "The value {} is not taken: {why}. Send another one.",
                shown(text)
            ),
        )
    })
}

/// N6: a reading goes into the table of its month.
async fn add_reading(
    State(app): State<App>,
    Path(sensor): Path<String>,
    body: Bytes,
) -> Result<impl IntoResponse, Problem> {
    let GivenReading { at, .. } = decoded(&body)?;
    let value = number_of(&body)?;
    let at = time_of("at", &at)?;
    let sensor_id = SensorId::from(sensor);
    let reading = NewReading {
        sensor_id,
        at,
        value,
    };
    app.home.add_reading(&reading).await?;
    Ok((StatusCode::CREATED, Json(json!({ "at": at.to_string() }))))
}
