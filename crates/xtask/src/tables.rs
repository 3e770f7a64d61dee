//! The tables of the conformance kit. A row is an edit of a base document, and what is expected of it.
//!
//! Rows are written by hand, but for those of the attacks, which are made from the documents that the attacks come to. What
//! follows from an edit by computation (digests, sizes, hashes, a signature of the log) is in `computed`: an author writes the
//! places alone, and `cargo xtask generate` fills in the values, also after the base documents changed.

mod computed;
mod difference;
mod layout;

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use svc_testkit::kit::Kit;

use self::computed::followed;
pub(crate) use self::difference::row_of;

use svc_gates::process;

use crate::tree::Tree;

/// The committed rows of a table, if there is one.
pub(crate) fn committed(table: &str) -> Result<Option<Vec<Value>>> {
    let Ok(bytes) = fs::read(process::root().join(path(table))) else { return Ok(None) };
    serde_json::from_slice(&bytes).with_context(|| format!("{table}.json"))
}

/// Adds a table.
pub(crate) fn insert(files: &mut Tree, table: &str, rows: &[Value]) {
    files.insert(path(table), layout::table(rows).into_bytes());
}

fn path(table: &str) -> PathBuf {
    PathBuf::from(format!("conformance/{table}.json"))
}

/// The rows with every computed value refreshed.
pub(crate) fn refreshed(kit: &Kit, rows: Vec<Value>) -> Result<Vec<Value>> {
    rows.into_iter().map(|row| refresh(kit, row)).collect()
}

fn refresh(kit: &Kit, mut row: Value) -> Result<Value> {
    if row.get("base").is_none() {
        return Ok(row);
    }
    let computed = row.as_object_mut().and_then(|row| row.remove("computed"));
    let mut value = kit.value(&row);
    let mut filled = Vec::new();
    for edit in computed.as_ref().and_then(Value::as_array).into_iter().flatten() {
        let at = edit.get("at").and_then(Value::as_str).context("a computed value without a place")?;
        let edit = json!({ "at": at, "value": followed(&value, at).with_context(|| format!("{at} of {row}"))? });
        kit.apply(&mut value, &edit);
        filled.push(edit);
    }
    if let Some(digest) = row.pointer_mut("/expect/digest") {
        *digest = value.get("documentDigest").cloned().unwrap_or_default();
    }
    if let Some(members) = row.as_object_mut().filter(|_| !filled.is_empty()) {
        members.insert("computed".to_owned(), filled.into());
    }
    Ok(row)
}
