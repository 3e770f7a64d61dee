//! What an artifact has that no other kind has: what a host would grant, how a publisher could be proved, what would be
//! signed, and where evidence would be stored.

use std::fmt::Write as _;

use svc_json::tree::Node;

use super::at::{tree_at, word};

/// The lines of the kind, empty where it has nothing of its own.
pub(super) fn describe(root: &Node<'_>) -> String {
    let mut text = String::new();
    push_policy(&mut text, root);
    push_proofs(&mut text, root);
    push_statement(&mut text, root);
    if tree_at(root, "/storage/key").is_some() {
        let _ = writeln!(text, "Storage   {}  {}", word(root, "/storage/key"), word(root, "/storage/status"));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn elements<'n, 'a>(root: &'n Node<'a>, pointer: &str) -> &'n [Node<'a>] {
    tree_at(root, pointer).map(Node::elements).unwrap_or_default()
}

/// What the package asks a host for.
fn push_policy(text: &mut String, root: &Node<'_>) {
    if tree_at(root, "/policy").is_none() {
        return;
    }
    for asked in elements(root, "/policy/permissions") {
        let _ = writeln!(text, "Asks for  {:<22} {} risk", word(asked, "/permission"), word(asked, "/risk"));
    }
    for origin in elements(root, "/policy/origins") {
        let _ = writeln!(text, "Reaches   {}", word(origin, ""));
    }
    for data in elements(root, "/policy/dataCollection") {
        let _ = writeln!(text, "Collects  {}", word(data, ""));
    }
    let _ = writeln!(text, "Isolation {}  for host {}", word(root, "/policy/isolation"), word(root, "/policy/host"));
}

/// How control of the namespace could be shown one day.
fn push_proofs(text: &mut String, root: &Node<'_>) {
    let Some(proofs) = tree_at(root, "/proofs") else { return };
    let publisher = format!("Publisher {}  {}", word(root, "/publisher/id"), word(root, "/publisher/url"));
    let _ = writeln!(text, "{}", publisher.trim_end());
    for proof in proofs.elements() {
        let places = ["/name", "/url", "/issuer"].map(|place| word(proof, place));
        let place = places.iter().find(|place| !place.is_empty()).cloned().unwrap_or_default();
        let value = [word(proof, "/value"), word(proof, "/claim/value")].concat();
        let _ = writeln!(text, "Proof     {:<16} {}  {place}  {value}", word(proof, "/method"), word(proof, "/status"));
    }
    if proofs.elements().is_empty() {
        text.push_str("Proof     none can be prepared: the id does not lie below a domain of the publisher\n");
    }
}

/// What a signer would put its name to. Nobody has.
fn push_statement(text: &mut String, root: &Node<'_>) {
    if tree_at(root, "/statement").is_none() {
        return;
    }
    let _ = writeln!(text, "Statement {}  {}", word(root, "/statement/_type"), word(root, "/statement/predicateType"));
    for subject in elements(root, "/statement/subject") {
        let _ = writeln!(text, "Subject   {:<16} sha256:{}", word(subject, "/name"), word(subject, "/digest/sha256"));
    }
    let _ = writeln!(text, "Signed by {}", signers(elements(root, "/envelope/signatures").len()));
}

fn signers(count: usize) -> String {
    if count == 0 { "nobody".to_owned() } else { format!("{count} signatures, which are none of ours") }
}
