//! A secret that is printed once: whoever asked for it has it, or it was not made.

use std::io;

use crate::{
    failure::Failure,
    files::stdout::{StdoutResult, write_stdout},
};

/// Prints what was just made. When nobody can have read it, what was made is taken back.
pub(crate) fn print_once(text: &str, take_back: impl FnOnce() -> Result<(), Failure>) -> Result<String, Failure> {
    let why = match leads_nowhere() {
        true => Failure::usage(
            "standard output leads nowhere, and the secret would be lost",
            "let it go to a file or a pipe",
        ),
        false => match write_stdout(text.as_bytes()) {
            Ok(StdoutResult::Written) => return Ok(String::new()),
            Ok(StdoutResult::ClosedPipe) => Failure::stdout(&io::ErrorKind::BrokenPipe.into()),
            Err(error) => Failure::stdout(&error),
        },
    };
    let (message, exit) = (why.message.clone(), why.exit);
    Err(match take_back() {
        Ok(()) => Failure { message: format!("{message}; the secret is not in use, and nothing was changed"), ..why },
        Err(failure) => {
            let message =
                format!("{message}; and the secret, which nobody has, could not be taken back: {}", failure.message);
            Failure { exit, message, ..failure }
        }
    })
}

/// Whether standard output is the null device: what a program without standard output is given.
#[cfg(unix)]
fn leads_nowhere() -> bool {
    let of = |found: rustix::io::Result<rustix::fs::Stat>| found.ok().map(|stat| (stat.st_rdev, stat.st_mode));
    let null = of(rustix::fs::stat("/dev/null"));
    null.is_some() && of(rustix::fs::fstat(io::stdout())) == null
}

#[cfg(not(unix))]
const fn leads_nowhere() -> bool {
    false
}
