//! The C library's file calls, as the standard library makes them: each asks who watches its file
//! before it is made.
//!
//! A program's own definition of a symbol goes before the C library's. What is let through is
//! handed to the system as it is.
#![allow(
    clippy::missing_safety_doc,
    reason = "each is the C library's call of that name, with its contract"
)]

use crate::machine::{Verdict, Want, Watched, is_anything_watched, watching};
use libc::{c_char, c_int, c_long, c_uint, c_void, mode_t, off64_t, size_t, ssize_t};
use std::cell::Cell;
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

thread_local! {
    /// Whether this crate's own calls are under way.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Does something whose calls are not looked at.
pub(crate) fn unwatched<T>(work: impl FnOnce() -> T) -> T {
    let before = INSIDE.replace(true);
    let done = work();
    INSIDE.set(before);
    done
}

fn watched(find: impl FnOnce() -> Option<PathBuf>) -> Option<(Arc<Watched>, PathBuf)> {
    if !is_anything_watched() || INSIDE.get() {
        return None;
    }
    unwatched(|| {
        let path = find()?;
        Some((watching(&path)?, path))
    })
}

fn watched_file(file: c_int) -> Option<(Arc<Watched>, PathBuf)> {
    watched(|| std::fs::read_link(format!("/proc/self/fd/{file}")).ok())
}

/// # Safety
/// The text ends with a zero.
unsafe fn watched_path(path: *const c_char) -> Option<(Arc<Watched>, PathBuf)> {
    watched(|| {
        // SAFETY: as the caller promises.
        let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
        Some(Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned())
    })
}

fn verdict(watched: Option<(Arc<Watched>, PathBuf)>, want: Want) -> Verdict {
    watched.map_or(Verdict::Go, |(watched, _)| {
        unwatched(|| watched.judge(want))
    })
}

fn fail(error: c_int) -> c_int {
    // SAFETY: the place of this thread's error number is always there.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// For calls that are made whole or not at all.
fn unless_failed(verdict: Verdict, call: impl FnOnce() -> c_long) -> c_int {
    match verdict {
        Verdict::Go => c_int::try_from(call()).unwrap_or(-1),
        Verdict::Fail(error) => fail(error),
        Verdict::Half => fail(libc::ENOSPC),
    }
}

fn transfer(verdict: Verdict, count: size_t, call: impl FnOnce(size_t) -> c_long) -> ssize_t {
    let moved = match verdict {
        Verdict::Go => call(count),
        Verdict::Half if count > 1 => call(count / 2),
        Verdict::Half => c_long::from(fail(libc::ENOSPC)),
        Verdict::Fail(error) => c_long::from(fail(error)),
    };
    moved as ssize_t
}

/// A sync: what is on the device after it is what was there before it.
fn sync(file: c_int, number: c_long) -> c_int {
    // SAFETY: no memory is handed over.
    let call = || unsafe { libc::syscall(number, file) };
    let Some((watched, path)) = watched_file(file) else {
        return unless_failed(Verdict::Go, call);
    };
    let picture = unwatched(|| watched.picture(&path));
    let done = unless_failed(unwatched(|| watched.judge(Want::Change)), call);
    if let Ok(picture) = picture {
        unwatched(|| {
            if done == 0 {
                watched.note_synced(picture)
            } else {
                watched.note_failed(&picture)
            }
        });
    }
    done
}

/// Bytes were written where the file's position was.
fn note_written(watched: Option<(Arc<Watched>, PathBuf)>, file: c_int, count: ssize_t) {
    let Some((watched, path)) =
        watched.filter(|(watched, _)| count > 0 && unwatched(|| watched.has_lost()))
    else {
        return;
    };
    // SAFETY: no memory is handed over.
    let end = unsafe { libc::lseek(file, 0, libc::SEEK_CUR) };
    let at = usize::try_from(end - count as off64_t).unwrap_or(0);
    if let Ok(about) = unwatched(|| path.metadata()) {
        unwatched(|| watched.note_written(about.ino(), at, count as usize));
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn write(file: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    let watched = watched_file(file);
    let verdict = verdict(watched.clone(), Want::Room);
    // SAFETY: no more bytes than the caller says there are.
    let written = transfer(verdict, count, |count| unsafe {
        libc::syscall(libc::SYS_write, file, bytes, count)
    });
    note_written(watched, file, written);
    written
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite64(
    file: c_int,
    bytes: *const c_void,
    count: size_t,
    at: off64_t,
) -> ssize_t {
    let verdict = verdict(watched_file(file), Want::Room);
    // SAFETY: no more bytes than the caller says there are.
    transfer(verdict, count, |count| unsafe {
        libc::syscall(libc::SYS_pwrite64, file, bytes, count, at)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn writev(file: c_int, parts: *const libc::iovec, count: c_int) -> ssize_t {
    match verdict(watched_file(file), Want::Room) {
        // SAFETY: the caller's arguments as they are.
        Verdict::Go => (unsafe { libc::syscall(libc::SYS_writev, file, parts, count) }) as ssize_t,
        Verdict::Half => fail(libc::ENOSPC) as ssize_t,
        Verdict::Fail(error) => fail(error) as ssize_t,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn read(file: c_int, bytes: *mut c_void, count: size_t) -> ssize_t {
    let verdict = verdict(watched_file(file), Want::Read);
    // SAFETY: no more room than the caller says there is.
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
    let verdict = verdict(watched_file(file), Want::Read);
    // SAFETY: no more room than the caller says there is.
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
    let verdict = verdict(watched_file(file), Want::Room);
    // SAFETY: no memory is handed over.
    unless_failed(verdict, || unsafe {
        libc::syscall(libc::SYS_ftruncate, file, length)
    })
}

/// The mode is there when a file may be made; it is handed over as it came.
#[unsafe(no_mangle)]
unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: a path of the caller's.
    let watched = unsafe { watched_path(path) };
    // A file that is there is opened without room.
    let is_there = watched
        .as_ref()
        .is_some_and(|(_, path)| unwatched(|| path.exists()));
    let makes = flags & libc::O_CREAT != 0 && !is_there;
    let want = if makes || flags & libc::O_TRUNC != 0 {
        Want::Room
    } else {
        Want::Read
    };
    let verdict = verdict(watched, want);
    // SAFETY: the caller's arguments as they are.
    unless_failed(verdict, || unsafe {
        libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, flags, mode)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(path: *const c_char, mode: mode_t) -> c_int {
    // SAFETY: a path of the caller's.
    let verdict = verdict(unsafe { watched_path(path) }, Want::Room);
    // SAFETY: the caller's arguments as they are.
    unless_failed(verdict, || unsafe {
        libc::syscall(libc::SYS_mkdirat, libc::AT_FDCWD, path, mode)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    // SAFETY: a path of the caller's.
    let verdict = verdict(unsafe { watched_path(path) }, Want::Change);
    // SAFETY: the caller's arguments as they are.
    unless_failed(verdict, || unsafe {
        libc::syscall(libc::SYS_unlinkat, libc::AT_FDCWD, path, 0)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: a path of the caller's.
    let verdict = verdict(unsafe { watched_path(to) }, Want::Change);
    // SAFETY: the caller's arguments as they are.
    unless_failed(verdict, || unsafe {
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

/// Keeps the calls in every program that uses this crate.
#[used]
static FSYNC: unsafe extern "C" fn(c_int) -> c_int = fsync;
