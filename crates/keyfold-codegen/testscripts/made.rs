// Made by keyfold (test) of the model made, version 1.
// The plan document's hash: 3ceebac73974e439e9d2bc1a23826ab5.
// Changes here are lost: change the model, and run `keyfold generate`.

use keyfold::typed;

/// A value of `Cart.id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct CartId(String);

typed::id! { CartId: text }

/// A value of `Line.lineId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct LineId(String);

typed::id! { LineId: text }

/// A value of `Task.taskId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct TaskId(String);

typed::id! { TaskId: text }

/// A value of `Track.trackId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct TrackId(String);

typed::id! { TrackId: text }

/// The words of `Task.state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub enum TaskState {
    /// The word `open`.
    Open,
    /// The word `closed`.
    Closed,
}

typed::words! { TaskState {
    Open = "open",
    Closed = "closed",
} }

/// The record `Wanted`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Wanted {
    /// The field `amount`.
    pub amount: i64,
    /// The field `lineId`.
    pub line_id: Option<String>,
}

typed::record! { Wanted {
    amount: "amount",
    line_id: "lineId",
} }

/// The record `Which`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Which {
    /// The field `taskId`.
    pub task_id: String,
}

typed::record! { Which {
    task_id: "taskId",
} }

/// The entity `Cart` as it is stored, under `"CART#{id}" "CART"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Cart {
    /// The attribute `id`.
    pub id: CartId,
    /// The attribute `at`.
    pub at: typed::Timestamp,
    /// The attribute `note`.
    pub note: Option<String>,
}

typed::stored! { Cart {
    id: "id",
    at: "at",
    note: "note",
} }

/// The attributes of a `Cart` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct NewCart {
    /// The attribute `id`. Default: `new`.
    pub id: Option<CartId>,
    /// The attribute `at`. Default: `now`.
    pub at: Option<typed::Timestamp>,
    /// The attribute `note`.
    pub note: Option<String>,
}

typed::fresh! { NewCart {
    id: "id",
    at: "at",
    note: "note",
} }

/// The key of a `Cart`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CartKey {
    /// The attribute `id`.
    pub id: CartId,
}

typed::given! { CartKey {
    id: "id",
} }

/// Changes of a `Cart`: what is not named stays as it is, and `Patch::Remove` removes an
/// optional attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct CartPatch {
    /// The attribute `at`.
    pub at: Option<typed::Timestamp>,
    /// The attribute `note`.
    pub note: typed::Patch<String>,
}

typed::patch! { CartPatch {
    at: "at",
    note: "note",
} }

/// What a `Cart` gets that is created or put: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CartMade {
    /// The value `id`.
    pub id: CartId,
    /// The value `at`.
    pub at: typed::Timestamp,
}

typed::made! { CartMade {
    id: argument("Cart", "id"),
    at: argument("Cart", "at"),
} }

typed::entity! {
    Cart = "Cart" of MadeParts alone;
    new NewCart; patch CartPatch;
    made CartMade; touched ();
    put NewCart { id, at, note, }
    key CartKey { id, }
}

/// The entity `Line` as it is stored, under `"CART#{cartId}" "LINE#{lineId}"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Line {
    /// The attribute `cartId`.
    pub cart_id: CartId,
    /// The attribute `lineId`.
    pub line_id: LineId,
    /// The attribute `at`.
    pub at: typed::Timestamp,
    /// The attribute `amount`.
    pub amount: i64,
}

typed::stored! { Line {
    cart_id: "cartId",
    line_id: "lineId",
    at: "at",
    amount: "amount",
} }

/// The attributes of a `Line` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewLine {
    /// The attribute `cartId`.
    pub cart_id: CartId,
    /// The attribute `lineId`. Default: `new`.
    pub line_id: Option<LineId>,
    /// The attribute `at`. Default: `now`.
    pub at: Option<typed::Timestamp>,
    /// The attribute `amount`.
    pub amount: i64,
}

#[allow(dead_code)]
impl NewLine {
    /// One with what must be given, and nothing else.
    pub fn new(cart_id: CartId, amount: i64) -> NewLine {
        NewLine {
            cart_id,
            line_id: None,
            at: None,
            amount,
        }
    }
}

typed::fresh! { NewLine {
    cart_id: "cartId",
    line_id: "lineId",
    at: "at",
    amount: "amount",
} }

/// The key of a `Line`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct LineKey {
    /// The attribute `cartId`.
    pub cart_id: CartId,
    /// The attribute `lineId`.
    pub line_id: LineId,
}

typed::given! { LineKey {
    cart_id: "cartId",
    line_id: "lineId",
} }

/// Changes of a `Line`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct LinePatch {
    /// The attribute `at`.
    pub at: Option<typed::Timestamp>,
    /// The attribute `amount`.
    pub amount: Option<i64>,
}

typed::patch! { LinePatch {
    at: "at",
    amount: "amount",
} }

/// What a `Line` gets that is created or put: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct LineMade {
    /// The value `lineId`.
    pub line_id: LineId,
    /// The value `at`.
    pub at: typed::Timestamp,
}

typed::made! { LineMade {
    line_id: argument("Line", "lineId"),
    at: argument("Line", "at"),
} }

typed::entity! {
    Line = "Line" of MadeParts alone;
    new NewLine; patch LinePatch;
    made LineMade; touched ();
    put NewLine { cart_id, line_id, at, amount, }
    key LineKey { cart_id, line_id, }
}

