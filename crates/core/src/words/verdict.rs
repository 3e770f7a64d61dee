//! What the rules say of a package.

use crate::wire_enum;

wire_enum! {
    /// What the rules say of a package. There is no word for more.
    pub enum Verdict("verdict", B015) {
        /// No findings.
        Validated = "validated",
        /// Warnings or notes.
        ValidatedWithWarnings = "validated-with-warnings",
        /// The author must act.
        Blocked = "blocked",
    }
}
