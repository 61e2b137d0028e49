//! How an evolution is carried out.

/// The table that keeps the rows of evolutions, by default.
pub const ROWS: &str = "keyfold_evolutions";

/// The entities of a page that are written at once, by default.
const WRITERS: u32 = 8;

/// The aggregates that are computed at once, by default: they take some hundred megabytes.
const SHARES: usize = 2_000_000;

/// How an evolution is carried out.
#[derive(Debug, Clone)]
pub struct Options {
    /// The table that keeps the rows of evolutions.
    pub rows: String,
    /// How many segments of a table are read at once, when the evolution begins; it stays so.
    pub segments: u32,
    /// How many entities of a page are written at once.
    pub writers: u32,
    /// The most items of a page; without it, a page is a megabyte.
    pub page: Option<u32>,
    /// How many aggregates are computed at once, each of one item: more of them need another pass over the
    /// items that they count.
    pub shares: usize,
    /// The most read units a second, and the most write units.
    pub rate: Option<u32>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rows: ROWS.to_owned(),
            segments: 4,
            writers: WRITERS,
            page: None,
            shares: SHARES,
            rate: None,
        }
    }
}