/// The entity `Visit` as it is stored, under `"VISITS" "{day}"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Visit {
    /// The attribute `day`.
    pub day: typed::Date,
    /// The attribute `count`.
    pub count: i64,
    /// The attribute `firstAt`.
    pub first_at: typed::Timestamp,
}

typed::stored! { Visit {
    day: "day",
    count: "count",
    first_at: "firstAt",
} }

/// The attributes of a `Visit` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewVisit {
    /// The attribute `day`.
    pub day: typed::Date,
    /// The attribute `count`.
    pub count: i64,
    /// The attribute `firstAt`. Default: `now`.
    pub first_at: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl NewVisit {
    /// One with what must be given, and nothing else.
    pub fn new(day: typed::Date, count: i64) -> NewVisit {
        NewVisit {
            day,
            count,
            first_at: None,
        }
    }
}

typed::fresh! { NewVisit {
    day: "day",
    count: "count",
    first_at: "firstAt",
} }

/// The key of a `Visit`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct VisitKey {
    /// The attribute `day`.
    pub day: typed::Date,
}

typed::given! { VisitKey {
    day: "day",
} }

/// Changes of a `Visit`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct VisitPatch {
    /// The attribute `count`.
    pub count: Option<i64>,
    /// The attribute `firstAt`.
    pub first_at: Option<typed::Timestamp>,
}

typed::patch! { VisitPatch {
    count: "count",
    first_at: "firstAt",
} }

/// What a `Visit` gets that is created or put: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct VisitMade {
    /// The value `firstAt`.
    pub first_at: typed::Timestamp,
}

typed::made! { VisitMade {
    first_at: argument("Visit", "firstAt"),
} }

typed::entity! {
    Visit = "Visit" of MadeParts alone;
    new NewVisit; patch VisitPatch;
    made VisitMade; touched ();
    put NewVisit { day, count, first_at, }
    key VisitKey { day, }
}

/// The entity `Task` as it is stored, under `"TASK#{taskId}" "TASK"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Task {
    /// The attribute `taskId`.
    pub task_id: TaskId,
    /// The attribute `state`.
    pub state: TaskState,
    /// The attribute `closedAt`.
    pub closed_at: Option<typed::Timestamp>,
    /// The attribute `seenAt`.
    pub seen_at: Option<typed::Timestamp>,
    /// The attribute `changedAt`.
    pub changed_at: typed::Timestamp,
}

typed::stored! { Task {
    task_id: "taskId",
    state: "state",
    closed_at: "closedAt",
    seen_at: "seenAt",
    changed_at: "changedAt",
} }

/// The attributes of a `Task` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewTask {
    /// The attribute `taskId`.
    pub task_id: TaskId,
    /// The attribute `state`. Default: `open`.
    pub state: Option<TaskState>,
    /// The attribute `closedAt`.
    pub closed_at: Option<typed::Timestamp>,
    /// The attribute `seenAt`.
    pub seen_at: Option<typed::Timestamp>,
    /// The attribute `changedAt`. Default: `now always`.
    pub changed_at: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl NewTask {
    /// One with what must be given, and nothing else.
    pub fn new(task_id: TaskId) -> NewTask {
        NewTask {
            task_id,
            state: None,
            closed_at: None,
            seen_at: None,
            changed_at: None,
        }
    }
}

typed::fresh! { NewTask {
    task_id: "taskId",
    state: "state",
    closed_at: "closedAt",
    seen_at: "seenAt",
    changed_at: "changedAt",
} }

/// The key of a `Task`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TaskKey {
    /// The attribute `taskId`.
    pub task_id: TaskId,
}

typed::given! { TaskKey {
    task_id: "taskId",
} }

/// Changes of a `Task`: what is not named stays as it is, and `Patch::Remove` removes an
/// optional attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct TaskPatch {
    /// The attribute `state`.
    pub state: Option<TaskState>,
    /// The attribute `closedAt`.
    pub closed_at: typed::Patch<typed::Timestamp>,
    /// The attribute `seenAt`.
    pub seen_at: typed::Patch<typed::Timestamp>,
    /// The attribute `changedAt`.
    pub changed_at: Option<typed::Timestamp>,
}

typed::patch! { TaskPatch {
    state: "state",
    closed_at: "closedAt",
    seen_at: "seenAt",
    changed_at: "changedAt",
} }

/// What a `Task` gets that is created or put: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TaskMade {
    /// The value `changedAt`.
    pub changed_at: typed::Timestamp,
}

typed::made! { TaskMade {
    changed_at: argument("Task", "changedAt"),
} }

/// What an update of a `Task` sets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TaskTouched {
    /// The value `changedAt`.
    pub changed_at: typed::Timestamp,
}

typed::made! { TaskTouched {
    changed_at: argument("Task", "changedAt"),
} }

typed::entity! {
    Task = "Task" of MadeParts alone;
    new NewTask; patch TaskPatch;
    made TaskMade; touched TaskTouched;
    put NewTask { task_id, state, closed_at, seen_at, changed_at, }
    key TaskKey { task_id, }
}

/// The entity `Track` as it is stored, under `"TRACK#{trackId}" "TRACK##‹part›"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Track {
    /// The attribute `trackId`.
    pub track_id: TrackId,
    /// The attribute `title`.
    pub title: String,
    /// The attribute `points`.
    pub points: Vec<i64>,
}

typed::stored! { Track {
    track_id: "trackId",
    title: "title",
    points: "points",
} }

