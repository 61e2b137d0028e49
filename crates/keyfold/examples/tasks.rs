//! On an asynchronous runtime: a hundred tasks write at once, and the pages of an answer are awaited.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "an example shows what it does"
)]

use keyfold::nonblocking::Keyfold;
use keyfold::{Error, values};

const MODEL: &str = r#"
model visits 1
table Visits (PK, SK)
entity Page
  path: string
  key    "PAGE#{path}"  "PAGE"
  count  visits of Visit
entity Visit
  path: Page.path, id: ulid = new, visitor: int
  key  "PAGE#{path}"  "VISIT#{id}"
pattern page(path)    -> Page
pattern visits(path)  -> Visit[]  newest page 30
"#;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let visits = Keyfold::memory().await?.model(MODEL).await?;
    visits.put("Page", values! { "path": "/" }).await?;
    let mut tasks = Vec::new();
    for visitor in 0..100 {
        let visits = visits.clone();
        tasks.push(tokio::spawn(async move {
            let visit = values! { "path": "/", "visitor": visitor };
            visits.put("Visit", visit).await
        }));
    }
    for task in tasks {
        task.await.expect("a task ends")?;
    }
    let page = visits.query("page").arg("path", "/").one().await?;
    let mut pages = visits.query("visits").arg("path", "/").pages();
    let mut sizes = Vec::new();
    while let Some(page) = pages.next().await {
        sizes.push(page?.items.len());
    }
    let counted = page.and_then(|page| page.int("visits"));
    assert_eq!((counted, sizes.iter().sum()), (Some(100), 100_usize));
    println!("{counted:?} visits, in pages of {sizes:?}");
    Ok(())
}
