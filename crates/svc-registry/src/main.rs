//! `svc-registry`: runs the fail-closed registry, its journal, tokens, webhooks and witnesses.

mod command;
mod commands;

use std::process;

#[cfg(feature = "jemalloc")]
use svc_allocator as _;
use svc_core::words::exit_code::ExitCode;

fn main() -> process::ExitCode {
    let code = std::panic::catch_unwind(command::run).unwrap_or(ExitCode::Bug);
    process::ExitCode::from(code.code())
}
