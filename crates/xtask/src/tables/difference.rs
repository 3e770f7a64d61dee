//! The row whose document is a given one: the edits that make it of a base document.

use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};
use svc_json::canonical;
use svc_testkit::kit::Kit;

use super::computed::followed;

/// A shorter value is written rather than copied.
const LEAST_COPY: usize = 60;

/// The row whose document is this one, without its name and its expectation.
pub(crate) fn row_of(kit: &Kit, base: &str, document: &[u8]) -> Result<Map<String, Value>> {
    let mut row = Map::from_iter([("base".to_owned(), json!(base))]);
    let good = kit.value(&Value::Object(row.clone()));
    let changed = serde_json::from_slice::<Value>(document).ok().filter(|it| canonical::to_pretty(it) == document);
    if let Some(changed) = changed {
        let mut edits = Vec::new();
        Differ { kit, sources: [base, "index"] }.compare(&good, &changed, "", &mut edits);
        let (edits, computed) = parted(kit, &good, edits);
        let lists = [("edits", edits), ("computed", computed)].into_iter().filter(|(_, list)| !list.is_empty());
        row.extend(lists.map(|(name, list)| (name.to_owned(), list.into())));
    } else {
        row.insert("splice".to_owned(), splice(&canonical::to_pretty(&good), document)?);
    }
    ensure!(kit.document(&Value::Object(row.clone())) == document, "a row of {base} does not give its document");
    Ok(row)
}

/// Takes the edits apart that follow from the others, in the order in which they follow.
fn parted(kit: &Kit, good: &Value, edits: Vec<Value>) -> (Vec<Value>, Vec<Value>) {
    let (mut computed, mut edits): (Vec<Value>, Vec<Value>) = edits.into_iter().partition(|it| rank(it).is_some());
    computed.sort_by_key(rank);
    // What is wrong on purpose follows from nothing.
    loop {
        let mut value = good.clone();
        edits.iter().for_each(|edit| kit.apply(&mut value, edit));
        let wrong = computed.iter().position(|edit| {
            let follows = edit.get("at").and_then(Value::as_str).and_then(|at| followed(&value, at));
            kit.apply(&mut value, edit);
            follows.as_ref() != edit.get("value")
        });
        let Some(wrong) = wrong else { return (edits, computed) };
        edits.push(computed.remove(wrong));
    }
}

/// When a digest is computed: those of parts, then of submissions, of entries, of parents, of the document.
fn rank(edit: &Value) -> Option<u8> {
    let names: Vec<&str> = edit.get("at")?.as_str()?.split('/').collect();
    match names.as_slice() {
        [.., "artifactDigests", _, "digest" | "size"] => Some(0),
        [_, "documentDigest"] => Some(4),
        [.., "documentDigest"] => Some(1),
        [.., "submissionDigest"] => Some(2),
        [_, "derivedFrom", _, "digest"] => Some(3),
        _ => None,
    }
}

/// Finds the edits from one value to another. What a base document has somewhere is copied from there.
struct Differ<'k> {
    kit: &'k Kit,
    sources: [&'k str; 2],
}

impl Differ<'_> {
    fn compare(&self, old: &Value, new: &Value, at: &str, edits: &mut Vec<Value>) {
        match (old, new) {
            _ if old == new => {}
            _ if self.copy(new).is_some() => edits.push(self.edit("at", at, new)),
            (Value::Object(before), Value::Object(after)) => {
                let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
                names.sort();
                names.dedup();
                for name in names {
                    let at = format!("{at}/{name}");
                    match (before.get(name), after.get(name)) {
                        (Some(old), Some(new)) => self.compare(old, new, &at, edits),
                        (None, Some(new)) => edits.push(self.edit("at", &at, new)),
                        (_, None) => edits.push(json!({ "remove": at })),
                    }
                }
            }
            (Value::Array(before), Value::Array(after)) if after.iter().any(|it| it.is_object() || it.is_array()) => {
                self.compare_lists(before, after, at, edits);
            }
            _ => edits.push(self.edit("at", at, new)),
        }
    }

    fn compare_lists(&self, old: &[Value], new: &[Value], at: &str, edits: &mut Vec<Value>) {
        let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let (old_rest, new_rest) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
        let behind = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
        let (old_count, new_count) = (old.len() - behind, new.len() - behind);
        let both = old_count.min(new_count);
        for (place, (old, new)) in old.iter().zip(new).enumerate().take(both).skip(same) {
            self.compare(old, new, &format!("{at}/{place}"), edits);
        }
        let inserted = new.iter().enumerate().take(new_count).skip(both);
        edits.extend(inserted.map(|(place, new)| self.edit("insert", &format!("{at}/{place}"), new)));
        edits.extend((both..old_count).rev().map(|place| json!({ "remove": format!("{at}/{place}") })));
    }

    fn edit(&self, action: &str, at: &str, new: &Value) -> Value {
        let (name, source) = self.copy(new).map_or_else(|| ("value", new.clone()), |from| ("copy", from.into()));
        json!({ action: at, name: source })
    }

    fn copy(&self, value: &Value) -> Option<String> {
        if !(value.is_object() || value.is_array()) || canonical::to_bytes(value).len() < LEAST_COPY {
            return None;
        }
        let found = self.sources.iter().find_map(|name| Some((name, place_of(self.kit.documents.get(*name)?, value)?)));
        found.map(|(name, place)| if place.is_empty() { (*name).to_owned() } else { format!("{name}#{place}") })
    }
}

/// Where a value is in a document.
fn place_of(document: &Value, value: &Value) -> Option<String> {
    let within = |name: &dyn std::fmt::Display, it| Some(format!("/{name}{}", place_of(it, value)?));
    match document {
        _ if document == value => Some(String::new()),
        Value::Object(members) => members.iter().find_map(|(name, it)| within(name, it)),
        Value::Array(elements) => elements.iter().enumerate().find_map(|(place, it)| within(&place, it)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Which bytes of one text another has in their place, as far to the front as they go.
fn splice(old: &[u8], new: &[u8]) -> Result<Value> {
    let mut start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rests = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let behind = rests.0.iter().rev().zip(rests.1.iter().rev()).take_while(|(old, new)| old == new).count();
    let mut end = old.len() - behind;
    let mut text = new.get(start..new.len() - behind).unwrap_or_default().to_vec();
    while start == end && start > 0 && text.last() == old.get(start - 1) {
        text.rotate_right(1);
        (start, end) = (start - 1, end - 1);
    }
    Ok(json!([start, end, String::from_utf8(text)?]))
}
