//! A part of random models with a table of its own: members and their notes, with keys bound by hand,
//! deletions and checks in writes, records in lists, aggregates by one of two references, kinds,
//! lists of ids, elements of sets and fields of records. It may lie in a file of its own.

use super::pick;

/// The line before which a model of two files is divided.
const MARK: &str = "# guild\n";

/// What some accepted models must have.
pub(crate) const PARTS: [&str; 20] = [
    "check Member where member = author",
    "check Member when",
    "delete Note",
    " for each ",
    " by author",
    "max best of Note.rank by author",
    "max best of Note.rank by author where",
    "max chosen of Note.rank by reader\n",
    "max chosen of Note.rank by reader where",
    "filter kind in (",
    "(member[])",
    "(author, rank, note[])",
    "codes = {codes} + code",
    "codes = {codes} - code",
    "place.x = ",
    "create Ribbon set member = Member.member",
    "create or update Ribbon set level = Member.level",
    "level = fresh.level - more",
    "put Ribbon set member = fresh.member",
    "use \"guild.keyfold\"",
];

/// The lines of the part, drawn beside `rng`; none for some models.
pub(crate) fn drawn(rng: &fastrand::Rng) -> String {
    let rng = &mut fastrand::Rng::with_seed(rng.get_seed() ^ 0x6111d);
    if rng.u8(..4) == 0 {
        return String::new();
    }
    let state = pick(rng, &["string", "fresh | worn"]);
    let by_state = rng.bool();
    let first = if by_state { "{state}#" } else { "" };
    let of_state = if by_state { " where state = fresh" } else { "" };
    let aggregates = [
        format!("  count notes of Note by author{of_state}\n"),
        "  count readings of Note by reader\n".to_owned(),
        "  sum ranks of Note.rank by author\n".to_owned(),
        format!("  max best of Note.rank by author{of_state}\n"),
    ];
    let aggregates = aggregates.into_iter().filter(|_| rng.bool());
    let aggregates: String = aggregates.collect();
    let action = pick(
        rng,
        &[
            "delete Note",
            "delete Note when rank > 3",
            "delete Note when state = fresh or rank < 20",
        ],
    );
    let check = pick(
        rng,
        &[
            "check Member where member = author",
            "check Member where member = author when level > 40",
        ],
    );
    let check_only = pick(
        rng,
        &[
            "check Member when level >= 5",
            "check Member when missing title",
        ],
    );
    let change = pick(rng, &["codes = {codes} + code", "codes = {codes} - code"]);
    let place = pick(
        rng,
        &[
            "place.x = code",
            "place.x = place.x + code",
            "place.y = {note}",
        ],
    );
    let kinds = pick(rng, &["Badge", "Badge, Ribbon", "Ribbon"]);
    let filter = pick(
        rng,
        &[
            "contains(codes, code)",
            "place.x >= code",
            "contains(codes, code) or place.y starts \"a\"",
        ],
    );
    // The greatest by a reference that may be missing is found by a copy of those that have it.
    let (chosen, copy) = match rng.u8(..3) {
        0 => (String::new(), String::new()),
        _ => (
            format!("  max chosen of Note.rank by reader{of_state}\n"),
            format!(
                "  copy chosen \"READER#{{reader}}\" \"NOTE#{first}{{rank:06:signed}}#{{author}}#{{note}}\" when exists reader\n"
            ),
        ),
    };
    // What is taken from an action above: as it is stored before the write, or as it is created.
    let lent = pick(
        rng,
        &[
            "check Member\n  create Ribbon set member = Member.member, level = Member.level + more",
            "update Member set level = more\n  create Ribbon set member = Member.member, level = Member.level",
            "update Member set title = note\n  create or update Ribbon set level = Member.level + more",
            "create Member as fresh\n  create Ribbon set member = fresh.member, level = fresh.level - more",
            "create Member as fresh\n  create Badge set member = fresh.member\n  put Ribbon set member = fresh.member, level = more",
        ],
    );
    let lent_parameters = if lent.contains("note") {
        "more: int, note: string"
    } else {
        "more: int"
    };
    let fresh = if state == "string" { "" } else { " = fresh" };
    format!(
        "{MARK}record Place
  x: int, y: string?
record Entry
  author: string, rank: int, note: string
entity Member in Guild
  member: string, level: int, title: string?
  key \"MEMBER#{{member}}\" \"MEMBER\"
{aggregates}{chosen}entity Note in Guild
  author: Member.member, reader: Member.member?, rank: int, note: string, state: {state}{fresh}, codes: set of int?, place: Place?
  key \"MEMBER#{{author}}\" \"NOTE#{first}{{rank:06:signed}}#{{note}}\"
{copy}entity Badge in Guild
  member: Member.member, badge: string
  key \"MEMBER#{{member}}\" \"PIN#BADGE#{{badge}}\"
entity Ribbon in Guild
  member: Member.member, ribbon: string, level: int
  key \"MEMBER#{{member}}\" \"PIN#RIBBON#{{ribbon}}\"
write post(author)
  create Note
  {check}
write strike(author)
  {action}
  {check_only}
write gather(entries: list of Entry)
  create Note for each entries
write mark(author, code: int)
  update Note set {change}, {place} when exists place
write pin({lent_parameters})
  {lent}
pattern members(member[]) -> Member[]
pattern notes(author) -> Note[] page 3
pattern some(author, rank, note[]) -> Note[]
pattern pins(member) -> Badge[] + Ribbon[] filter kind in ({kinds}) page 3
pattern marked(author, code: int) -> Note[] filter {filter} page 3
"
    )
}

/// The declaration of the table that the part lies in.
pub(crate) fn table(part: &str) -> &'static str {
    if part.is_empty() {
        ""
    } else {
        "table Guild (GK, GS) type kind\n"
    }
}

/// The model in two files, the second with the part; `None` where it has none.
pub(crate) fn in_two_files(source: &str) -> Option<[(String, String); 2]> {
    let (first, second) = source.split_once(MARK)?;
    let first = first
        .replacen('\n', "\nowner platform\nuse \"guild.keyfold\"\n", 1)
        .replacen("table Guild", "shared table Guild", 1);
    let second = format!("owner guild\n{second}");
    Some([
        ("model.keyfold".to_owned(), first),
        ("guild.keyfold".to_owned(), second),
    ])
}
