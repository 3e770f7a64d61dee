//! Places of a document, and the words that stand there.

use svc_cli::output::escape::Safe;
use svc_json::{pointer::Pointer, tree::Node};

pub(super) fn tree_at<'n, 'a>(node: &'n Node<'a>, pointer: &str) -> Option<&'n Node<'a>> {
    node.at(&Pointer::from_text(pointer))
}

/// The text at a place, safe to print; empty where there is none.
pub(super) fn word(node: &Node<'_>, pointer: &str) -> String {
    tree_at(node, pointer).and_then(Node::as_str).map(|text| Safe(text).to_string()).unwrap_or_default()
}
