//! Capacity that is exhausted, as a program hears of it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold::stream::Failure;
use keyfold::{Error, Keyfold, Options, values};

const MODEL: &str = r#"
model meters 1
table Meters (id)
  capacity 1 read 1 write
entity Meter
  id: string, value: int
  key  {id}
pattern meter(id) -> Meter?
write put_both()
  put Meter as one
  put Meter as two
"#;

/// Writes beyond the capacity and its burst of 300 seconds.
fn first_refusal(
    options: Options,
    write: impl Fn(&keyfold::Database, u32) -> Result<(), Error>,
) -> Option<Error> {
    let db = Keyfold::memory_with(options).unwrap();
    let meters = db.model(MODEL).unwrap();
    (0..400).find_map(|n| write(&meters, n).err())
}

#[test]
fn capacity_that_is_exhausted_is_an_error_of_its_own() {
    let options = Options::new().enforce_capacity();
    let put = |meters: &keyfold::Database, n| {
        let meter = values! { "id": "m", "value": n };
        meters.put("Meter", meter).map(drop)
    };
    let refused = first_refusal(options.clone(), put).unwrap();
    assert!(
        matches!(&refused, Error::Throttled { exception, message }
            if exception == "ProvisionedThroughputExceededException" && !message.is_empty()),
        "{refused:?}"
    );
    assert!(matches!(Failure::from(refused), Failure::Again(_)));
    assert_eq!(first_refusal(Options::new(), put), None);

    // A transaction is cancelled for it.
    let both = |meters: &keyfold::Database, n: u32| {
        let ids = values! { "one.id": "a", "one.value": n, "two.id": "b", "two.value": n };
        meters.run("put_both").args(ids).send().map(drop)
    };
    let refused = first_refusal(options, both).unwrap();
    assert!(
        matches!(&refused, Error::Throttled { exception, .. }
            if exception == "TransactionCanceledException"),
        "{refused:?}"
    );
}
