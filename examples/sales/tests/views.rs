//! Two worker processes keep the views while one of them is killed now and then, beside a real
//! PostgreSQL.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sales::{Crew, Desk, Imported, Legacy, Postgres, Proof, Sale, Storage, import};
use std::path::Path;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Some seconds, unless others keep the machine busy.
const WITHIN: Duration = Duration::from_secs(150);
const WRITERS: u64 = 4;
/// The orders of each writer in one go.
const ORDERS: usize = 10;
/// The kills of one go. One whose worker is dying already adds nothing.
const KILLS: usize = 5;
const PRODUCTS: [(&str, i64); 3] = [("tent", 19_900), ("map", 1_250), ("rug", 23_900)];
const REGIONS: [&str; 2] = ["north", "west"];

/// Places orders, pays most of them and takes some back. Returns how many are paid at the end.
async fn write(desk: Desk, seed: u64) -> i64 {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut paid = 0;
    for _ in 0..ORDERS {
        let (product, price_cents) = PRODUCTS[random.usize(..PRODUCTS.len())];
        let sale = Sale {
            customer_id: format!("c{}", random.u32(..9)),
            product_id: product.to_owned(),
            region_id: REGIONS[random.usize(..REGIONS.len())].to_owned(),
            quantity: random.i64(1..=3),
            price_cents,
        };
        let order = desk.place(&sale).await.unwrap();
        let fate = random.u32(..10);
        if fate > 0 {
            desk.pay(&order).await.unwrap();
            paid += 1;
        }
        if fate > 7 {
            desk.take_back(&order).await.unwrap();
            paid -= 1;
        }
        sleep(Duration::from_millis(random.u64(..250))).await;
    }
    paid
}

/// All writers at once, from a seed on.
async fn write_all(desk: &Desk, seed: u64) -> i64 {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        writers.spawn(write(desk.clone(), seed + writer));
    }
    writers.join_all().await.into_iter().sum()
}

/// Kills one of both workers at random moments.
async fn kill(crew: &Crew, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..KILLS {
        sleep(Duration::from_millis(random.u64(100..700))).await;
        assert!(crew.kill(random.usize(1..=2)));
    }
}

fn kills(crew: &Crew) -> u64 {
    crew.workers().iter().map(|worker| worker.kills).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn n5_rows_are_what_sql_makes_though_workers_are_killed() {
    let postgres = Postgres::start().await.unwrap();
    let storage = Storage::open("memory:").await.unwrap();
    let tested = timeout(WITHIN, keeps(&postgres, &storage)).await;
    storage.close().await.unwrap();
    postgres.stop().await.unwrap();
    tested.unwrap();
}

async fn keeps(postgres: &Postgres, storage: &Storage) {
    let legacy = Legacy::open(&postgres.connection()).await.unwrap();
    legacy.found().await.unwrap();
    let desk = Desk::open(storage).await.unwrap();
    let first = import(&desk, &legacy).await.unwrap();
    assert_eq!((first.written, first.deleted), (16, 0));
    let program = Path::new(env!("CARGO_BIN_EXE_sales"));
    let (crew, ending) = Crew::start(program, storage);
    let proof = Proof {
        desk: desk.clone(),
        legacy: legacy.clone(),
    };

    // Writers at once, while workers are killed and the first generation is built.
    let (mut paid, ()) = tokio::join!(write_all(&desk, 10), kill(&crew, 1));
    let compared = proof.compare().await.unwrap();
    assert_eq!(compared.differences, Vec::<String>::new());
    assert!(compared.is_same);
    assert_eq!((compared.orders, compared.sold), (40, paid));

    // A new generation is built while there are writes and kills.
    let (more, (), begun) = tokio::join!(write_all(&desk, 20), kill(&crew, 2), async {
        sleep(Duration::from_millis(300)).await;
        desk.rebuild().await.unwrap()
    });
    paid += more;
    assert!(begun.iter().all(|(_, number)| *number == 2), "{begun:?}");
    desk.settled(2).await.unwrap();
    let compared = proof.compare().await.unwrap();
    assert_eq!(compared.differences, Vec::<String>::new());
    assert_eq!((compared.orders, compared.sold), (80, paid));
    assert!(kills(&crew) > 3, "{:?}", crew.workers());

    // A new name reaches every row that has it; an import without news writes nothing.
    assert!(legacy.rename("tent", "Tent for four").await.unwrap());
    let imported = import(&desk, &legacy).await.unwrap();
    let expected = Imported {
        written: 1,
        deleted: 0,
    };
    assert_eq!(imported, expected);
    assert_eq!(import(&desk, &legacy).await.unwrap(), Imported::default());
    desk.settled(2).await.unwrap();
    let numbers = desk.numbers().await.unwrap();
    let daily = numbers.daily.iter().filter(|row| row.product_id == "tent");
    let daily = daily.map(|row| row.product.as_deref());
    let regional = numbers.products.iter();
    let regional = regional.filter(|row| row.product_id == "tent");
    let names: Vec<Option<&str>> = daily
        .chain(regional.map(|row| row.product.as_deref()))
        .collect();
    assert!(names.len() > 2, "{numbers:?}");
    assert!(
        names.iter().all(|name| *name == Some("Tent for four")),
        "{names:?}"
    );
    assert!(proof.compare().await.unwrap().is_same);

    // Rebuilt to the same numbers.
    let rebuilt = proof.rebuild(&crew).await.unwrap();
    assert_eq!(rebuilt.differences, Vec::<String>::new());
    assert_eq!((rebuilt.is_same, rebuilt.generation), (true, 3));
    assert_eq!(rebuilt.turnover_cents_before, rebuilt.turnover_cents_after);
    let workers = crew.workers();
    assert!(
        workers.iter().all(|worker| worker.handled > 0),
        "{workers:?}"
    );
    ending.stop().await;
}