/// The attributes of a `Track` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewTrack {
    /// The attribute `trackId`.
    pub track_id: TrackId,
    /// The attribute `title`.
    pub title: String,
    /// The attribute `points`.
    pub points: Vec<i64>,
}

typed::fresh! { NewTrack {
    track_id: "trackId",
    title: "title",
    points: "points",
} }

/// The key of a `Track`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TrackKey {
    /// The attribute `trackId`.
    pub track_id: TrackId,
}

typed::given! { TrackKey {
    track_id: "trackId",
} }

/// Changes of a `Track`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct TrackPatch {
    /// The attribute `title`.
    pub title: Option<String>,
    /// The attribute `points`.
    pub points: Option<Vec<i64>>,
}

typed::patch! { TrackPatch {
    title: "title",
    points: "points",
} }

typed::entity! {
    Track = "Track" of MadeParts;
    new NewTrack; patch TrackPatch;
    made (); touched ();
    put NewTrack { track_id, title, points, }
    key TrackKey { track_id, }
}

/// The entity `Track` as a stream record shows it: `points` only where one item holds all of
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TrackImage {
    /// The attribute `trackId`.
    pub track_id: TrackId,
    /// The attribute `title`.
    pub title: String,
    /// The attribute `points`.
    pub points: Option<Vec<i64>>,
}

typed::stored! { TrackImage {
    track_id: "trackId",
    title: "title",
    points: "points",
} }

/// A change of an entity, from a stream record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum MadeEvent {
    /// A change of a `Cart`.
    Cart(typed::Change<Cart>),
    /// A change of a `Line`.
    Line(typed::Change<Line>),
    /// A change of a `Visit`.
    Visit(typed::Change<Visit>),
    /// A change of a `Task`.
    Task(typed::Change<Task>),
    /// A change of a `Track`.
    Track(typed::Change<TrackImage>),
}

typed::events! { MadeEvent {
    Cart(Cart) = "Cart",
    Line(Line) = "Line",
    Visit(Visit) = "Visit",
    Task(Task) = "Task",
    Track(TrackImage) = "Track",
} }

/// The arguments of `fill`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct FillArguments {
    /// The parameter `lines`.
    pub lines: Vec<Wanted>,
    /// The parameter `id`.
    pub id: Option<CartId>,
    /// The parameter `at`.
    pub at: Option<typed::Timestamp>,
    /// The parameter `note`.
    pub note: Option<String>,
    /// The parameter `cartId`.
    pub cart_id: CartId,
}

#[allow(dead_code)]
impl FillArguments {
    /// One with what must be given, and nothing else.
    pub fn new(lines: Vec<Wanted>, cart_id: CartId) -> FillArguments {
        FillArguments {
            lines,
            id: None,
            at: None,
            note: None,
            cart_id,
        }
    }
}

typed::given! { FillArguments {
    lines: "lines",
    id: "id",
    at: "at",
    note: "note",
    cart_id: "cartId",
} }

/// What `fill` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct FillMade {
    /// The value `id`.
    pub id: CartId,
    /// The value `Cart.at`.
    pub cart_at: typed::Timestamp,
    /// The value `lineId`.
    pub line_id: Vec<LineId>,
    /// The value `Line.at`.
    pub line_at: Vec<typed::Timestamp>,
}

typed::made! { FillMade {
    id: argument("Cart", "id"),
    cart_at: argument("Cart", "at"),
    line_id: each_element("Line", "lineId", "lines"),
    line_at: each_argument("Line", "at", "lines"),
} }

/// The arguments of `buy`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct BuyArguments {
    /// The parameter `lines`.
    pub lines: Vec<Wanted>,
    /// The parameter `id`.
    pub id: Option<CartId>,
    /// The parameter `at`.
    pub at: Option<typed::Timestamp>,
    /// The parameter `note`.
    pub note: Option<String>,
}

#[allow(dead_code)]
impl BuyArguments {
    /// One with what must be given, and nothing else.
    pub fn new(lines: Vec<Wanted>) -> BuyArguments {
        BuyArguments {
            lines,
            id: None,
            at: None,
            note: None,
        }
    }
}

typed::given! { BuyArguments {
    lines: "lines",
    id: "id",
    at: "at",
    note: "note",
} }

/// What `buy` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct BuyMade {
    /// The value `id`.
    pub id: CartId,
    /// The value `Cart.at`.
    pub cart_at: typed::Timestamp,
    /// The value `lineId`.
    pub line_id: Vec<LineId>,
    /// The value `Line.at`.
    pub line_at: Vec<typed::Timestamp>,
}

typed::made! { BuyMade {
    id: argument("Cart", "id"),
    cart_at: argument("Cart", "at"),
    line_id: each_element("Line", "lineId", "lines"),
    line_at: each_argument("Line", "at", "lines"),
} }

/// The arguments of `pair`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct PairArguments {
    /// The parameter `one.id`.
    pub one_id: Option<CartId>,
    /// The parameter `one.at`.
    pub one_at: Option<typed::Timestamp>,
    /// The parameter `one.note`.
    pub one_note: Option<String>,
    /// The parameter `two.id`.
    pub two_id: Option<CartId>,
    /// The parameter `two.at`.
    pub two_at: Option<typed::Timestamp>,
    /// The parameter `two.note`.
    pub two_note: Option<String>,
}

typed::given! { PairArguments {
    one_id: "one.id",
    one_at: "one.at",
    one_note: "one.note",
    two_id: "two.id",
    two_at: "two.at",
    two_note: "two.note",
} }

