//! What stopped a command, in words and as JSON.

use std::fmt::Write as _;

use svc_core::{
    diagnostics::{Diagnostics, Stopped},
    words::exit_code::ExitCode,
};
use svc_json::printable;

use super::{escape::Safe, format::Format, stream};
use crate::{failure::Failure, scope::Scope};

#[must_use]
pub fn in_words(failure: &Failure) -> String {
    let mut text = format!("error: {}\n", Safe(&in_one_line(&failure.message)));
    if let Some(help) = &failure.help {
        let _ = writeln!(text, "  = help: {}", Safe(&in_one_line(help)));
    }
    text
}

#[must_use]
pub fn json(failure: &Failure) -> Vec<u8> {
    let stopped = Stopped { help: failure.help.as_deref(), message: &failure.message };
    let scope = Scope::of_stop().to_report();
    printable::pretty(&Diagnostics { stopped: Some(stopped), ..Diagnostics::empty(failure.exit.code(), false, scope) })
}

/// Prints a stop where nothing but words and JSON can be asked for.
#[must_use]
pub fn print(failure: &Failure, format: Format) -> ExitCode {
    // Where standard output does not take it, people get the words.
    if format != Format::Json || stream::result(&json(failure)).is_err() {
        stream::status(&in_words(failure));
    }
    failure.exit
}

/// What others say on several lines, such as a library, in one.
fn in_one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}
