//! A manifest as it was meant: misspelt names and words put right, so that one slip is told once and not again by every
//! rule that misses what stands under it.

use std::borrow::Cow;

use svc_json::{
    pointer::Pointer,
    tree::{Node, Value},
};

use crate::{
    finding::{Finding, Mark},
    fix::SuggestedFix,
};

/// The tree with the suggested fixes of these findings. Every value keeps its place in the source.
#[must_use]
pub fn as_meant<'n, 'a>(root: &'n Node<'a>, findings: &[Finding]) -> Cow<'n, Node<'a>> {
    let mut meant = Cow::Borrowed(root);
    for finding in findings {
        if let Some(word) = finding.fix.as_ref().and_then(word_of) {
            put(meant.to_mut(), finding, word);
        }
    }
    meant
}

/// The word that stands in place of another.
fn word_of(fix: &SuggestedFix) -> Option<&str> {
    match fix {
        SuggestedFix::Replace(text) => text.strip_prefix('"')?.strip_suffix('"'),
        SuggestedFix::AddMember(_) | SuggestedFix::RemoveElement => None,
    }
}

fn put(root: &mut Node<'_>, finding: &Finding, word: &str) {
    match finding.mark {
        Mark::Name => {
            let Some((parent, name)) = finding.pointer.split_last() else { return };
            let Some(Value::Object(members)) = at_mut(root, &parent).map(|node| &mut node.value) else { return };
            if let Some(member) = members.iter_mut().find(|member| member.key == name) {
                member.key = Cow::Owned(word.to_owned());
            }
        }
        Mark::Value => {
            if let Some(node) = at_mut(root, &finding.pointer) {
                node.value = Value::String(Cow::Owned(word.to_owned()));
            }
        }
    }
}

fn at_mut<'n, 'a>(root: &'n mut Node<'a>, pointer: &Pointer) -> Option<&'n mut Node<'a>> {
    let Some((parent, name)) = pointer.split_last() else { return Some(root) };
    let parent = at_mut(root, &parent)?;
    match &mut parent.value {
        Value::Array(elements) => elements.get_mut(name.parse::<usize>().ok()?),
        Value::Object(members) => members.iter_mut().find(|member| member.key == name).map(|member| &mut member.value),
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::RefusedNumber | Value::String(_) => None,
    }
}