/// What `pair` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct PairMade {
    /// The value `one.id`.
    pub one_id: CartId,
    /// The value `one.at`.
    pub one_at: typed::Timestamp,
    /// The value `two.id`.
    pub two_id: CartId,
    /// The value `two.at`.
    pub two_at: typed::Timestamp,
}

typed::made! { PairMade {
    one_id: argument("Cart", "one.id"),
    one_at: argument("Cart", "one.at"),
    two_id: argument("Cart", "two.id"),
    two_at: argument("Cart", "two.at"),
} }

/// The arguments of `add`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct AddArguments {
    /// The parameter `cartId`.
    pub cart_id: CartId,
    /// The parameter `lineId`.
    pub line_id: Option<LineId>,
    /// The parameter `at`.
    pub at: Option<typed::Timestamp>,
    /// The parameter `amount`.
    pub amount: i64,
}

#[allow(dead_code)]
impl AddArguments {
    /// One with what must be given, and nothing else.
    pub fn new(cart_id: CartId, amount: i64) -> AddArguments {
        AddArguments {
            cart_id,
            line_id: None,
            at: None,
            amount,
        }
    }
}

typed::given! { AddArguments {
    cart_id: "cartId",
    line_id: "lineId",
    at: "at",
    amount: "amount",
} }

/// What `add` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct AddMade {
    /// The value `lineId`.
    pub line_id: LineId,
    /// The value `at`.
    pub at: typed::Timestamp,
}

typed::made! { AddMade {
    line_id: argument("Line", "lineId"),
    at: argument("Line", "at"),
} }

/// The arguments of `visit`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct VisitArguments {
    /// The parameter `day`.
    pub day: typed::Date,
    /// The parameter `firstAt`.
    pub first_at: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl VisitArguments {
    /// One with what must be given, and nothing else.
    pub fn new(day: typed::Date) -> VisitArguments {
        VisitArguments {
            day,
            first_at: None,
        }
    }
}

typed::given! { VisitArguments {
    day: "day",
    first_at: "firstAt",
} }

/// What `visit` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct VisitMade2 {
    /// The value `firstAt`.
    pub first_at: Option<typed::Timestamp>,
}

typed::made! { VisitMade2 {
    first_at: never("Visit", "firstAt"),
} }

/// The arguments of `close`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CloseArguments {
    /// The parameter `taskId`.
    pub task_id: TaskId,
    /// The parameter `changedAt`.
    pub changed_at: Option<typed::Timestamp>,
    /// The parameter `now`.
    pub now: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl CloseArguments {
    /// One with what must be given, and nothing else.
    pub fn new(task_id: TaskId) -> CloseArguments {
        CloseArguments {
            task_id,
            changed_at: None,
            now: None,
        }
    }
}

typed::given! { CloseArguments {
    task_id: "taskId",
    changed_at: "changedAt",
    now: "now",
} }

/// What `close` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CloseMade {
    /// The value `closedAt`.
    pub closed_at: typed::Timestamp,
    /// The value `changedAt`.
    pub changed_at: typed::Timestamp,
}

typed::made! { CloseMade {
    closed_at: moment("Task", "closedAt", "now"),
    changed_at: argument("Task", "changedAt"),
} }

/// The arguments of `close_both`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CloseBothArguments {
    /// The parameter `one.taskId`.
    pub one_task_id: TaskId,
    /// The parameter `one.changedAt`.
    pub one_changed_at: Option<typed::Timestamp>,
    /// The parameter `two.taskId`.
    pub two_task_id: TaskId,
    /// The parameter `two.changedAt`.
    pub two_changed_at: Option<typed::Timestamp>,
    /// The parameter `now`.
    pub now: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl CloseBothArguments {
    /// One with what must be given, and nothing else.
    pub fn new(one_task_id: TaskId, two_task_id: TaskId) -> CloseBothArguments {
        CloseBothArguments {
            one_task_id,
            one_changed_at: None,
            two_task_id,
            two_changed_at: None,
            now: None,
        }
    }
}

typed::given! { CloseBothArguments {
    one_task_id: "one.taskId",
    one_changed_at: "one.changedAt",
    two_task_id: "two.taskId",
    two_changed_at: "two.changedAt",
    now: "now",
} }

/// What `close_both` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CloseBothMade {
    /// The value `one.closedAt`.
    pub one_closed_at: typed::Timestamp,
    /// The value `one.changedAt`.
    pub one_changed_at: typed::Timestamp,
    /// The value `two.closedAt`.
    pub two_closed_at: typed::Timestamp,
    /// The value `two.changedAt`.
    pub two_changed_at: typed::Timestamp,
}

typed::made! { CloseBothMade {
    one_closed_at: moment("Task", "one.closedAt", "now"),
    one_changed_at: argument("Task", "one.changedAt"),
    two_closed_at: moment("Task", "two.closedAt", "now"),
    two_changed_at: argument("Task", "two.changedAt"),
} }

/// The arguments of `close_each`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CloseEachArguments {
    /// The parameter `tasks`.
    pub tasks: Vec<Which>,
    /// The parameter `changedAt`.
    pub changed_at: Option<typed::Timestamp>,
    /// The parameter `now`.
    pub now: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl CloseEachArguments {
    /// One with what must be given, and nothing else.
    pub fn new(tasks: Vec<Which>) -> CloseEachArguments {
        CloseEachArguments {
            tasks,
            changed_at: None,
            now: None,
        }
    }
}

