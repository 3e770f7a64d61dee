//! What stands behind a name that says what it is: each way to tell a secret from a word, one after the other.

use super::{
    assigned::{self, NAME},
    hit::{Find, Hit},
    thought_out,
    token::{Alphabet, run, run_back},
};

/// A value behind a name that says `password`, `secret` or the like: only what looks drawn at random.
pub(super) fn by_name(hit: Hit<'_>) -> Option<Find> {
    let end = hit.end + run(hit.after(), Alphabet::Word, NAME);
    let start = hit.start - run_back(hit.before(), Alphabet::Word, NAME);
    let name = hit.text.get(start..end)?.to_ascii_lowercase();
    let value = assigned::value(Hit { end, ..hit })?;
    assigned::chain_key(&name, &value)
        .or_else(|| assigned::drawn(hit, start, &name, &value))
        .or_else(|| thought_out::stands_at(hit, start, &name, &value))
}
