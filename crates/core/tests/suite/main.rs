//! The core as everything else sees it: bytes in, value or refusal out.
//!
//! | file | what it holds |
//! |---|---|
//! | `documents`, `leaves`, `packages`, `scramble` | what the tests start from, and ways to change it |
//! | `bundles` | mixed and forged bundles |
//! | `canonical_form` | our RFC 8785 writer against an independent one; what digests see |
//! | `claims` | no text of a report reaches an answer |
//! | `compile_fail` | what does not compile |
//! | `conformance` | the committed kit |
//! | `examples` | every rule fires on its own example, and on no other |
//! | `explained_reads` | the typed read and the explaining walk agree |
//! | `fail_closed` | claims, gates and answers |
//! | `reports` | review reports are computed again |
//! | `rule_rows` | every rule is broken in more than one way |
//! | `two_rule_sets` | two rule sets in one process judge each by its own |
//! | `worst` | the worst document behind each check: findings, answers and time have limits |
//! | `schemas` | the JSON Schemas, judged by a validator that is not ours |
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and reads the conformance kit from the disk"
)]

mod bundles;
mod canonical_form;
mod claims;
mod compile_fail;
mod conformance;
mod documents;
mod examples;
mod explained_reads;
mod fail_closed;
mod kit_readme;
mod leaves;
mod memory;
mod packages;
mod reports;
mod rule_rows;
mod schemas;
mod scramble;
mod two_rule_sets;
mod worst;