typed::given! { CloseEachArguments {
    tasks: "tasks",
    changed_at: "changedAt",
    now: "now",
} }

/// What `close_each` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CloseEachMade {
    /// The value `closedAt`.
    pub closed_at: Vec<typed::Timestamp>,
    /// The value `changedAt`.
    pub changed_at: Vec<typed::Timestamp>,
}

typed::made! { CloseEachMade {
    closed_at: each_moment("Task", "closedAt", "tasks", "now"),
    changed_at: each_argument("Task", "changedAt", "tasks"),
} }

/// The arguments of `born_closed`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct BornClosedArguments {
    /// The parameter `taskId`.
    pub task_id: TaskId,
    /// The parameter `state`.
    pub state: Option<TaskState>,
    /// The parameter `seenAt`.
    pub seen_at: Option<typed::Timestamp>,
    /// The parameter `changedAt`.
    pub changed_at: Option<typed::Timestamp>,
    /// The parameter `now`.
    pub now: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl BornClosedArguments {
    /// One with what must be given, and nothing else.
    pub fn new(task_id: TaskId) -> BornClosedArguments {
        BornClosedArguments {
            task_id,
            state: None,
            seen_at: None,
            changed_at: None,
            now: None,
        }
    }
}

typed::given! { BornClosedArguments {
    task_id: "taskId",
    state: "state",
    seen_at: "seenAt",
    changed_at: "changedAt",
    now: "now",
} }

/// What `born_closed` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct BornClosedMade {
    /// The value `closedAt`.
    pub closed_at: typed::Timestamp,
    /// The value `changedAt`.
    pub changed_at: typed::Timestamp,
}

typed::made! { BornClosedMade {
    closed_at: moment("Task", "closedAt", "now"),
    changed_at: argument("Task", "changedAt"),
} }

/// The arguments of `see`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct SeeArguments {
    /// The parameter `taskId`.
    pub task_id: TaskId,
    /// The parameter `at`.
    pub at: typed::Timestamp,
    /// The parameter `state`.
    pub state: Option<TaskState>,
    /// The parameter `changedAt`.
    pub changed_at: Option<typed::Timestamp>,
    /// The parameter `now`.
    pub now: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl SeeArguments {
    /// One with what must be given, and nothing else.
    pub fn new(task_id: TaskId, at: typed::Timestamp) -> SeeArguments {
        SeeArguments {
            task_id,
            at,
            state: None,
            changed_at: None,
            now: None,
        }
    }
}

typed::given! { SeeArguments {
    task_id: "taskId",
    at: "at",
    state: "state",
    changed_at: "changedAt",
    now: "now",
} }

/// What `see` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct SeeMade {
    /// The value `seenAt`.
    pub seen_at: typed::Timestamp,
    /// The value `changedAt`.
    pub changed_at: typed::Timestamp,
}

typed::made! { SeeMade {
    seen_at: moment("Task", "seenAt", "now"),
    changed_at: argument("Task", "changedAt"),
} }

/// The named writes of the model `made` as parts of a transaction: nothing is sent before
/// `transact` takes them.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
pub struct MadeParts;

#[allow(dead_code)]
impl MadeParts {
    /// The write `fill`:
    ///
    /// - create Cart
    /// - create Line for each of lines
    ///
    /// Requests: TransactWriteItems.
    pub fn fill(&self, arguments: &FillArguments) -> typed::Part<MadeParts, FillMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("fill")
    }

    /// The write `buy`:
    ///
    /// - create Cart
    /// - create Line for each of lines (cartId = Cart.id)
    ///
    /// Requests: TransactWriteItems.
    pub fn buy(&self, arguments: &BuyArguments) -> typed::Part<MadeParts, BuyMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("buy")
    }

    /// The write `pair`:
    ///
    /// - create Cart as one
    /// - create Cart as two
    ///
    /// Requests: TransactWriteItems.
    pub fn pair(&self, arguments: &PairArguments) -> typed::Part<MadeParts, PairMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("pair")
    }

    /// The write `add`:
    ///
    /// - check Cart where id = cartId
    /// - create Line
    ///
    /// Requests: TransactWriteItems.
    pub fn add(&self, arguments: &AddArguments) -> typed::Part<MadeParts, AddMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("add")
    }

    /// The write `visit`:
    ///
    /// - create or update Visit (count = count + 1) else (count = 1)
    ///
    /// Requests: UpdateItem.
    pub fn visit(&self, arguments: &VisitArguments) -> typed::Part<MadeParts, VisitMade2> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("visit")
    }

    /// The write `close`:
    ///
    /// - update Task (state = "closed", closedAt = now)
    ///
    /// Requests: UpdateItem.
    pub fn close(&self, arguments: &CloseArguments) -> typed::Part<MadeParts, CloseMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("close")
    }

    /// The write `close_both`:
    ///
    /// - update Task as one (closedAt = now)
    /// - update Task as two (closedAt = now)
    ///
    /// Requests: TransactWriteItems.
    pub fn close_both(
        &self,
        arguments: &CloseBothArguments,
    ) -> typed::Part<MadeParts, CloseBothMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("close_both")
    }

    /// The write `close_each`:
    ///
    /// - update Task for each of tasks (closedAt = now)
    ///
    /// Requests: TransactWriteItems.
    pub fn close_each(
        &self,
        arguments: &CloseEachArguments,
    ) -> typed::Part<MadeParts, CloseEachMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("close_each")
    }

    /// The write `born_closed`:
    ///
    /// - create Task
    ///
    /// Requests: PutItem.
    pub fn born_closed(
        &self,
        arguments: &BornClosedArguments,
    ) -> typed::Part<MadeParts, BornClosedMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("born_closed")
    }

    /// The write `see`:
    ///
    /// - create or update Task (seenAt = now, closedAt = now) else (closedAt = at)
    ///
    /// Requests: GetItem, then PutItem or UpdateItem.
    pub fn see(&self, arguments: &SeeArguments) -> typed::Part<MadeParts, SeeMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("see")
    }
}

