//! What people read about an archive of a log.

use std::ops::Range;

/// Where the log begins and where the folder does, in lines; nothing for a log that was never pruned.
#[must_use]
pub fn beginning(begins: u64, kept_from: u64, lost: &Range<u64>) -> String {
    if begins == 0 {
        return String::new();
    }
    let kept = match (kept_from < begins, lost.is_empty()) {
        (true, _) => format!("; this folder keeps the records from {kept_from} on"),
        (false, true) => String::new(),
        (false, false) => format!(
            "; {} to {} were pruned before this folder had them, and nothing brings them back",
            lost.start,
            lost.end.saturating_sub(1)
        ),
    };
    format!("the log begins at {begins}: what is before was pruned{kept}\n")
}
