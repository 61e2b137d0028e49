//! The databases that are migrated: a shop of music and one that rents films, in the manner of the well-known
//! examples, with rows that are made by SQL. The same text makes them in SQLite, PostgreSQL and MariaDB.

/// A database, and the model that its rows come into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schema {
    pub(super) name: &'static str,
    pub(super) model: &'static str,
    sql: &'static str,
    /// The table in which the rows lie whose way is timed.
    timed: &'static str,
}

/// All of them.
pub(super) const ALL: [Schema; 2] = [
    Schema {
        name: "music",
        model: include_str!("music.keyfold"),
        sql: include_str!("music.sql"),
        timed: "Music",
    },
    Schema {
        name: "rental",
        model: include_str!("rental.keyfold"),
        sql: include_str!("rental.sql"),
        timed: "Rental",
    },
];

/// A change whose way is timed: the statement, and the item that holds its number in the end.
pub(super) struct Timed {
    pub(super) sql: String,
    pub(super) table: &'static str,
    pub(super) partition: String,
    pub(super) sort: String,
}

impl Schema {
    fn is_music(&self) -> bool {
        self.name == "music"
    }

    /// The statements that make the database, of about so many thousand rows.
    pub(super) fn statements(&self, thousands: u64) -> String {
        self.sql.replace("{scale}", &thousands.to_string())
    }

    /// An update of one row, which holds a number afterwards.
    pub(super) fn timed(&self, thousands: u64, at: u64, number: u64) -> Timed {
        let sql = |table| format!("UPDATE {table} SET changed = {number} WHERE id = {at}");
        match self.is_music() {
            true => Timed {
                sql: sql("invoice_lines"),
                table: self.timed,
                partition: format!("INVOICE#{}", at % (thousands * 120) + 1),
                sort: format!("LINE#{at}"),
            },
            false => Timed {
                sql: sql("rentals"),
                table: self.timed,
                partition: format!("CUSTOMER#{}", at * 13 % (thousands * 50) + 1),
                sort: format!("RENTAL#{at}"),
            },
        }
    }

    /// The number of rows of which any may be timed.
    pub(super) fn timed_rows(&self, thousands: u64) -> u64 {
        match self.is_music() {
            true => thousands * 500,
            false => thousands * 375,
        }
    }

    /// One of the other changes: of ten, seven change a row, two add a row that counts and is summed, and one
    /// changes a row that others are joined to. New rows have numbers from `new` on.
    pub(super) fn change(&self, thousands: u64, chance: &mut fastrand::Rng, new: u64) -> String {
        let any = |chance: &mut fastrand::Rng, count: u64| chance.u64(1..=thousands * count);
        match (chance.u8(..10), self.is_music()) {
            (0..7, true) => format!(
                "UPDATE invoice_lines SET quantity = {} WHERE id = {}",
                chance.u8(1..50),
                any(chance, 500)
            ),
            (0..7, false) => format!(
                "UPDATE payments SET cents = {} WHERE id = {}",
                chance.u16(100..900),
                any(chance, 375)
            ),
            (7..9, true) => format!(
                "INSERT INTO invoices VALUES ({new}, {}, '2026-11-27', 'City', {})",
                any(chance, 30),
                chance.u16(100..900)
            ),
            (7..9, false) => format!(
                "INSERT INTO rentals VALUES ({new}, {}, {}, '2026-11-27', 0)",
                any(chance, 50),
                any(chance, 75)
            ),
            (_, true) => {
                let track = any(chance, 140);
                format!("UPDATE tracks SET name = 'Song, take {new}' WHERE id = {track}")
            }
            (_, false) => {
                let film = any(chance, 20);
                format!("UPDATE films SET title = 'Film, cut {new}' WHERE id = {film}")
            }
        }
    }
}
