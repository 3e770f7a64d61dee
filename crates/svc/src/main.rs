//! `svc`: checks an app package, prepares its handoff bundle, and verifies registries and their logs. Nothing is published.

mod artifact_files;
mod code_reader;
mod command;
mod commands;
mod formats;
mod kept_answers;
mod kept_claims;
mod named;
mod output;
mod output_paths;
mod package;
mod package_arguments;
mod page;
mod progress;
mod report;
mod settings;
mod tree;

use std::process;

use svc_core::words::exit_code::ExitCode;

fn main() -> process::ExitCode {
    if let Some(code) = code_reader::child::run_if_asked() {
        return code;
    }
    let code = std::panic::catch_unwind(command::run).unwrap_or(ExitCode::Bug);
    process::ExitCode::from(code.code())
}
