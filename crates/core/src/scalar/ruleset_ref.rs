//! Which rules a document was made with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_json::digest::Digest;

use crate::scalar::ident::Version;

/// Which rules an artifact was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ruleset")]
pub struct RulesetRef {
    /// The digest over every rule's code, severity, parameters and revision.
    pub digest: Digest,
    /// The version for people.
    pub version: Version,
}
