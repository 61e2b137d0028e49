//! The C library's file calls that the standard library makes. Each looks for the watched folder of
//! its file before it is made.
//!
//! A program's own definition of a symbol takes precedence over the C library's. Calls that proceed
//! go to the kernel unchanged.
#![allow(
    clippy::missing_safety_doc,
    reason = "each is the C library's call of that name, with its contract"
)]

use crate::bypass::{bypass, is_bypassed};
use crate::watched::{Call, Verdict, Watched, is_any_watched, watching};
use libc::{c_char, c_int, c_long, c_uint, c_void, mode_t, off64_t, size_t, ssize_t};
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The watched folder of the path that `find` returns, with the path.
fn watched(find: impl FnOnce() -> Option<PathBuf>) -> Option<(Arc<Watched>, PathBuf)> {
    if !is_any_watched() || is_bypassed() {
        return None;
    }
    bypass(|| {
        let path = find()?;
        Some((watching(&path)?, path))
    })
}

/// A path of an open file that stays right when the file is renamed or removed.
fn path_of(file: c_int) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{file}"))
}

/// The watched folder of an open file.
fn watched_file(file: c_int) -> Option<(Arc<Watched>, PathBuf)> {
    watched(|| std::fs::read_link(path_of(file)).ok())
}

/// The watched folder of a path.
///
/// # Safety
/// The text ends with a zero.
unsafe fn watched_path(path: *const c_char) -> Option<(Arc<Watched>, PathBuf)> {
    watched(|| {
        // SAFETY: as the caller promises.
        let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
        Some(Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned())
    })
}

/// Counts a call and decides about it.
fn verdict(watched: Option<(Arc<Watched>, PathBuf)>, call: Call) -> Verdict {
    watched.map_or(Verdict::Proceed, |(watched, _)| {
        bypass(|| watched.judge(call))
    })
}

