//! How much a finding weighs.

use crate::wire_enum;

wire_enum! {
    /// How much a finding weighs.
    pub enum Severity("severity", B015) {
        /// Nothing is written.
        Error = "error",
        /// The author must act before the next stage; the submission is made.
        Blocker = "blocker",
        /// Worth mending.
        Warning = "warning",
        /// Worth knowing.
        Note = "note",
    }
}
