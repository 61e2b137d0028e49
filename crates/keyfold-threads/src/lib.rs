//! Time slices of threads that others wait for.
//!
//! The scheduler of Linux gives each thread a slice of the processor, of some three milliseconds, and a thread that
//! wakes waits for the slices of those that run. A thread that asks for a short slice is served sooner: its turn
//! ends sooner, too, and it gets no more of the processor than before. So those who answer wait less for a flush or
//! a compaction, and these get as much done.
//!
//! This is no priority: a priority would let flushes starve until writers have to wait for them.

use std::time::Duration;

/// Asks for a slice for the calling thread, from 0.1 to 100 milliseconds; returns whether the system gives it.
/// Linux 6.12 and later do. Elsewhere nothing changes, and nothing but latency depends on it.
pub fn ask_for_slice(slice: Duration) -> bool {
    system::ask_for_slice(slice)
}

#[cfg(target_os = "linux")]
mod system {
    use std::time::Duration;

    /// The calling thread.
    const THIS: libc::pid_t = 0;
    const NO_FLAGS: libc::c_uint = 0;

    /// The scheduling attributes of the calling thread.
    fn read() -> Option<libc::sched_attr> {
        let mut attributes = libc::sched_attr {
            size: 0,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        let size = size_of::<libc::sched_attr>();
        // SAFETY: the kernel writes at most `size` bytes into the structure, which is that long, and all of whose
        // bit patterns are valid.
        let read = unsafe {
            libc::syscall(
                libc::SYS_sched_getattr,
                THIS,
                &raw mut attributes,
                size,
                NO_FLAGS,
            )
        };
        (read == 0).then_some(attributes)
    }

    pub(super) fn ask_for_slice(slice: Duration) -> bool {
        let Some(mut attributes) = read() else {
            return false;
        };
        // Whoever chose another policy for the program, such as that of real time, keeps it.
        if attributes.sched_policy != libc::SCHED_OTHER as u32 {
            return false;
        }
        attributes.size = size_of::<libc::sched_attr>() as u32;
        attributes.sched_runtime = u64::try_from(slice.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the kernel reads as many bytes as `size` says, which is the length of the structure.
        let set = unsafe {
            libc::syscall(
                libc::SYS_sched_setattr,
                THIS,
                &raw const attributes,
                NO_FLAGS,
            )
        };
        set == 0 && read().is_some_and(|now| now.sched_runtime == attributes.sched_runtime)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// The numbers of the kernel's version.
        #[expect(
            clippy::disallowed_methods,
            reason = "what a test expects depends on the system"
        )]
        fn kernel() -> Option<(u32, u32)> {
            let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
            let mut numbers = release.split(['.', '-']).map(|number| number.parse().ok());
            Some((numbers.next()??, numbers.next()??))
        }

        #[test]
        fn a_slice_is_of_the_thread_alone_and_keeps_its_other_attributes() {
            let before = read().unwrap();
            let ours = std::thread::spawn(|| {
                let is_given = ask_for_slice(Duration::from_micros(300));
                (is_given, read().unwrap())
            });
            let (is_given, after) = ours.join().unwrap();
            assert_eq!(is_given, after.sched_runtime == 300_000);
            if kernel().is_some_and(|version| version >= (6, 12)) {
                assert!(is_given, "this kernel gives slices");
            }
            assert_eq!(after.sched_nice, before.sched_nice);
            assert_eq!(after.sched_policy, before.sched_policy);
            assert_eq!(read().unwrap().sched_runtime, before.sched_runtime);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::time::Duration;

    pub(super) fn ask_for_slice(_: Duration) -> bool {
        false
    }
}
