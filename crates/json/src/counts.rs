//! How often documents were read strictly on this thread. Only with the feature `counts`.

use std::cell::Cell;

thread_local! {
    static READS: Cell<u64> = const { Cell::new(0) };
}

pub(crate) fn note_read() {
    READS.set(READS.get() + 1);
}

/// The strict reads so far, deciding and explaining.
#[must_use]
pub fn reads() -> u64 {
    READS.get()
}
