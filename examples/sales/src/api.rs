//! The API and the page.

use crate::crew::{Crew, WORKERS};
use crate::desk::{Desk, Sale};
use crate::importer::{Importer, import};
use crate::legacy::Legacy;
use crate::live::{Live, Watched};
use crate::model::{Order, OrderId};
use crate::proof::Proof;
use crate::seller::{ORDERS_MAX, Seller};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use examples_web::{Path, Problem, decoded, events, json_file, look, page, script, shown};
use keyfold::jiff::civil::Date;
use keyfold::typed::Error;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};

const QUANTITY_MAX: i64 = 1000;
const NAME_CHARACTERS_MAX: usize = 60;

/// What the routes share.
#[derive(Debug, Clone)]
pub struct App {
    desk: Desk,
    legacy: Legacy,
    seller: Seller,
    crew: Crew,
    live: Live,
    /// One proof at a time.
    proving: Arc<Mutex<()>>,
}

impl App {
    /// All parts of the program, as pages and other programs reach them.
    pub fn new(
        (desk, legacy): (Desk, Legacy),
        (seller, importer): (Seller, Importer),
        crew: Crew,
    ) -> App {
        let live = Live::start(Watched {
            desk: desk.clone(),
            seller: seller.clone(),
            importer,
            crew: crew.clone(),
        });
        App {
            desk,
            legacy,
            seller,
            crew,
            live,
            proving: Arc::default(),
        }
    }

    fn proof(&self) -> Result<(MutexGuard<'_, ()>, Proof), Problem> {
        let busy = "A proof is running. Wait until it is over.";
        let turn = self.proving.try_lock();
        let turn = turn.map_err(|_| Problem::conflict("busy", busy))?;
        let proof = Proof {
            desk: self.desk.clone(),
            legacy: self.legacy.clone(),
        };
        Ok((turn, proof))
    }
}

/// The page and the API.
pub fn routes(app: App) -> Router {
    Router::new()
        .route("/", page(include_str!("../assets/page.html")))
        .route("/sales.js", script(include_str!("../assets/sales.js")))
        .merge(look())
        .route(
            "/api/openapi.json",
            json_file(include_str!("../openapi.json")),
        )
        .route("/api/events", get(watched))
        .route("/api/days/{day}", get(day))
        .route("/api/months/{month}", get(month))
        .route("/api/months/{month}/regions/{regionId}/top", get(top))
        .route("/api/orders", post(place))
        .route("/api/orders/{orderId}", get(order))
        .route("/api/orders/{orderId}/pay", post(pay))
        .route("/api/orders/{orderId}/return", post(take_back))
        .route("/api/selling", post(want))
        .route("/api/chaos", post(disturb))
        .route("/api/workers/{number}/kill", post(kill))
        .route("/api/legacy/products", get(products))
        .route("/api/legacy/products/{productId}", post(rename))
        .route("/api/import", post(import_now))
        .route("/api/compare", post(compare))
        .route("/api/rebuild", post(rebuild))
        .with_state(app)
}

type Answer = Result<Json<Value>, Problem>;

/// N5: sales, views, workers and numbers, as server-sent events.
async fn watched(State(app): State<App>) -> impl IntoResponse {
    events(app.live.states().await)
}

/// N5: what was sold on a day.
async fn day(State(app): State<App>, Path(day): Path<String>) -> Answer {
    let date = day.parse::<Date>();
    let wrong = |_| {
        let day = shown(&day);
        let detail = format!("The day {day} is none. Send one like 2026-11-24.");
        Problem::wrong("day", detail)
    };
    let date = date.map_err(wrong)?;
    let rows = app.desk.sales_of_day(&date.to_string()).await?;
    Ok(Json(json!({ "rows": rows })))
}

