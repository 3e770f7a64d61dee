//! `cargo xtask lived-log FOLDER`: a data folder with a log in its second year, for tests that are not in Rust. What was given
//! of it on the way is printed as JSON.

use std::{io::Write as _, path::Path};

use anyhow::Result;
use serde_json::json;
use svc_testkit::lived_log::{BEGINS, LivedLog};

/// Makes the log in a new folder.
pub(crate) fn make(folder: &str) -> Result<()> {
    let log = LivedLog::in_sqlite(Path::new(folder), None);
    let told = json!({ "answers": log.answers, "begins": BEGINS, "earlier": log.earlier, "firstKey": log.first_key });
    Ok(writeln!(std::io::stdout(), "{told}")?)
}
