//! One blocker: what stands between a package and the next stage, and who can clear it. Facts alone: whoever shows one
//! writes the sentence.

use crate::{
    scalar::any_rule_code::is_rule_code,
    string_newtype, wire_struct,
    words::{
        gate::{Clearer, Gate, GateWord},
        stage::Stage,
    },
};

wire_struct! {
    /// What stands between the package and the next stage, and who can clear it.
    Blocker "blocker" {
        /// The stage that is out of reach.
        blocks_stage: Stage,
        /// The rule, gate or choice behind it.
        code: BlockerCode,
        /// The gate, when it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        gate: Option<Gate>,
        /// Who can clear it.
        owner: Clearer,
        /// The gate's word.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<GateWord>,
    }
}

string_newtype! {
    /// A rule, a gate or a choice that blocks.
    pub struct BlockerCode {
        check: |text| is_rule_code(text) || Gate::parse(text).is_some() || text == PUBLIC_LISTING,
        name: "blocker-code",
        rule: B015,
        expected: "the code of a rule, a gate, or `public-listing`",
        pattern: "^(SVC-[A-Z][0-9]{3}|[a-z]+(-[a-z]+)+)$",
        max_length: 40,
    }
}

/// The blocker that comes with `--visibility public`.
pub(super) const PUBLIC_LISTING: &str = "public-listing";

impl BlockerCode {
    /// A code of ours. Each has the form: a test reads them all.
    pub(super) fn new(code: &str) -> Self {
        Self(code.to_owned())
    }
}

impl Blocker {
    /// Whether it keeps the package out of every collection, whoever can clear it.
    pub(crate) fn keeps_out(&self) -> bool {
        self.blocks_stage == Stage::CollectionEntry
    }
}
