//! The API and the page.

use crate::model::{Container, ContainerId, Item, ItemId};
use crate::quay::{Freight, Refusal, check_description, check_places};
use crate::rush::{DISPATCHERS_MAX, rush};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use examples_web::{Asked, Path, Problem, decoded, json_file, look, page, script};
use keyfold::jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

/// The page and the API of a quay.
pub fn routes(freight: Freight) -> Router {
    Router::new()
        .route("/", page(include_str!("../assets/page.html")))
        .route("/freight.js", script(include_str!("../assets/freight.js")))
        .merge(look())
        .route(
            "/api/openapi.json",
            json_file(include_str!("../openapi.json")),
        )
        .route("/api/containers", get(containers).post(add_container))
        .route("/api/containers/{containerId}/rush", post(rushed))
        .route("/api/items", get(items).post(add_item))
        .route("/api/items/{itemId}/assign", post(assign))
        .route("/api/items/{itemId}/unload", post(unload))
        .with_state(freight)
}

type Answer = Result<Json<Value>, Problem>;
type Created = Result<(StatusCode, Json<Value>), Problem>;

fn container_json(container: &Container) -> Value {
    let shipments = container.shipments.iter().flatten().collect::<Vec<_>>();
    json!({
        "containerId": container.container_id.to_string(),
        "free": container.free,
        "shipments": shipments,
    })
}

fn item_json(item: &Item) -> Value {
    let container = item.container_id.as_ref().map(ContainerId::as_str);
    json!({
        "itemId": item.item_id.to_string(),
        "description": item.description,
        "containerId": container,
    })
}

#[derive(Deserialize)]
struct Behind {
    after: Option<String>,
}

async fn containers(
    State(freight): State<Freight>,
    Asked(Behind { after }): Asked<Behind>,
) -> Answer {
    let page = freight.containers(after.as_deref()).await?;
    let listed: Vec<Value> = page.items.iter().map(container_json).collect();
    Ok(Json(json!({ "containers": listed, "next": page.next })))
}

async fn items(State(freight): State<Freight>, Asked(Behind { after }): Asked<Behind>) -> Answer {
    let page = freight.items(after.as_deref()).await?;
    let listed: Vec<Value> = page.items.iter().map(item_json).collect();
    Ok(Json(json!({ "items": listed, "next": page.next })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GivenContainer {
    container_id: String,
    places: i64,
}

async fn add_container(State(freight): State<Freight>, body: Bytes) -> Created {
    let given: GivenContainer = decoded(&body)?;
    Problem::check_written("containerId", &given.container_id)?;
    check_places(given.places).map_err(|why| Problem::wrong("places", why))?;
    let id = ContainerId::from(given.container_id);
    match freight.add_container(&id, given.places).await? {
        true => Ok((
            StatusCode::CREATED,
            Json(json!({ "containerId": id.as_str() })),
        )),
        false => Err(exists(id.as_str())),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GivenItem {
    item_id: String,
    description: String,
}

async fn add_item(State(freight): State<Freight>, body: Bytes) -> Created {
    let given: GivenItem = decoded(&body)?;
    Problem::check_written("itemId", &given.item_id)?;
    Problem::check_written("description", &given.description)?;
    check_description(&given.description).map_err(|why| Problem::wrong("description", why))?;
    let id = ItemId::from(given.item_id);
    match freight.add_item(&id, &given.description).await? {
        true => Ok((StatusCode::CREATED, Json(json!({ "itemId": id.as_str() })))),
        false => Err(exists(id.as_str())),
    }
}

fn exists(id: &str) -> Problem {
    Problem::conflict(
        "exists",
        format!("There is {id} already. Choose another name."),
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Place {
    container_id: String,
}

/// N3: both or neither, and which condition failed.
async fn assign(State(freight): State<Freight>, Path(item): Path<String>, body: Bytes) -> Answer {
    let place: Place = decoded(&body)?;
    let (item, container) = (ItemId::from(item), ContainerId::from(place.container_id));
    match freight.assign(&item, &container).await? {
        Ok(()) => Ok(Json(stored(&freight, &item).await?)),
        Err(Refusal::NoPlace) => Err(Problem::conflict(
            "no_place",
            format!("Container {container} is full, or there is none. Choose another one."),
        )),
        Err(Refusal::NotFree) => Err(Problem::conflict(
            "not_free",
            format!("Item {item} is in a container, or there is none. Look at it as it is now."),
        )),
    }
}

async fn unload(State(freight): State<Freight>, Path(item): Path<String>, body: Bytes) -> Answer {
    let place: Place = decoded(&body)?;
    let (item, container) = (ItemId::from(item), ContainerId::from(place.container_id));
    if freight.unload(&item, &container).await? {
        return Ok(Json(stored(&freight, &item).await?));
    }
    let message = format!("Item {item} is not in container {container}. Look at it as it is now.");
    Err(Problem::conflict("elsewhere", message))
}

async fn stored(freight: &Freight, item: &ItemId) -> Result<Value, Problem> {
    let found = freight.item(item).await?;
    found
        .as_ref()
        .map(item_json)
        .ok_or_else(|| Problem::not_found(format!("There is no item {item} any more.")))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenRush {
    dispatchers: u32,
}

async fn rushed(
    State(freight): State<Freight>,
    Path(container): Path<String>,
    body: Bytes,
) -> Result<impl IntoResponse, Problem> {
    let GivenRush { dispatchers } = decoded(&body)?;
    if !(1..=DISPATCHERS_MAX).contains(&dispatchers) {
        return Err(Problem::wrong(
            "dispatchers",
            "The dispatchers are from 1 to 256. Send one of these numbers.",
        ));
    }
    let id = ContainerId::from(container);
    let name = format!("r{:x}", Timestamp::now().as_microsecond());
    let outcome = rush(&freight, &id, (dispatchers, &name)).await?;
    let none = || Problem::not_found(format!("There is no container {id}."));
    Ok(Json(outcome.ok_or_else(none)?))
}
