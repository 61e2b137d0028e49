//! A terminal in which a test runs the command, as a person does.

use super::Workplace;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::Stdio;

/// What a command shows in a terminal of some columns. It must succeed.
pub fn shown(place: &Workplace, columns: u16, arguments: &[&str]) -> String {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&screen).unwrap();
    unlockpt(&screen).unwrap();
    let size = Winsize {
        ws_row: 40,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&screen, size).unwrap();
    let path = ptsname(&screen, Vec::new()).unwrap();
    let end = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path.to_str().unwrap())
        .unwrap();
    let mut command = place.command(arguments);
    command
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .stdout(end)
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // The terminal ends with the last process that holds its other end.
    drop(command);
    let mut text = Vec::new();
    let mut screen = File::from(screen);
    let mut chunk = [0; 4096];
    // Linux ends it with an error, others with nothing to read.
    while let Ok(count @ 1..) = screen.read(&mut chunk) {
        text.extend_from_slice(&chunk[..count]);
    }
    assert!(child.wait().unwrap().success(), "{arguments:?}");
    String::from_utf8_lossy(&text).into_owned()
}