/// Makes new entities of the model `made` for tests: random by a seed, and valid. The same
/// seed makes the same ones.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct MadeFakes {
    fakes: typed::Fakes,
}

#[allow(dead_code)]
impl MadeFakes {
    /// A `Cart` that does not exist yet.
    pub fn cart(&mut self) -> NewCart {
        self.fakes.make("Cart")
    }

    /// A `Line` that does not exist yet.
    pub fn line(&mut self) -> NewLine {
        self.fakes.make("Line")
    }

    /// A `Visit` that does not exist yet.
    pub fn visit(&mut self) -> NewVisit {
        self.fakes.make("Visit")
    }

    /// A `Task` that does not exist yet.
    pub fn task(&mut self) -> NewTask {
        self.fakes.make("Task")
    }

    /// A `Track` that does not exist yet.
    pub fn track(&mut self) -> NewTrack {
        self.fakes.make("Track")
    }
}

/// The patterns, named writes and entities of the model `made`, version 1.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct MadeClient<S = typed::Eventual> {
    client: typed::Client<S>,
    /// Writes a `Cart` with all that follows from it.
    pub cart: typed::Writer<Cart>,
    /// Writes a `Line` with all that follows from it.
    pub line: typed::Writer<Line>,
    /// Writes a `Visit` with all that follows from it.
    pub visit: typed::Writer<Visit>,
    /// Writes a `Task` with all that follows from it.
    pub task: typed::Writer<Task>,
    /// Writes a `Track` with all that follows from it.
    pub track: typed::Writer<Track>,
}

#[allow(dead_code)]
impl MadeClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub fn new(keyfold: &typed::Keyfold) -> Result<MadeClient, typed::Error> {
        let client = typed::Client::new(keyfold, &MODEL, HASH)?;
        Ok(MadeClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> MadeClient<typed::Strong> {
        let client = self.client.strong();
        MadeClient::of(client)
    }
}

#[allow(dead_code)]
impl<S: typed::Consistency> MadeClient<S> {
    fn of(client: typed::Client<S>) -> MadeClient<S> {
        MadeClient {
            cart: client.writer(),
            line: client.writer(),
            visit: client.writer(),
            task: client.writer(),
            track: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> MadeClient<S> {
        let client = self.client.within(time);
        MadeClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> MadeClient<S> {
        let client = self.client.with_cursor_secret(secret);
        MadeClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> MadeClient<S> {
        let client = self.client.on_unknown(on_unknown);
        MadeClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> MadeFakes {
        let fakes = self.client.fakes(seed);
        MadeFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> MadeParts {
        MadeParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub fn transact<P: typed::Parted<MadeParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts)
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<MadeParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, MadeEvent> {
        self.client.events()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::Database {
        self.client.database()
    }

    /// `cart(id) -> Cart?`
    ///
    /// GetItem of Main: `PK = "CART#{id}" AND SK = "CART"`; 1 request, about 0.5 read units.
    pub fn cart(&self, id: &CartId) -> Result<Option<Cart>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "cart");
        call.give("id", id);
        call.one()
    }

    /// `lines(cartId) -> Line[]`
    ///
    /// Query of Main: `PK = "CART#{cartId}" AND begins_with(SK, "LINE#")`; 1 request a page.
    pub fn lines(&self, cart_id: &CartId) -> typed::Query<'_, Line, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "lines");
        call.give("cartId", cart_id);
        call.query()
    }

    /// `task(taskId) -> Task?`
    ///
    /// GetItem of Main: `PK = "TASK#{taskId}" AND SK = "TASK"`; 1 request, about 0.5 read
    /// units.
    pub fn task(&self, task_id: &TaskId) -> Result<Option<Task>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "task");
        call.give("taskId", task_id);
        call.one()
    }

    /// `track(trackId) -> Track?`
    ///
    /// Query of Main: `PK = "TRACK#{trackId}" AND begins_with(SK, "TRACK##")`; 1 request,
    /// about 0.5 read units.
    pub fn track(&self, track_id: &TrackId) -> Result<Option<Track>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "track");
        call.give("trackId", track_id);
        call.one()
    }

