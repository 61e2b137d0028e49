//! Opens the sales as a page and an API, or is one of the workers that keep its views.

use examples_web::{announce, connection, given, listen, outcome, serve, usage};
use sales::{App, Crew, Desk, Importer, Legacy, Postgres, Seller, Storage, keep, routes, seed};
use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "usage: sales [--legacy postgres://USER@HOST/DATABASE]

Opens the sales as a page and an API, until Ctrl-C, with the views that two workers keep. Without
--legacy it starts a PostgreSQL of its own for the old system.

  SALES_CONNECTION
               the database: keyfold:./data if it is not set
";
/// The orders a second of the beginning.
const ORDERS_A_SECOND: u32 = 2;

fn main() -> ExitCode {
    let words = given();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let are_taken = matches!(*words, [] | ["--legacy", _] | ["worker", _]);
    if let Some(code) = usage(USAGE, &words, are_taken) {
        return code;
    }
    match *words {
        ["worker", connection] => outcome("A worker", keep(connection).map_err(Into::into)),
        ["--legacy", legacy] => outcome("Sales", opened(Some(legacy))),
        _ => outcome("Sales", opened(None)),
    }
}

fn opened(legacy: Option<&str>) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        if let Some(legacy) = legacy {
            return closed_after(Legacy::open(legacy).await?).await;
        }
        // It is started by the thread that stays until the end.
        let postgres = Postgres::start().await?;
        let ended = with_own(&postgres).await;
        postgres.stop().await?;
        ended
    })
}

async fn with_own(postgres: &Postgres) -> Result<(), Box<dyn Error>> {
    let legacy = Legacy::open(&postgres.connection()).await?;
    legacy.found().await?;
    closed_after(legacy).await
}

async fn closed_after(legacy: Legacy) -> Result<(), Box<dyn Error>> {
    let ended = run(&legacy).await;
    legacy.close().await;
    ended
}

async fn run(legacy: &Legacy) -> Result<(), Box<dyn Error>> {
    let storage = Storage::open(&connection("SALES_CONNECTION", "keyfold:./data")).await?;
    let desk = Desk::open(&storage).await?;
    let importer = Importer::start(&desk, legacy).await?;
    seed(&desk, &importer).await?;
    let (crew, ending) = Crew::start(&std::env::current_exe()?, &storage);
    let seller = Seller::start(&desk, &importer, ORDERS_A_SECOND);
    let parts = (seller.clone(), importer.clone());
    let app = App::new((desk, legacy.clone()), parts, crew);
    let listener = listen().await?;
    announce("Sales", &listener)?;
    serve(listener, routes(app)).await?;
    seller.stop();
    importer.stop();
    ending.stop().await;
    storage.close().await?;
    Ok(())
}
