//! The two streams: results on standard output, everything else on standard error.

use std::io::{self, IsTerminal as _, Write as _};

use crate::{
    failure::Failure,
    files::stdout::{StdoutResult, write_stdout},
};

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// The choice for standard error. The flag comes first, then `NO_COLOR`, then what forces colour; a terminal that asked
    /// for nothing gets it.
    pub fn on_stderr(self) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let forced = |name| set(name) && std::env::var_os(name).is_none_or(|value| value != "0" && value != "false");
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if set("NO_COLOR") => false,
            Self::Auto if forced("FORCE_COLOR") || forced("CLICOLOR_FORCE") => true,
            Self::Auto => {
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                io::stderr().is_terminal() && !dumb
            }
        }
    }
}

/// How the terminal is spoken to.
#[derive(Clone, Copy, Debug)]
pub struct TerminalStyle {
    pub color: Color,
    pub quiet: bool,
}

/// Writes a result. A closed pipe ends quietly.
pub fn result(bytes: &[u8]) -> Result<(), Failure> {
    match write_stdout(bytes) {
        Ok(StdoutResult::Written | StdoutResult::ClosedPipe) => Ok(()),
        Err(error) => Err(Failure::stdout(&error)),
    }
}

/// Writes a status. When standard error is gone there is nobody left to tell.
pub fn status(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
