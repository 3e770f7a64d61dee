//! What the journal keeps and hands out: records of noes, who asked for them, and receipts that prove them.
//!
//! Only the forms are here. Keeping them is the work of another crate, which alone holds a database and a key.

pub mod attribution;
pub mod delivery;
pub mod draft;
pub mod event;
pub mod receipt;
pub mod record;
pub mod scalars;
pub mod timestamp;