    /// The write `fill`:
    ///
    /// - create Cart
    /// - create Line for each of lines
    ///
    /// Requests: TransactWriteItems.
    pub fn fill(
        &self,
        arguments: &FillArguments,
    ) -> Result<typed::Written<FillMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "fill");
        call.give_all(arguments);
        call.send()
    }

    /// The write `buy`:
    ///
    /// - create Cart
    /// - create Line for each of lines (cartId = Cart.id)
    ///
    /// Requests: TransactWriteItems.
    pub fn buy(&self, arguments: &BuyArguments) -> Result<typed::Written<BuyMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "buy");
        call.give_all(arguments);
        call.send()
    }

    /// The write `pair`:
    ///
    /// - create Cart as one
    /// - create Cart as two
    ///
    /// Requests: TransactWriteItems.
    pub fn pair(
        &self,
        arguments: &PairArguments,
    ) -> Result<typed::Written<PairMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "pair");
        call.give_all(arguments);
        call.send()
    }

    /// The write `add`:
    ///
    /// - check Cart where id = cartId
    /// - create Line
    ///
    /// Requests: TransactWriteItems.
    pub fn add(&self, arguments: &AddArguments) -> Result<typed::Written<AddMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "add");
        call.give_all(arguments);
        call.send()
    }

    /// The write `visit`:
    ///
    /// - create or update Visit (count = count + 1) else (count = 1)
    ///
    /// Requests: UpdateItem.
    pub fn visit(
        &self,
        arguments: &VisitArguments,
    ) -> Result<typed::Written<VisitMade2>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "visit");
        call.give_all(arguments);
        call.send()
    }

    /// The write `close`:
    ///
    /// - update Task (state = "closed", closedAt = now)
    ///
    /// Requests: UpdateItem.
    pub fn close(
        &self,
        arguments: &CloseArguments,
    ) -> Result<typed::Written<CloseMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "close");
        call.give_all(arguments);
        call.send()
    }

    /// The write `close_both`:
    ///
    /// - update Task as one (closedAt = now)
    /// - update Task as two (closedAt = now)
    ///
    /// Requests: TransactWriteItems.
    pub fn close_both(
        &self,
        arguments: &CloseBothArguments,
    ) -> Result<typed::Written<CloseBothMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "close_both");
        call.give_all(arguments);
        call.send()
    }

    /// The write `close_each`:
    ///
    /// - update Task for each of tasks (closedAt = now)
    ///
    /// Requests: TransactWriteItems.
    pub fn close_each(
        &self,
        arguments: &CloseEachArguments,
    ) -> Result<typed::Written<CloseEachMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "close_each");
        call.give_all(arguments);
        call.send()
    }

    /// The write `born_closed`:
    ///
    /// - create Task
    ///
    /// Requests: PutItem.
    pub fn born_closed(
        &self,
        arguments: &BornClosedArguments,
    ) -> Result<typed::Written<BornClosedMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "born_closed");
        call.give_all(arguments);
        call.send()
    }

    /// The write `see`:
    ///
    /// - create or update Task (seenAt = now, closedAt = now) else (closedAt = at)
    ///
    /// Requests: GetItem, then PutItem or UpdateItem.
    pub fn see(&self, arguments: &SeeArguments) -> Result<typed::Written<SeeMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "see");
        call.give_all(arguments);
        call.send()
    }
}

/// The patterns, named writes and entities of the model `made`, version 1, awaited.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct AsyncMadeClient<S = typed::Eventual> {
    client: typed::nonblocking::Client<S>,
    /// Writes a `Cart` with all that follows from it.
    pub cart: typed::nonblocking::Writer<Cart>,
    /// Writes a `Line` with all that follows from it.
    pub line: typed::nonblocking::Writer<Line>,
    /// Writes a `Visit` with all that follows from it.
    pub visit: typed::nonblocking::Writer<Visit>,
    /// Writes a `Task` with all that follows from it.
    pub task: typed::nonblocking::Writer<Task>,
    /// Writes a `Track` with all that follows from it.
    pub track: typed::nonblocking::Writer<Track>,
}

#[allow(dead_code)]
impl AsyncMadeClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub async fn new(keyfold: &typed::AsyncKeyfold) -> Result<AsyncMadeClient, typed::Error> {
        let client = typed::nonblocking::Client::new(keyfold, &MODEL, HASH).await?;
        Ok(AsyncMadeClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> AsyncMadeClient<typed::Strong> {
        let client = self.client.strong();
        AsyncMadeClient::of(client)
    }
}

#[allow(dead_code)]
impl<S: typed::Consistency> AsyncMadeClient<S> {
    fn of(client: typed::nonblocking::Client<S>) -> AsyncMadeClient<S> {
        AsyncMadeClient {
            cart: client.writer(),
            line: client.writer(),
            visit: client.writer(),
            task: client.writer(),
            track: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> AsyncMadeClient<S> {
        let client = self.client.within(time);
        AsyncMadeClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> AsyncMadeClient<S> {
        let client = self.client.with_cursor_secret(secret);
        AsyncMadeClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> AsyncMadeClient<S> {
        let client = self.client.on_unknown(on_unknown);
        AsyncMadeClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> MadeFakes {
        let fakes = self.client.fakes(seed);
        MadeFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> MadeParts {
        MadeParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub async fn transact<P: typed::Parted<MadeParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts).await
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<MadeParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, MadeEvent> {
        self.client.events()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::nonblocking::Database {
        self.client.database()
    }

    /// `cart(id) -> Cart?`
    ///
    /// GetItem of Main: `PK = "CART#{id}" AND SK = "CART"`; 1 request, about 0.5 read units.
    pub async fn cart(&self, id: &CartId) -> Result<Option<Cart>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "cart");
        call.give("id", id);
        call.one().await
    }

    /// `lines(cartId) -> Line[]`
    ///
    /// Query of Main: `PK = "CART#{cartId}" AND begins_with(SK, "LINE#")`; 1 request a page.
    pub fn lines(&self, cart_id: &CartId) -> typed::nonblocking::Query<Line, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "lines");
        call.give("cartId", cart_id);
        call.query()
    }

    /// `task(taskId) -> Task?`
    ///
    /// GetItem of Main: `PK = "TASK#{taskId}" AND SK = "TASK"`; 1 request, about 0.5 read
    /// units.
    pub async fn task(&self, task_id: &TaskId) -> Result<Option<Task>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "task");
        call.give("taskId", task_id);
        call.one().await
    }

    /// `track(trackId) -> Track?`
    ///
    /// Query of Main: `PK = "TRACK#{trackId}" AND begins_with(SK, "TRACK##")`; 1 request,
    /// about 0.5 read units.
    pub async fn track(&self, track_id: &TrackId) -> Result<Option<Track>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "track");
        call.give("trackId", track_id);
        call.one().await
    }

