//! A receipt: all that is needed to prove, offline, that a no is on record.
//!
//! | member | what |
//! |---|---|
//! | `record` | the record; its RFC 8785 form is the leaf's data |
//! | `index` | its place in the log, from zero; equal to `record.sequence` |
//! | `leafHash` | SHA-256 of a zero byte and the leaf's data (RFC 6962) |
//! | `proof` | the audit path, from the leaf's sibling up (RFC 6962, section 2.1.1) |
//! | `treeSize` `rootHash` | the tree that the path leads to |
//! | `checkpoint` | that tree, signed: a C2SP checkpoint in a C2SP signed note |
//!
//! A receipt proves nothing by its form. The check is the journal's, and it needs the log's public key from elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_json::digest::Digest;

use crate::{
    journal::{record::Record, scalars::Count},
    string_newtype,
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:receipt:1.0";

/// The most hashes of a proof: a log has fewer than 2^53 records.
pub const MOST_HASHES: u32 = 53;

string_newtype! {
    /// A signed checkpoint as text.
    pub struct CheckpointText {
        check: |text| (1..=4096).contains(&text.len()) && text.bytes().all(|byte| byte == b'\n' || (0x20..0x7f).contains(&byte) || byte >= 0x80),
        name: "checkpoint",
        rule: B015,
        expected: "a signed note of at most 4096 bytes",
        pattern: "^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]+$",
        max_length: 4096,
    }
}

/// A receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "receipt")]
pub struct Receipt {
    /// The signed tree.
    pub checkpoint: CheckpointText,
    /// The record's place, from zero.
    pub index: Count,
    /// The hash of the record.
    pub leaf_hash: Digest,
    /// The audit path.
    #[schemars(length(max = MOST_HASHES))]
    pub proof: Vec<Digest>,
    /// The record.
    pub record: Record,
    /// The tree's hash.
    pub root_hash: Digest,
    /// The tree's size.
    pub tree_size: Count,
}
