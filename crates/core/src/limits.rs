//! Every limit of the system, once. Documents, messages and served limits come from here.

/// A limit as it is shown to people and served.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The name on the wire.
    pub name: &'static str,
    /// The number.
    pub value: u64,
    /// The unit.
    pub unit: &'static str,
    /// What it bounds.
    pub what: &'static str,
}

macro_rules! limits {
    ($($(#[$meta:meta])* $constant:ident: $type:ty = $value:expr, $name:literal, $unit:literal, $what:literal;)+) => {
        $($(#[$meta])* #[doc = $what] pub const $constant: $type = $value;)+

        /// All limits, in the order of this table.
        pub static ALL: &[Limit] = &[
            $(Limit { name: $name, value: $constant as u64, unit: $unit, what: $what },)+
        ];
    };
}

limits! {
    JSON_DEPTH: usize = 32, "json-depth", "levels", "Nesting of objects and lists in any document.";
    JSON_STRING_BYTES: usize = 64 * 1024, "json-string", "bytes", "Length of one string in any document.";
    JSON_KEY_BYTES: usize = 128, "json-member-name", "bytes", "Length of one member name in any document.";
    JSON_INTEGER: i64 = (1 << 53) - 1, "json-integer", "absolute value", "Integers in any document.";
    MANIFEST_BYTES: usize = 256 * 1024, "manifest", "bytes", "Size of a package manifest.";
    ARTIFACT_BYTES: usize = 4 * 1024 * 1024, "artifact", "bytes", "Size of an artifact other than the index.";
    INDEX_BYTES: usize = 16 * 1024 * 1024, "index", "bytes", "Size of an index.";
    INDEX_ENTRIES: usize = 1000, "index-entries", "entries", "Submissions in one index.";
    FILE_BYTES: u64 = 25 * 1024 * 1024, "file", "bytes", "Size of one file of a package.";
    PACKAGE_BYTES: u64 = 100 * 1024 * 1024, "package", "bytes", "Size of all files of a package together.";
    PACKAGE_FILES: usize = 10_000, "package-files", "files", "Files in a package.";
    PATH_BYTES: usize = 1024, "path", "bytes", "Length of a path in a package.";
    PATH_PART_BYTES: usize = 255, "path-part", "bytes", "Length of one part of a path.";
    PATH_DEPTH: usize = 32, "path-depth", "parts", "Parts of a path.";
    SCANNED_BYTES: usize = 1024 * 1024, "scanned-text", "bytes", "Size of a text file that is searched for secrets and dynamic code.";
    REPORT_FINDINGS: usize = 200, "report-findings", "findings", "Findings kept in a review report.";
    META_BYTES: usize = 4 * 1024, "manifest-meta", "bytes", "Strings in a manifest's `_meta`.";
}