/// Sets the thread's error number; returns what a failed call returns.
fn fail(error: c_int) -> c_int {
    // SAFETY: the place of this thread's error number is always there.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// Makes a call that has no partial result, unless it is to fail.
fn unless_failed(verdict: Verdict, call: impl FnOnce() -> c_long) -> c_int {
    match verdict {
        Verdict::Proceed => c_int::try_from(call()).unwrap_or(-1),
        Verdict::Fail(error) => fail(error),
        Verdict::Half => fail(libc::ENOSPC),
    }
}

/// Makes a call that changes names, unless it is to fail.
fn change_names(
    watched: Option<(Arc<Watched>, PathBuf)>,
    kind: Call,
    call: impl FnOnce() -> c_long,
) -> c_int {
    let Some((watched, _)) = watched else {
        return unless_failed(Verdict::Proceed, call);
    };
    let _names = bypass(|| watched.lock_names());
    unless_failed(bypass(|| watched.judge(kind)), call)
}

/// Makes a call that moves up to `count` bytes, or half of them, unless it is to fail.
fn transfer(verdict: Verdict, count: size_t, call: impl FnOnce(size_t) -> c_long) -> ssize_t {
    let moved = match verdict {
        Verdict::Proceed => call(count),
        Verdict::Half if count > 1 => call(count / 2),
        Verdict::Half => c_long::from(fail(libc::ENOSPC)),
        Verdict::Fail(error) => c_long::from(fail(error)),
    };
    moved as ssize_t
}

/// Makes a sync and records what it has put on the device.
fn sync(file: c_int, number: c_long) -> c_int {
    // SAFETY: no memory is handed over.
    let call = || unsafe { libc::syscall(number, file) };
    let Some((watched, _)) = watched_file(file) else {
        return unless_failed(Verdict::Proceed, call);
    };
    // A sync that is not recorded would look like a loss by the program under test.
    #[allow(clippy::expect_used, reason = "a test ends with this text")]
    let capture = bypass(|| watched.capture(&path_of(file))).expect("a sync is captured");
    let done = unless_failed(bypass(|| watched.judge(Call::Change)), call);
    bypass(|| watched.sync_ended(capture, done == 0));
    done
}

/// Records bytes that were written up to the file's position.
fn record_written(watched: Option<(Arc<Watched>, PathBuf)>, file: c_int, count: ssize_t) {
    let has_lost_pages = |watched: &Watched| bypass(|| watched.lock().synced.has_lost_pages());
    let Some((watched, path)) = watched.filter(|(watched, _)| count > 0 && has_lost_pages(watched))
    else {
        return;
    };
    // SAFETY: no memory is handed over.
    let end = unsafe { libc::lseek(file, 0, libc::SEEK_CUR) };
    let at = usize::try_from(end - count as off64_t).unwrap_or(0);
    bypass(|| {
        if let Ok(metadata) = path.metadata() {
            let synced = &mut watched.lock().synced;
            synced.written(metadata.ino(), at, count as usize);
        }
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn write(file: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    let watched = watched_file(file);
    let verdict = verdict(watched.clone(), Call::Allocate);
    // SAFETY: no more bytes than the caller's buffer has.
    let written = transfer(verdict, count, |count| unsafe {
        libc::syscall(libc::SYS_write, file, bytes, count)
    });
    record_written(watched, file, written);
    written
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite64(
    file: c_int,
    bytes: *const c_void,
    count: size_t,
    at: off64_t,
) -> ssize_t {
    let verdict = verdict(watched_file(file), Call::Allocate);
    // SAFETY: no more bytes than the caller's buffer has.
    transfer(verdict, count, |count| unsafe {
        libc::syscall(libc::SYS_pwrite64, file, bytes, count, at)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn writev(file: c_int, parts: *const libc::iovec, count: c_int) -> ssize_t {
    match verdict(watched_file(file), Call::Allocate) {
        // SAFETY: the caller's arguments as they are.
        Verdict::Proceed => {
            (unsafe { libc::syscall(libc::SYS_writev, file, parts, count) }) as ssize_t
        }
        Verdict::Half => fail(libc::ENOSPC) as ssize_t,
        Verdict::Fail(error) => fail(error) as ssize_t,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn read(file: c_int, bytes: *mut c_void, count: size_t) -> ssize_t {
    let verdict = verdict(watched_file(file), Call::Read);
    // SAFETY: no more bytes than the caller's buffer has.
    transfer(verdict, count, |count| unsafe {
        libc::syscall(libc::SYS_read, file, bytes, count)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pread64(
    file: c_int,
    bytes: *mut c_void,
    count: size_t,
    at: off64_t,
) -> ssize_t {
    let verdict = verdict(watched_file(file), Call::Read);
    // SAFETY: no more bytes than the caller's buffer has.
    transfer(verdict, count, |count| unsafe {
        libc::syscall(libc::SYS_pread64, file, bytes, count, at)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fsync(file: c_int) -> c_int {
    sync(file, libc::SYS_fsync)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fdatasync(file: c_int) -> c_int {
    sync(file, libc::SYS_fdatasync)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ftruncate64(file: c_int, length: off64_t) -> c_int {
    let verdict = verdict(watched_file(file), Call::Allocate);
    // SAFETY: no memory is handed over.
    unless_failed(verdict, || unsafe {
        libc::syscall(libc::SYS_ftruncate, file, length)
    })
}

/// The mode is passed on unchanged; callers set it when the call may make a file.
#[unsafe(no_mangle)]
unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: a path of the caller's.
    let watched = unsafe { watched_path(path) };
    // Opening an existing file takes no space.
    let exists = watched
        .as_ref()
        .is_some_and(|(_, path)| bypass(|| path.exists()));
    let makes = flags & libc::O_CREAT != 0 && !exists;
    // SAFETY: the caller's arguments as they are.
    let call = || unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, flags, mode) };
    if makes || flags & libc::O_TRUNC != 0 {
        change_names(watched, Call::Allocate, call)
    } else {
        unless_failed(verdict(watched, Call::Read), call)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(path: *const c_char, mode: mode_t) -> c_int {
    // SAFETY: a path of the caller's.
    let watched = unsafe { watched_path(path) };
    // SAFETY: the caller's arguments as they are.
    change_names(watched, Call::Allocate, || unsafe {
        libc::syscall(libc::SYS_mkdirat, libc::AT_FDCWD, path, mode)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    // SAFETY: a path of the caller's.
    let watched = unsafe { watched_path(path) };
    // SAFETY: the caller's arguments as they are.
    change_names(watched, Call::Change, || unsafe {
        libc::syscall(libc::SYS_unlinkat, libc::AT_FDCWD, path, 0)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: a path of the caller's.
    let watched = unsafe { watched_path(to) };
    // SAFETY: the caller's arguments as they are.
    change_names(watched, Call::Change, || unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            libc::AT_FDCWD,
            from,
            libc::AT_FDCWD,
            to,
            0,
        )
    })
}

/// A reference that makes the linker keep the calls in every program that uses this crate.
#[used]
static FSYNC: unsafe extern "C" fn(c_int) -> c_int = fsync;
