//! The paths of the journal. Those of tiles have a form of their own (C2SP tlog-tiles), and are the only paths that are not
//! compared whole. They have one spelling each, which the journal's own parser knows.

use svc_core::contract::contracts::BASE_PATH;
use svc_proof::tiles::TilePath;

/// A part of the journal that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalDocument {
    Checkpoint,
    /// The newest state that the quorum of the witnesses has seen.
    WitnessedCheckpoint,
    Keys,
    HandOvers,
    MinimumIndex,
    Tile,
    EntryTile,
    /// Records as JSON.
    Entries,
    /// Records as they come, as server-sent events.
    Stream,
    /// The proof of one record.
    Proof,
}

impl JournalDocument {
    /// Whether strangers read it where the journal is public: what proves the log, and never who asked.
    #[must_use]
    pub const fn is_public(self) -> bool {
        match self {
            Self::Checkpoint
            | Self::WitnessedCheckpoint
            | Self::Keys
            | Self::HandOvers
            | Self::MinimumIndex
            | Self::Tile
            | Self::EntryTile
            | Self::Proof
            | Self::Stream => true,
            Self::Entries => false,
        }
    }
}

/// Path below the base path, operation, what it is, what is read.
pub(super) const ROUTES: &[(&str, &str, &str, JournalDocument)] = &[
    ("/journal/checkpoint", "journal-checkpoint", "The signed state of the log", JournalDocument::Checkpoint),
    (
        "/journal/witnessed-checkpoint",
        "journal-witnessed-checkpoint",
        "The newest signed state that the quorum of the witnesses has seen, with their cosignatures",
        JournalDocument::WitnessedCheckpoint,
    ),
    ("/journal/keys", "journal-keys", "The public keys of the log, the newest first", JournalDocument::Keys),
    (
        "/journal/hand-overs",
        "journal-hand-overs",
        "The notes with which each key of the log signed the next",
        JournalDocument::HandOvers,
    ),
    (
        "/journal/minimum-index",
        "journal-minimum-index",
        "Where a log that was pruned begins, signed",
        JournalDocument::MinimumIndex,
    ),
    ("/journal/entries", "journal-entries", "Records of the log, in order", JournalDocument::Entries),
    (
        "/journal/stream",
        "journal-stream",
        "Records of the log as they come, as server-sent events",
        JournalDocument::Stream,
    ),
    (
        "/journal/tile/entries/{tile}",
        "journal-entry-tile",
        "A tile of records, as C2SP tlog-tiles names it",
        JournalDocument::EntryTile,
    ),
    (
        "/journal/tile/{level}/{tile}",
        "journal-tile",
        "A tile of hashes, as C2SP tlog-tiles names it",
        JournalDocument::Tile,
    ),
    (
        "/journal/proof/{index}",
        "journal-proof",
        "The proof of a record, as C2SP tlog-proof writes it",
        JournalDocument::Proof,
    ),
];

const BELOW: &str = "/journal/";

pub(super) fn matches(wanted: JournalDocument, route: &str, path: &str) -> bool {
    match wanted {
        JournalDocument::Checkpoint
        | JournalDocument::WitnessedCheckpoint
        | JournalDocument::Keys
        | JournalDocument::HandOvers
        | JournalDocument::MinimumIndex
        | JournalDocument::Entries
        | JournalDocument::Stream => route == path,
        JournalDocument::Tile => tile(path).is_some_and(|tile| !tile.is_entries()),
        JournalDocument::EntryTile => tile(path).is_some_and(|tile| tile.is_entries()),
        JournalDocument::Proof => proven_index(path).is_some(),
    }
}

/// Whether a path may have a query.
#[must_use]
pub fn takes_query(path: &str) -> bool {
    matches!(below(path), Some("entries" | "stream"))
}

fn below(path: &str) -> Option<&str> {
    path.strip_prefix(BASE_PATH)?.strip_prefix(BELOW)
}

#[must_use]
pub fn tile(path: &str) -> Option<TilePath> {
    TilePath::parse(below(path)?)
}

/// The number of the record that a proof is asked for; it has one spelling.
#[must_use]
pub fn proven_index(path: &str) -> Option<u64> {
    let digits = below(path)?.strip_prefix("proof/")?;
    digits.parse().ok().filter(|index: &u64| index.to_string() == digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_tiles_are_told_from_others() {
        let at = |path: &str| format!("{BASE_PATH}{path}");
        assert!(matches(JournalDocument::Tile, "", &at("/journal/tile/0/000")));
        assert!(matches(JournalDocument::EntryTile, "", &at("/journal/tile/entries/000.p/7")));
        for path in [
            "/journal/tile/0/000.p/0",
            "/journal/tile/entries/0",
            "/journal/tile/0/../0",
            "/journal//tile/0/000",
            "/tile/0/000",
        ] {
            assert!(
                !matches(JournalDocument::Tile, "", &at(path)) && !matches(JournalDocument::EntryTile, "", &at(path)),
                "{path}"
            );
        }
        let index = |path: &str| proven_index(&at(&format!("/journal/proof/{path}")));
        assert_eq!((index("0"), index("18446744073709551615")), (Some(0), Some(u64::MAX)));
        for path in ["", "00", "01", "+1", "-1", "1/", "1.p/2", "%31", "0x1", "18446744073709551616"] {
            assert_eq!(index(path), None, "{path}");
        }
        assert!(takes_query(&at("/journal/entries")) && takes_query(&at("/journal/stream")));
        assert!(!takes_query(&at("/journal/checkpoint")) && !takes_query(&at("/journal/stream/")));
    }
}
