//! The files of `web/bundle/`. They are built from `web/src/` by `web/build.mjs` and committed, so that cargo needs no Node.

/// The script of the page that `svc app report` writes.
pub const REPORT_SCRIPT: &str = include_str!("../../../web/bundle/report.js");
/// Its style.
pub const REPORT_STYLE: &str = include_str!("../../../web/bundle/report.css");

/// The page of the console, one for all that need its script.
pub const CONSOLE_PAGE: &str = include_str!("../../../web/bundle/console.html");
pub const CONSOLE_SCRIPT: &str = include_str!("../../../web/bundle/console.js");
/// The style of the console, also of the pages that need no script.
pub const CONSOLE_STYLE: &str = include_str!("../../../web/bundle/console.css");
