//! How long a copy takes yet: what is left of it, at the speed that it had lately.

use std::time::Duration;

/// The time after which a speed counts for little: of two that are so far apart, the older one weighs a third.
const MEMORY: Duration = Duration::from_secs(20);
/// The least time between two looks. Pages come in bursts.
const STEP: Duration = Duration::from_secs(1);

/// The speed of a copy, of which new looks weigh more than old ones.
#[derive(Debug, Default)]
pub(super) struct Speed {
    last: Option<(Duration, u64)>,
    /// Bytes or items a second.
    speed: Option<f64>,
}

impl Speed {
    /// Notes how much is done at a moment.
    pub(super) fn note(&mut self, now: Duration, done: u64) {
        let Some((then, before)) = self.last else {
            self.last = Some((now, done));
            return;
        };
        let time = now.saturating_sub(then);
        if time < STEP {
            return;
        }
        self.last = Some((now, done));
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let seen = done.saturating_sub(before) as f64 / time.as_secs_f64();
        let weight = 1.0 - (-time.as_secs_f64() / MEMORY.as_secs_f64()).exp();
        let speed = self.speed.get_or_insert(seen);
        *speed += (seen - *speed) * weight;
    }

    /// How long the rest takes; `None` as long as nothing is known.
    pub(super) fn time_of(&self, left: u64) -> Option<Duration> {
        let speed = self.speed.filter(|speed| *speed >= 0.01)?;
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let seconds = left as f64 / speed;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// A time as people say it: `40 s`, `3 min`, `2 h 10 min`, `3 days`.
pub(super) fn spoken(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() >= 500_000_000);
    let minutes = (seconds + 30) / 60;
    let hours = (minutes + 30) / 60;
    match (seconds, minutes) {
        (0..90, _) => format!("{seconds} s"),
        (_, 0..90) => format!("{minutes} min"),
        (_, 90..2_880) if minutes.is_multiple_of(60) => format!("{} h", minutes / 60),
        (_, 90..600) => format!("{} h {} min", minutes / 60, minutes % 60),
        (_, 600..2_880) => format!("{hours} h"),
        _ => format!("{} days", (hours + 12) / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_steady_copy_knows_its_end() {
        let mut speed = Speed::default();
        assert_eq!(speed.time_of(100), None);
        for at in 0..10 {
            speed.note(second(at), at * 50);
        }
        assert_eq!(speed.time_of(500), Some(second(10)));
    }

    #[test]
    fn one_burst_does_not_decide_and_a_new_speed_is_learned() {
        let mut speed = Speed::default();
        for at in 0..30 {
            speed.note(second(at), at * 50);
        }
        // A page of ten seconds at once.
        speed.note(second(30), 30 * 50 + 500);
        let time = speed.time_of(1_000).unwrap();
        assert!(time > second(10) && time < second(20), "{time:?}");
        // It is throttled to a tenth.
        for at in 1..100 {
            speed.note(second(30 + at), 2_000 + at * 5);
        }
        let time = speed.time_of(1_000).unwrap();
        assert!(time > second(150) && time < second(201), "{time:?}");
    }

    #[test]
    fn a_copy_that_stands_still_has_no_end() {
        let mut speed = Speed::default();
        for at in 0..10 {
            speed.note(second(at), 700);
        }
        assert_eq!(speed.time_of(500), None);
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        for (seconds, text) in [
            (0, "0 s"),
            (41, "41 s"),
            (89, "89 s"),
            (90, "2 min"),
            (600, "10 min"),
            (5_400, "1 h 30 min"),
            (7_200, "2 h"),
            (7_830, "2 h 11 min"),
            (39_000, "11 h"),
            (200_000, "2 days"),
        ] {
            assert_eq!(spoken(second(seconds)), text);
        }
    }
}
