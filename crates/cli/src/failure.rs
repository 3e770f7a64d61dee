//! What stops a command before there is anything to report on.

mod journal;

use svc_core::words::{exit_code::ExitCode, suggest};

use crate::files::{read::ReadError, write::WriteError};

/// A stop with its exit code, a message and a way out. Texts are not escaped.
#[derive(Debug)]
pub struct Failure {
    pub exit: ExitCode,
    pub message: String,
    pub help: Option<String>,
}

impl Failure {
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { exit: ExitCode::Usage, message: message.into(), help: Some(help.into()) }
    }

    /// A word that nothing bears: the help is the one that may have been meant, else `list`.
    pub fn unknown(message: String, word: &str, known: &[&str], list: String) -> Self {
        Self::usage(message, suggest::closest(word, known).map_or(list, |close| format!("did you mean `{close}`?")))
    }

    pub fn reading(label: &str, error: &ReadError) -> Self {
        Self {
            exit: ExitCode::InputOutput,
            message: format!("{label}: {}", error.message()),
            help: error.help().map(str::to_owned),
        }
    }

    pub fn writing(label: &str, error: &WriteError) -> Self {
        Self {
            exit: ExitCode::InputOutput,
            message: format!("{label}: {}", error.message()),
            help: error.help().map(str::to_owned),
        }
    }

    /// The stop after something was found: a report that cannot be written does not hide what is in it.
    pub fn beside(mut self, found: ExitCode) -> Self {
        self.exit = found.worse(self.exit);
        self
    }

    pub fn stdout(error: &std::io::Error) -> Self {
        Self { exit: ExitCode::InputOutput, message: format!("standard output: {error}"), help: None }
    }
}