fn month_of(month: &str) -> Result<String, Problem> {
    let first = format!("{month}-01").parse::<Date>();
    let wrong = |_| {
        let month = shown(month);
        let detail = format!("The month {month} is none. Send one like 2026-11.");
        Problem::wrong("month", detail)
    };
    Ok(first.map_err(wrong)?.strftime("%Y-%m").to_string())
}

/// N5: what was sold in the regions in a month.
async fn month(State(app): State<App>, Path(month): Path<String>) -> Answer {
    let rows = app.desk.sales_of_month(&month_of(&month)?).await?;
    Ok(Json(json!({ "rows": rows })))
}

/// N5: the products with the greatest turnover in a region in a month.
async fn top(State(app): State<App>, Path((month, region)): Path<(String, String)>) -> Answer {
    let month = month_of(&month)?;
    let found = app.desk.client().region(&region.as_str().into()).await?;
    found.ok_or_else(|| Problem::not_found(format!("There is no region {region}.")))?;
    let rows = app.desk.top_products(&region, &month).await?;
    Ok(Json(json!({ "rows": rows })))
}

fn order_json(order: &Order) -> Value {
    json!({
        "orderId": order.order_id.to_string(),
        "customerId": order.customer_id,
        "productId": order.product_id.to_string(),
        "regionId": order.region_id.to_string(),
        "quantity": order.quantity,
        "totalCents": order.total_cents,
        "status": order.status.as_str(),
        "createdAt": order.created_at.to_string(),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewSale {
    customer_id: String,
    product_id: String,
    region_id: String,
    quantity: i64,
}

/// Places an order in table A, for the price that was imported.
async fn place(State(app): State<App>, body: Bytes) -> Result<impl IntoResponse, Problem> {
    let new: NewSale = decoded(&body)?;
    if !(1..=QUANTITY_MAX).contains(&new.quantity) {
        return Err(Problem::wrong(
            "quantity",
            "The quantity is from 1 to 1,000. Send one of these numbers.",
        ));
    }
    Problem::check_written("customerId", &new.customer_id)?;
    let (product, region) = (&new.product_id, &new.region_id);
    let held = app.desk.rest().read().await;
    let found = app.desk.client().product(&product.as_str().into()).await?;
    let found = found.ok_or_else(|| {
        Problem::wrong(
            "productId",
            format!("There is no product {product}. Send one that there is."),
        )
    })?;
    let there = app.desk.client().region(&region.as_str().into()).await?;
    there.ok_or_else(|| {
        Problem::wrong(
            "regionId",
            format!("There is no region {region}. Send one that there is."),
        )
    })?;
    let sale = Sale {
        customer_id: new.customer_id,
        product_id: new.product_id,
        region_id: new.region_id,
        quantity: new.quantity,
        price_cents: found.price_cents,
    };
    let order = app.desk.place(&sale).await?;
    drop(held);
    Ok((StatusCode::CREATED, Json(order_of(&app, &order).await?)))
}

async fn order_of(app: &App, order: &OrderId) -> Result<Value, Problem> {
    let found = app.desk.order(order).await?;
    let found = found.ok_or_else(|| Problem::not_found(format!("There is no order {order}.")))?;
    Ok(order_json(&found))
}

/// The identifier of a path. A text that is none is that of no order.
fn order_id(text: &str) -> Result<OrderId, Problem> {
    let is_digit = |byte: u8| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(&byte);
    let is_ulid = text.len() == 26 && text < "8" && text.bytes().all(is_digit);
    let missing = || Problem::not_found(format!("There is no order {text}."));
    is_ulid.then(|| OrderId::from(text)).ok_or_else(missing)
}

async fn order(State(app): State<App>, Path(order): Path<String>) -> Answer {
    Ok(Json(order_of(&app, &order_id(&order)?).await?))
}

/// The order after a change, or why there was none.
async fn changed(app: &App, order: &OrderId, done: Result<(), Error>, why: &str) -> Answer {
    match done {
        Ok(()) => Ok(Json(order_of(app, order).await?)),
        Err(Error::Refused(_)) => {
            let order = order_of(app, order).await?;
            let status = order["status"].as_str().unwrap_or_default();
            let message = format!("The order is {status}. {why}");
            Err(Problem::conflict("wrong_status", message))
        }
        Err(Error::NotFound(_)) => Err(Problem::not_found(format!("There is no order {order}."))),
        Err(error) => Err(error.into()),
    }
}

async fn pay(State(app): State<App>, Path(order): Path<String>) -> Answer {
    let order = order_id(&order)?;
    let held = app.desk.rest().read().await;
    let done = app.desk.pay(&order).await;
    drop(held);
    changed(&app, &order, done, "Only a pending one can be paid.").await
}

async fn take_back(State(app): State<App>, Path(order): Path<String>) -> Answer {
    let order = order_id(&order)?;
    let held = app.desk.rest().read().await;
    let done = app.desk.take_back(&order).await;
    drop(held);
    changed(&app, &order, done, "Only a paid one can be taken back.").await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Wanted {
    orders_a_second: u32,
}

async fn want(State(app): State<App>, body: Bytes) -> Answer {
    let Wanted { orders_a_second } = decoded(&body)?;
    if orders_a_second > ORDERS_MAX {
        return Err(Problem::wrong(
            "ordersASecond",
            "The orders a second are from 0 to 200. Send one of these numbers.",
        ));
    }
    app.seller.want(orders_a_second);
    Ok(Json(json!({ "ordersASecond": orders_a_second })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Chaos {
    is_on: bool,
}

/// Kills a worker now and then.
async fn disturb(State(app): State<App>, body: Bytes) -> Answer {
    let Chaos { is_on } = decoded(&body)?;
    app.crew.disturb(is_on);
    Ok(Json(json!({ "isOn": is_on })))
}

async fn kill(State(app): State<App>, Path(number): Path<String>) -> Answer {
    let is_killed = number.parse().is_ok_and(|number| app.crew.kill(number));
    if !is_killed {
        let message = format!("There is no worker {number}: they are 1 to {WORKERS}.");
        return Err(Problem::not_found(message));
    }
    Ok(Json(json!({ "workers": app.crew.workers() })))
}

async fn products(State(app): State<App>) -> Answer {
    let products = app.legacy.products().await?;
    Ok(Json(json!({ "products": products })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewName {
    name: String,
}

/// Renames a product in the legacy system. The next import brings the name to table A.
async fn rename(State(app): State<App>, Path(product): Path<String>, body: Bytes) -> Answer {
    let NewName { name } = decoded(&body)?;
    let name = name.trim();
    let count = name.chars().count();
    if !(1..=NAME_CHARACTERS_MAX).contains(&count) || name.contains(char::is_control) {
        return Err(Problem::wrong(
            "name",
            "A name has from 1 to 60 characters, in a line. Correct it.",
        ));
    }
    // PostgreSQL takes no text with such characters.
    if product.contains(char::is_control) || !app.legacy.rename(&product, name).await? {
        return Err(Problem::not_found(format!(
            "There is no product {product}."
        )));
    }
    Ok(Json(json!({ "productId": product, "name": name })))
}

async fn import_now(State(app): State<App>) -> Answer {
    let held = app.desk.rest().read().await;
    let imported = import(&app.desk, &app.legacy).await?;
    drop(held);
    Ok(Json(json!(imported)))
}

/// N5: the views beside SQL.
async fn compare(State(app): State<App>) -> Answer {
    let (turn, proof) = app.proof()?;
    let compared = proof.compare().await?;
    drop(turn);
    Ok(Json(json!(compared)))
}

/// N5: a new generation beside the one before.
async fn rebuild(State(app): State<App>) -> Answer {
    let (turn, proof) = app.proof()?;
    let rebuilt = proof.rebuild(&app.crew).await?;
    drop(turn);
    Ok(Json(json!(rebuilt)))
}
