//! `svc`: checks an app package and prepares its registry hand-off bundle. Nothing is published.

mod arguments;
mod artifact_files;
mod code_reader;
mod command;
mod commands;
mod failure;
mod files;
mod formats;
#[cfg(feature = "server")]
mod kept_answers;
mod kept_claims;
mod named;
mod output;
mod output_paths;
mod package;
mod page;
#[cfg(feature = "server")]
mod policy_file;
mod progress;
#[cfg(feature = "server")]
mod public_keys;
#[cfg(feature = "server")]
mod registry_client;
mod report;
mod rules;
mod scope;
mod settings;
mod tree;

use std::process;

#[cfg(feature = "jemalloc")]
use svc_allocator as _;
use svc_core::words::exit_code::ExitCode;

fn main() -> process::ExitCode {
    if let Some(code) = code_reader::child::run_if_asked() {
        return code;
    }
    let code = std::panic::catch_unwind(command::run).unwrap_or(ExitCode::Bug);
    process::ExitCode::from(code.code())
}
