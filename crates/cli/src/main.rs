//! `svc`: checks an app package and prepares its registry hand-off bundle. Nothing is published.

mod arguments;
mod artifact_files;
mod command;
mod commands;
mod failure;
mod files;
mod output;
mod package;
mod progress;
#[cfg(feature = "server")]
mod registry_client;
mod report;
mod tree;

use std::process;

use svc_core::exit_code::ExitCode;

/// How it behaves is set where it is built, in `.cargo/config.toml`.
#[cfg(all(feature = "server", target_os = "linux"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> process::ExitCode {
    let code = std::panic::catch_unwind(command::run).unwrap_or(ExitCode::Bug);
    process::ExitCode::from(code.code())
}
