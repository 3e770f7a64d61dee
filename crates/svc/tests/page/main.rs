//! `svc app report`: the page and its Markdown, on the real binary. How the page looks and behaves in a browser is tested
//! in `web/test`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod desk;
mod hostile;
mod markdown;
mod package_folder;
mod refusals;
mod words;

use svc_testkit::run;
