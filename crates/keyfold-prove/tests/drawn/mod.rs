//! Parts of random models that are drawn beside the others: sets, documents, references, conditions
//! of copies, projections and a second table.

pub(crate) mod guild;

/// Parts that some of many accepted models must have.
pub(crate) const PARTS: [&str; 14] = [
    ") project keys",
    ") project (a, n, o, list)",
    " in Oth",
    "parent: Parent.parent?",
    "count children of",
    "unique (u, lower(a))",
    "\" when ",
    "{tags} - tag",
    "set doc.x =",
    "set map.k =",
    "doc.x = doc.x + more",
    " remove doc.y",
    "when doc.x <= map.k",
    "filter",
];

/// One of several texts.
pub(crate) fn pick<'a>(rng: &mut fastrand::Rng, all: &[&'a str]) -> &'a str {
    all[rng.usize(..all.len())]
}

/// What a global index projects.
pub(crate) fn projection(rng: &mut fastrand::Rng) -> &'static str {
    pick(
        rng,
        &["", "", "", " project keys", " project (a, n, o, list)"],
    )
}

/// The source of what is drawn beside the rest, so that the same seed makes the same keys without it.
pub(crate) struct Beside {
    rng: fastrand::Rng,
    /// Whether there are two tables, of which each entity names its own.
    has_two_tables: bool,
    /// Whether the entities refer to a parent that counts them.
    has_parent: bool,
}

impl Beside {
    pub(crate) fn new(rng: &fastrand::Rng) -> Beside {
        let mut rng = fastrand::Rng::with_seed(rng.get_seed() ^ 0x5eed);
        Beside {
            has_two_tables: rng.u8(..4) == 0,
            has_parent: rng.u8(..3) == 0,
            rng,
        }
    }

    /// The declaration of the table, and perhaps of a second one like it.
    pub(crate) fn tables(&self, table: &str) -> String {
        let record = "record Doc\n  x: int, y: string?, tags: set of string?\n";
        let second = table.replacen("table Tab", "table Oth", 1);
        let second = if self.has_two_tables { &second } else { "" };
        format!("{record}{table}{second}")
    }

    /// The table that an entity names.
    pub(crate) fn place(&mut self) -> &'static str {
        if self.has_two_tables {
            pick(&mut self.rng, &[" in Tab", " in Oth"])
        } else {
            ""
        }
    }

    /// Attributes that every entity has.
    pub(crate) fn attributes(&mut self) -> String {
        let parent = if self.has_parent {
            pick(
                &mut self.rng,
                &[", parent: Parent.parent?", ", parent: Parent.parent"],
            )
        } else {
            ""
        };
        format!("tags: set of string?, doc: Doc?, map: map of int?{parent}")
    }

    /// The condition of a copy, which no moment decides.
    pub(crate) fn when(&mut self, condition: impl Fn(&mut fastrand::Rng) -> String) -> String {
        if self.rng.bool() {
            return String::new();
        }
        let condition = condition(&mut self.rng);
        format!(
            " when {}",
            condition.replace("t < now", "t < \"2026-01-01\"")
        )
    }

    /// Writes of elements and fields.
    pub(crate) fn writes(&mut self, at: usize, name: &str) -> String {
        let tags = pick(
            &mut self.rng,
            &["tags = {tags} + tag", "tags = {tags} - tag"],
        );
        let (field, when) = (
            pick(
                &mut self.rng,
                &[
                    "doc.x = more",
                    "doc.y = tag",
                    "map.k = more",
                    "doc.x = {n}",
                    "doc.x = doc.x + more",
                    "{n} = doc.x - more",
                    "map.k = doc.x",
                    "doc.tags = doc.tags + tag",
                ],
            ),
            pick(
                &mut self.rng,
                &[
                    "exists doc and exists map",
                    "doc.x >= 0 and exists map",
                    "doc.x <= map.k",
                ],
            ),
        );
        let gone = pick(
            &mut self.rng,
            &["", "", " remove doc.y", " remove map.j, doc.y"],
        );
        format!(
            "write tag{at}(tag: string)\n  update {name} set {tags}\nwrite field{at}(more: int, tag: string)\n  update {name} set {field}, tags = {{tags}} + tag{gone} when {when}\n"
        )
    }

    /// The entity that counts the others.
    pub(crate) fn parent(&mut self, count: usize) -> String {
        if !self.has_parent {
            return String::new();
        }
        let (place, child) = (
            self.place(),
            pick(&mut self.rng, &["One", "Two", "Three"][..count]),
        );
        let filter = pick(&mut self.rng, &["", "", " where w = red"]);
        let sum = pick(&mut self.rng, &["n", "m"]);
        format!(
            "entity Parent{place}\n  parent: string\n  key \"PARENT#{{parent}}\" \"PARENT\"\n  count children of {child}{filter}\n  sum total of {child}.{sum}{filter}\npattern parents(parent) -> Parent?\n"
        )
    }
}