    /// The write `fill`:
    ///
    /// - create Cart
    /// - create Line for each of lines
    ///
    /// Requests: TransactWriteItems.
    pub async fn fill(
        &self,
        arguments: &FillArguments,
    ) -> Result<typed::Written<FillMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "fill");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `buy`:
    ///
    /// - create Cart
    /// - create Line for each of lines (cartId = Cart.id)
    ///
    /// Requests: TransactWriteItems.
    pub async fn buy(
        &self,
        arguments: &BuyArguments,
    ) -> Result<typed::Written<BuyMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "buy");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `pair`:
    ///
    /// - create Cart as one
    /// - create Cart as two
    ///
    /// Requests: TransactWriteItems.
    pub async fn pair(
        &self,
        arguments: &PairArguments,
    ) -> Result<typed::Written<PairMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "pair");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `add`:
    ///
    /// - check Cart where id = cartId
    /// - create Line
    ///
    /// Requests: TransactWriteItems.
    pub async fn add(
        &self,
        arguments: &AddArguments,
    ) -> Result<typed::Written<AddMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "add");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `visit`:
    ///
    /// - create or update Visit (count = count + 1) else (count = 1)
    ///
    /// Requests: UpdateItem.
    pub async fn visit(
        &self,
        arguments: &VisitArguments,
    ) -> Result<typed::Written<VisitMade2>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "visit");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `close`:
    ///
    /// - update Task (state = "closed", closedAt = now)
    ///
    /// Requests: UpdateItem.
    pub async fn close(
        &self,
        arguments: &CloseArguments,
    ) -> Result<typed::Written<CloseMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "close");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `close_both`:
    ///
    /// - update Task as one (closedAt = now)
    /// - update Task as two (closedAt = now)
    ///
    /// Requests: TransactWriteItems.
    pub async fn close_both(
        &self,
        arguments: &CloseBothArguments,
    ) -> Result<typed::Written<CloseBothMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "close_both");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `close_each`:
    ///
    /// - update Task for each of tasks (closedAt = now)
    ///
    /// Requests: TransactWriteItems.
    pub async fn close_each(
        &self,
        arguments: &CloseEachArguments,
    ) -> Result<typed::Written<CloseEachMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "close_each");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `born_closed`:
    ///
    /// - create Task
    ///
    /// Requests: PutItem.
    pub async fn born_closed(
        &self,
        arguments: &BornClosedArguments,
    ) -> Result<typed::Written<BornClosedMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "born_closed");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `see`:
    ///
    /// - create or update Task (seenAt = now, closedAt = now) else (closedAt = at)
    ///
    /// Requests: GetItem, then PutItem or UpdateItem.
    pub async fn see(
        &self,
        arguments: &SeeArguments,
    ) -> Result<typed::Written<SeeMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "see");
        call.give_all(arguments);
        call.send().await
    }
}

/// The hash of the plan document.
const HASH: &str = "3ceebac73974e439e9d2bc1a23826ab5";

/// The files of the model, by name.
const MODEL: [(&str, &str); 1] = [MODEL_FILE_0];

/// The file "made.keyfold".
const MODEL_FILE_0: (&str, &str) = (
    "made.keyfold",
    r#"model made 1
table Main (PK, SK)
entity Cart
  id: ulid = new, at: time = now, note: string?
  key  "CART#{id}"  "CART"

entity Line
  cartId: Cart.id, lineId: uuid = new, at: time = now, amount: int
  key  "CART#{cartId}"  "LINE#{lineId}"

entity Visit
  day: date, count: int, firstAt: time = now
  key  "VISITS"  "{day}"

record Wanted
  amount: int, lineId: uuid?

pattern cart(id)       -> Cart?
pattern lines(cartId)  -> Line[]

write fill(lines: list of Wanted)
  create Cart
  create Line for each lines

write buy(lines: list of Wanted)
  create Cart
  create Line for each lines set cartId = Cart.id

write pair()
  create Cart as one
  create Cart as two

write add()
  check Cart where id = cartId
  create Line

write visit(day)
  create or update Visit set count = count + 1 else count = 1

entity Task
  taskId: string, state: open | closed = open, closedAt: time?, seenAt: time?, changedAt: time = now always
  key  "TASK#{taskId}"  "TASK"

record Which
  taskId: string

pattern task(taskId)  -> Task?

write close(taskId)
  update Task set state = closed, closedAt = now

write close_both()
  update Task as one set closedAt = now
  update Task as two set closedAt = now

write close_each(tasks: list of Which)
  update Task for each tasks set closedAt = now

write born_closed(taskId)
  create Task set closedAt = now

write see(taskId, at: time)
  create or update Task set seenAt = now, closedAt = now else closedAt = at

entity Track
  trackId: string, title: string, points: list of int
  key    "TRACK#{trackId}"  "TRACK#"
  split  points by 100

pattern track(trackId)  -> Track?
"#,
);
