//! From a checked artifact to the next.

use svc_json::pointer::Pointer;

use crate::{
    artifact::{
        about_package::AboutPackage,
        checked::{self, Checked, IsArtifact},
        head::Parent,
    },
    findings::Findings,
    rules::ruleset::Rules,
    words::rule_code::RuleCode,
};

/// A kind that is derived from one other.
pub trait Derived: AboutPackage {
    /// The parent's kind.
    type Parent: AboutPackage;

    /// The report that the child embeds, taken from its parent.
    fn report_from(parent: &Checked<Self::Parent>) -> Self::Report;
}

/// Derives a child from its checked parent.
///
/// # Errors
/// When the child would not hold: it would be larger than the registry reads.
pub fn derive<C: Derived>(parent: &Checked<C::Parent>) -> Result<Checked<C>, Findings> {
    seal_built(parent.rules(), expected::<C>(parent))
}

/// What a child of this parent says, not sealed: for the comparison with one that is.
pub(crate) fn expected<C: Derived>(parent: &Checked<C::Parent>) -> C {
    C::assemble(parent.basis().inherited_parts(), vec![Parent::from_checked(parent)], C::report_from(parent))
}

/// Seals an artifact that was just built, when the registry would read a file of its size.
///
/// # Errors
/// The findings, should what was built not hold.
pub(crate) fn seal_built<A: IsArtifact>(rules: &Rules, artifact: A) -> Result<Checked<A>, Findings> {
    let checked = checked::seal(rules, artifact)?;
    if checked.to_file().len() > A::SPEC.most_bytes {
        let message = format!("`{}` would be larger than {} bytes", A::SPEC.file, A::SPEC.most_bytes);
        return Err(rules.finding(RuleCode::F016, message).at(Pointer::from_text("/files")).into());
    }
    Ok(checked)
}
