//! Processes that stand still at a request, and go on late; and tasks that are slow.

use super::TaskKey;
use super::chance::Chance;

/// When a process goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// After so many steps.
    After(u64),
    /// At a step of the world.
    Step(u64),
    /// So many steps after another process has begun the aborted move again.
    BegunAgain(u64),
    /// When another process has begun the aborted move again, and has applied a deletion: what this one has
    /// read before is older.
    Deletion,
    /// The same, once the move is begun again: so many deletions were applied then. It goes on at this step
    /// at the latest.
    DeletionAfter(u64, u64),
    /// When another process has found both places even.
    Even,
    /// When another process has completed the move.
    Completed,
}

/// A write of a process to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    /// It begins or takes the move.
    Begin,
    /// It notes that all segments are copied.
    Note,
    /// It writes items of the scan.
    Page,
    /// Another one.
    Other,
}

/// Who stands still: all of a process, or one task of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Process(u64),
    Task(TaskKey),
}

impl Who {
    pub(crate) fn is(self, task: TaskKey) -> bool {
        match self {
            Who::Process(run) => run == task.0,
            Who::Task(one) => one == task,
        }
    }
}

/// What others do while a process or a task stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meanwhile {
    /// The process goes on: only the task stands still.
    GoesOn,
    /// Another process takes the move.
    Takes,
    /// Another one aborts it, so that it begins again.
    Aborts,
}

/// Who stands still in a world.
#[derive(Debug, Default)]
pub(crate) struct Sleep {
    /// How many writes pass until the newest process falls asleep; `None` when none does any more.
    passing: Option<usize>,
    /// The writes that count; `None`: all of them.
    at: Option<Write>,
    until: Option<Until>,
    meanwhile: Option<Meanwhile>,
    /// How many tasks may be slow yet.
    slow_left: usize,
    asleep: Vec<(Who, Until)>,
    /// Whose write comes before all else.
    first: Option<Who>,
}

/// The most steps that a process sleeps when nothing wakes it, and the most that a slow task takes for a
/// request.
const STEPS: usize = 120;
const SLOW_STEPS: usize = 60;

impl Sleep {
    /// A world in which a process falls asleep: at one of its writes, until something happens. Meanwhile
    /// another one takes the move, or aborts it so that it begins again.
    pub(crate) fn of(chance: &mut Chance) -> Sleep {
        let soon = Until::BegunAgain(chance.below(STEPS / 2) as u64);
        let some = match chance.happens(2) {
            true => Meanwhile::Aborts,
            false => Meanwhile::Takes,
        };
        let (at, passing, until, meanwhile) = match chance.below(8) {
            0 => (Some(Write::Page), 2, Until::Deletion, Meanwhile::Aborts),
            1 => (Some(Write::Page), 3, Until::Deletion, Meanwhile::GoesOn),
            2 => (Some(Write::Note), 1, soon, Meanwhile::Aborts),
            3 => (Some(Write::Begin), 3, soon, Meanwhile::Aborts),
            4 => (Some(Write::Begin), 3, Until::Even, Meanwhile::Takes),
            5 => (Some(Write::Begin), 3, Until::Completed, Meanwhile::Takes),
            6 => (None, 14, Until::Completed, some),
            _ => (None, 14, Until::After(chance.below(STEPS) as u64), some),
        };
        Sleep {
            passing: Some(chance.below(passing)),
            at,
            until: Some(until),
            meanwhile: Some(meanwhile),
            slow_left: 3 + chance.below(6),
            ..Sleep::default()
        }
    }

    /// Nothing falls asleep any more.
    pub(crate) fn end(&mut self) {
        self.passing = None;
        self.slow_left = 0;
    }

    /// Counts a write of a process that may fall asleep. Returns whether it does.
    pub(crate) fn falls_asleep(&mut self, write: Write) -> bool {
        let Some(passing) = self.passing else {
            return false;
        };
        if self.at.is_some_and(|at| at != write) {
            return false;
        }
        self.passing = passing.checked_sub(1);
        passing == 0
    }

    /// A process stands still, or a task of it, at a step up to which so many deletions were applied. Returns
    /// what others do then.
    pub(crate) fn add(&mut self, task: TaskKey, step: u64, deletions: u64) -> Option<Meanwhile> {
        let (until, meanwhile) = (self.until?, self.meanwhile?);
        self.asleep.push(match (until, meanwhile) {
            (_, Meanwhile::GoesOn) => {
                let latest = step + SLOW_STEPS as u64;
                (Who::Task(task), Until::DeletionAfter(deletions, latest))
            }
            (Until::After(steps), _) => (Who::Process(task.0), Until::Step(step + steps)),
            (until, _) => (Who::Process(task.0), until),
        });
        Some(meanwhile)
    }

    /// A task is slow for a while, if some may be yet.
    pub(crate) fn slow(&mut self, task: TaskKey, step: u64, chance: &mut Chance) {
        if self.slow_left > 0 {
            self.slow_left -= 1;
            let until = Until::Step(step + chance.below(SLOW_STEPS) as u64);
            self.asleep.push((Who::Task(task), until));
        }
    }

    /// Another process begins the aborted move again.
    pub(crate) fn begun_again(&mut self, step: u64, deletions: u64) {
        for (_, until) in &mut self.asleep {
            *until = match *until {
                Until::BegunAgain(steps) => Until::Step(step + steps),
                Until::Deletion => Until::DeletionAfter(deletions, step + STEPS as u64),
                other => other,
            };
        }
    }

    /// So many deletions were applied up to a step.
    pub(crate) fn look(&mut self, step: u64, deletions: u64) {
        for (who, until) in &mut self.asleep {
            if let Until::DeletionAfter(before, latest) = *until
                && (deletions > before || step > latest)
            {
                *until = Until::Step(step);
                self.first = Some(*who);
            }
        }
    }

    /// Whether pages of the scan are late: while a process waits for a deletion.
    pub(crate) fn holds_scans(&self) -> bool {
        let mut asleep = self.asleep.iter();
        asleep.any(|one| matches!(one, (Who::Process(_), Until::DeletionAfter(..))))
    }

    /// Whose write comes before all else, once.
    pub(crate) fn take_first(&mut self) -> Option<Who> {
        self.first.take()
    }

    /// Those who waited for this go on.
    pub(crate) fn wake(&mut self, at: Until) {
        self.asleep.retain(|(_, until)| *until != at);
    }

    /// All go on.
    pub(crate) fn wake_all(&mut self) {
        self.asleep.clear();
    }

    /// Whether a task goes on at a step.
    pub(crate) fn is_awake(&self, task: TaskKey, step: u64) -> bool {
        let is_over = |until: &Until| matches!(until, Until::Step(at) if *at <= step);
        let mut asleep = self.asleep.iter().filter(|(who, _)| who.is(task));
        asleep.all(|(_, until)| is_over(until))
    }
}
