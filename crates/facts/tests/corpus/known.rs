//! What is told wrong and known to be.

use std::{collections::BTreeSet, fs, path::Path};

/// The cases that a page lists, one a line: `` - `P012/fires/a.js`: why ``. Each says why.
pub(crate) fn listed(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).unwrap();
    let rows: Vec<(&str, &str)> =
        text.lines().filter_map(|line| line.strip_prefix("- `")).filter_map(|row| row.split_once("`: ")).collect();
    for (case, why) in &rows {
        assert!(why.len() > 12, "{case} is listed without a reason");
    }
    let listed: BTreeSet<String> = rows.iter().map(|(case, _)| (*case).to_owned()).collect();
    assert_eq!(listed.len(), rows.len(), "a case is listed twice");
    listed
}
