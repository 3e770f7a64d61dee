//! What a campaign left: what is done stays done, and the next run of one in parts goes on.
//!
//! What the parts left is kept in the repository, beside the digest of the code that they ran on. Code that has changed since
//! begins anew, so that a row never adds up runs of two programs.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use svc_gates::process::{command, root};

/// Where the parts of all campaigns are kept, by name.
pub(crate) const FILE: &str = "assurance/campaigns.json";

type Kept = BTreeMap<String, CampaignRecord>;

/// What the parts of a campaign left so far.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CampaignRecord {
    /// The commit that it ran on last.
    pub(crate) commit: String,
    /// Git's digest of the folder of the crates.
    covers: String,
    of: usize,
    parts: Vec<Value>,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    path: PathBuf,
}

impl CampaignRecord {
    /// The record of a campaign that is to run: of one that was cut short on this very code, what it left so far.
    pub(crate) fn begin(name: &str, of: usize) -> Result<Self> {
        let (commit, covers) = code()?;
        let cut_short = |kept: &Self| kept.covers == covers && kept.of == of && kept.parts.len() < of;
        let parts = Self::read(name).filter(cut_short).map_or_else(Vec::new, |kept| kept.parts);
        Ok(Self { commit, covers, of, parts, name: name.to_owned(), path: root().join(FILE) })
    }

    /// The record that is kept of a campaign.
    pub(crate) fn read(name: &str) -> Option<Self> {
        read(&root().join(FILE)).remove(name)
    }

    /// The number of the next part, if one is left, as the tests read it.
    pub(crate) fn next(&self) -> Option<String> {
        (self.parts.len() < self.of).then(|| format!("{}/{}", self.parts.len(), self.of))
    }

    /// Adds what a part left, and keeps it.
    pub(crate) fn add(&mut self, record: Value) -> Result<()> {
        self.parts.push(record);
        let mut all = read(&self.path);
        all.insert(self.name.clone(), self.clone());
        // A line for each campaign.
        let lines = all.iter().map(|(name, kept)| Ok(format!("{}: {}", json!(name), serde_json::to_string(kept)?)));
        let text = format!("{{\n{}\n}}\n", lines.collect::<Result<Vec<String>>>()?.join(",\n"));
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

fn read(path: &Path) -> Kept {
    fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// The commit, and the digest of the code. Code that is not committed has no name, and is never gone on with.
fn code() -> Result<(String, String)> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = command("git", arguments).output().context("git is needed to name the code")?;
        ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", "crates", "examples", "sdk", "Cargo.toml", "Cargo.lock"])?;
    if changed.is_empty() {
        return Ok((commit, git(&["rev-parse", "HEAD:crates"])?));
    }
    Ok((format!("{commit} and changes"), format!("changed: {changed}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_what_is_left_is_said() {
        let record = |kills: u64, slowest: u64| json!({"counts": [["kills", kills], ["milliseconds, at most", slowest]], "found": [], "seed": "0x1", "tried": "t"});
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("campaigns.json");
        let mut parts = CampaignRecord {
            commit: "c".to_owned(),
            covers: "a".to_owned(),
            of: 2,
            parts: Vec::new(),
            name: "kills".to_owned(),
            path,
        };
        assert_eq!(parts.next().as_deref(), Some("0/2"));
        parts.add(record(3, 9)).unwrap();
        assert_eq!(parts.next().as_deref(), Some("1/2"));
        let so_far = json!([["kills", 3], ["milliseconds, at most", 9], ["of 2 parts so far", 1]]);
        assert_eq!(parts.sum()["counts"], so_far);
        parts.add(record(4, 5)).unwrap();
        assert_eq!(parts.next(), None);
        assert_eq!(parts.sum()["counts"], json!([["kills", 7], ["milliseconds, at most", 9]]));
        let kept = read(&parts.path).remove("kills").unwrap();
        assert_eq!((kept.parts.len(), kept.covers.as_str()), (2, "a"));
    }
}
