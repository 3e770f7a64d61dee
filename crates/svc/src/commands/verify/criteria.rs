//! What both verifications say before they begin, and when they cannot.

use svc_cli::{failure::Failure, output::stream};
use svc_core::{verification::Mode, words::exit_code::ExitCode};
use svc_verify::check;

pub(super) fn print(mode: Mode) {
    let lines: String = check::criteria(mode).iter().map(|line| format!("  - {line}\n")).collect();
    stream::status(&format!("What must hold\n{lines}\n"));
}

pub(super) fn bug(message: &str) -> Failure {
    let help = Some("do not rely on this build; report it".to_owned());
    Failure { exit: ExitCode::Bug, message: message.to_owned(), help }
}
