//! A long campaign in parts: what is done stays done, and the next run goes on.
//!
//! What the parts left is kept in the repository, beside the digest of the code that they ran on. Code that has changed since
//! begins anew, so that a row never adds up runs of two programs.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::process::{command, root};

/// Where the parts are kept.
const FOLDER: &str = "docs/campaigns";

/// What the parts of a campaign left so far.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct CampaignParts {
    /// Git's digest of the folder of the crates.
    covers: String,
    of: usize,
    parts: Vec<Value>,
    #[serde(skip)]
    path: PathBuf,
}

impl CampaignParts {
    /// The parts of a campaign that were run on this very code.
    pub(crate) fn begin(name: &str, of: usize) -> Result<Self> {
        let path = root().join(FOLDER).join(format!("{name}.json"));
        let covers = code()?;
        let kept = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let parts = kept.filter(|kept| kept.covers == covers && kept.of == of).map_or_else(Vec::new, |kept| kept.parts);
        Ok(Self { covers, of, parts, path })
    }

    /// The number of the next part, if one is left, as the tests read it.
    pub(crate) fn next(&self) -> Option<String> {
        (self.parts.len() < self.of).then(|| format!("{}/{}", self.parts.len(), self.of))
    }

    /// Adds what a part left, and keeps it.
    pub(crate) fn add(&mut self, record: Value) -> Result<()> {
        self.parts.push(record);
        let folder = self.path.parent().context("no folder")?;
        fs::create_dir_all(folder)?;
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// All parts as one record.
    pub(crate) fn sum(&self) -> Value {
        let mut counts: Vec<(String, u64)> = Vec::new();
        let mut found: Vec<Value> = Vec::new();
        for part in &self.parts {
            for pair in part.get("counts").and_then(Value::as_array).into_iter().flatten() {
                let what = pair.get(0).and_then(Value::as_str).unwrap_or_default();
                let count = pair.get(1).and_then(Value::as_u64).unwrap_or_default();
                match counts.iter_mut().find(|(known, _)| known == what) {
                    Some((_, sum)) if what.ends_with("at most") => *sum = count.max(*sum),
                    Some((_, sum)) => *sum += count,
                    None => counts.push((what.to_owned(), count)),
                }
            }
            found.extend(part.get("found").and_then(Value::as_array).into_iter().flatten().cloned());
        }
        if self.parts.len() < self.of {
            counts.push((format!("of {} parts so far", self.of), self.parts.len() as u64));
        }
        let first = self.parts.first();
        let text = |member: &str| first.and_then(|part| part.get(member)).cloned().unwrap_or_default();
        json!({"counts": counts, "found": found, "seed": text("seed"), "tried": text("tried")})
    }
}

/// What the campaigns run on. Code that is not committed has no name, and is never gone on with.
fn code() -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = command("git", arguments).output().context("git is needed to name the code")?;
        ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changed = git(&["status", "--porcelain", "--", "crates"])?;
    Ok(if changed.is_empty() { git(&["rev-parse", "HEAD:crates"])? } else { format!("changed: {changed}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_what_is_left_is_said() {
        let record = |kills: u64, slowest: u64| json!({"counts": [["kills", kills], ["milliseconds, at most", slowest]], "found": [], "seed": "0x1", "tried": "t"});
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kills.json");
        let mut parts = CampaignParts { covers: "a".to_owned(), of: 2, parts: Vec::new(), path };
        assert_eq!(parts.next().as_deref(), Some("0/2"));
        parts.add(record(3, 9)).unwrap();
        assert_eq!(parts.next().as_deref(), Some("1/2"));
        let so_far = json!([["kills", 3], ["milliseconds, at most", 9], ["of 2 parts so far", 1]]);
        assert_eq!(parts.sum()["counts"], so_far);
        parts.add(record(4, 5)).unwrap();
        assert_eq!(parts.next(), None);
        assert_eq!(parts.sum()["counts"], json!([["kills", 7], ["milliseconds, at most", 9]]));
        let kept: CampaignParts = serde_json::from_slice(&fs::read(&parts.path).unwrap()).unwrap();
        assert_eq!((kept.parts.len(), kept.covers.as_str()), (2, "a"));
    }
}
