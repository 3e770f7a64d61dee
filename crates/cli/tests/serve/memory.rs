//! How much memory an idle service holds.

use crate::running::{Running, document, post};

fn resident_kibibytes(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The bound is that of a release build; a debug build is held to three times as much.
#[test]
fn an_idle_service_is_small() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &[]);
    let bound = if cfg!(debug_assertions) { 60 } else { 20 } * 1024;
    for round in ["before the first request", "after a hundred"] {
        let Some(resident) = resident_kibibytes(running.id()) else { return };
        assert!(resident < bound, "{resident} KiB {round}");
        let request = post("", &document());
        (0..100).for_each(|_| assert_eq!(running.status(&request), 200));
    }
}
