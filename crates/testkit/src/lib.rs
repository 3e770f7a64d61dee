//! Forgeries, samples, and what the tests of several crates share.
//!
//! | module | what it holds |
//! |---|---|
//! | `adversary` | recipes for tampered artifacts, each with the rule that must catch it |
//! | `example_text` | the examples of rules, as people are shown them |
//! | `samples` | whole bundles of any size, made without a disk |
//! | `campaign` | counts, seeds and records of runs that are short in the tests and long in a campaign |
//! | `cluster`, `standby` | a private PostgreSQL, and others that follow it |
//! | `follower`, `receiver` | who gets the records of a log: by the stream, by webhooks |
//! | `lived_log` | a log that was used, pruned, restored and failed over, with a second key |
//! | `order` | whether a log is one order of everything that was answered |
//! | `run`, `running` | the built `svc`, run to its end, or serving |
//! | `seed_words` | the specification, written again by hand; it imports nothing |
//!
//! The first three are also used by the self-test, the verifier and `svc explain`; the others are for tests alone and
//! stand behind the feature `harness`.

pub mod adversary;
pub mod example_text;
pub mod samples;

#[cfg(feature = "harness")]
mod harness;

#[cfg(feature = "harness")]
pub use harness::*;
