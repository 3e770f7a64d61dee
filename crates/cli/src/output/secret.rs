//! A secret that is printed once: whoever asked for it has it, or it is not in use.

use std::io;

use crate::{
    failure::Failure,
    files::stdout::{StdoutResult, write_stdout},
};

/// Prints a new secret, and puts it to use after that: whenever this is cut short, no secret is in use that nobody has.
pub fn print_once(text: &str, put_to_use: impl FnOnce() -> Result<(), Failure>) -> Result<String, Failure> {
    let why = match leads_nowhere() {
        true => Failure::usage(
            "standard output leads nowhere, and the secret would be lost",
            "let it go to a file or a pipe",
        ),
        false => match write_stdout(text.as_bytes()) {
            Ok(StdoutResult::Written) => {
                let put = put_to_use().map(|()| String::new());
                return put.map_err(|why| with(why, "the secret that was printed is not in use"));
            }
            Ok(StdoutResult::ClosedPipe) => Failure::stdout(&io::ErrorKind::BrokenPipe.into()),
            Err(error) => Failure::stdout(&error),
        },
    };
    Err(with(why, "the secret is not in use, and nothing was changed"))
}

fn with(why: Failure, words: &str) -> Failure {
    Failure { message: format!("{}; {words}", why.message), ..why }
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
