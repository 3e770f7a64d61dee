//! How often artifacts were sealed on this thread. Only with the feature `counts`.

use std::cell::Cell;

thread_local! {
    static SEALS: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn note_seal() {
    SEALS.set(SEALS.get() + 1);
}

/// The seals so far, also those that were refused.
#[must_use]
pub fn seals() -> u64 {
    SEALS.get()
}
