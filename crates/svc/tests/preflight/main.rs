//! The author's commands around the thirteen steps, on the real binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod adopt;
#[cfg(unix)]
mod adopt_hostile;
mod bundle;
mod denied;
mod diff;
mod ends;
mod explain;
mod export;
mod files;
mod fix;
mod guides;
mod init;
mod inspect;
mod killed;
mod named;
mod output_paths;
mod plan;
#[cfg(target_os = "linux")]
mod readers;
mod scope;
mod settings;
mod several;
mod shell;
#[cfg(unix)]
mod unread;
mod watch;
mod workflow;
mod workplace;

use svc_testkit::run;
