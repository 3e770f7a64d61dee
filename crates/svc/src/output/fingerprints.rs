//! A name for each finding of a report, which stays when lines move and which no other finding of the report has.

use std::collections::BTreeMap;

use svc_json::digest::Digest;

use crate::report::Located;

/// The names, in the order of the findings. What has the name of another gets a number on top, and a new name of both.
pub(super) fn unique(findings: &[Located<'_>]) -> Vec<Digest> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let names = findings.iter().map(|(_, finding)| {
        let name = finding.fingerprint();
        let number = seen.entry(name.to_string()).or_default();
        *number += 1;
        if *number == 1 { name } else { Digest::of(format!("{name}\n{number}").as_bytes()) }
    });
    names.collect()
}
