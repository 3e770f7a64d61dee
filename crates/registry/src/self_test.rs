//! Before a socket opens: the routes are driven in-process with a good bundle and with every attack on it.

use serde_json::Value;
use svc_core::{
    attacks::{self, SeenIn},
    bundle::Files,
    contract::contracts::BASE_PATH,
    samples,
    words::kind::{self, ArtifactSpec},
};

use crate::{answer::Answer, registry::Registry};

/// The packages that the self-test submits are part of the program, so that nothing outside can weaken it: the sample as
/// it is, and another made of it.
const GOOD: &str = "{}";
const OTHER: &str = r#"{"id": "dev.acme.other-board", "version": "2.0.0", "repository": null}"#;

/// How many answers were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Good documents that were denied, as they must be.
    pub denied: usize,
    /// Tampered documents that were refused.
    pub refused: usize,
}

/// Drives the six routes.
///
/// # Errors
/// What was not closed, or not refused.
pub fn run(registry: &Registry) -> Result<Passed, String> {
    let (good, other) = (bundle(GOOD)?, bundle(OTHER)?);
    let endpoints: Vec<&'static ArtifactSpec> =
        kind::ALL.iter().copied().filter(|spec| spec.endpoint.is_some()).collect();
    // Each kind on a thread of its own: the door stays closed until the last has passed.
    std::thread::scope(|scope| {
        let kinds: Vec<_> =
            endpoints.into_iter().map(|spec| scope.spawn(|| test_kind(registry, spec, &good, &other))).collect();
        let mut passed = Passed { denied: 0, refused: 0 };
        for kind in kinds {
            let of_kind = kind.join().map_err(|_| "the self-test itself failed".to_owned())??;
            passed.denied += of_kind.denied;
            passed.refused += of_kind.refused;
        }
        Ok(passed)
    })
}

fn test_kind(registry: &Registry, spec: &'static ArtifactSpec, good: &Files, other: &Files) -> Result<Passed, String> {
    let document = bytes_of(good, spec)?;
    expect(registry, spec, document, |status| status == 200, "a good document")?;
    let mut passed = Passed { denied: 1, refused: 0 };
    let (tree, other) = (tree_of(document)?, tree_of(bytes_of(other, spec)?)?);
    let attacks = attacks::ALL.iter().filter(|attack| attack.applies_to(spec));
    for attack in attacks.filter(|attack| attack.seen_in == SeenIn::Document && needs_no_second_entry(attack.name)) {
        let forged = attack.forge_from(spec, tree.clone(), &other);
        expect(registry, spec, &forged, |status| matches!(status, 400 | 422), attack.name)?;
        passed.refused += 1;
    }
    Ok(passed)
}

fn tree_of(document: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(document).map_err(|error| error.to_string())
}

/// The self-test's index has one entry; attacks on the order of two have nothing to turn round.
fn needs_no_second_entry(name: &str) -> bool {
    !matches!(name, "index-reordered" | "index-digest-swapped")
}

fn bundle(patch: &str) -> Result<Files, String> {
    samples::bundle(patch, 0).ok_or_else(|| "the self-test's own package cannot be made".to_owned())
}

fn bytes_of<'f>(files: &'f Files, spec: &ArtifactSpec) -> Result<&'f [u8], String> {
    files.get(spec.file).map(Vec::as_slice).ok_or_else(|| format!("{} is missing", spec.file))
}

fn expect(
    registry: &Registry,
    spec: &ArtifactSpec,
    body: &[u8],
    status_fits: impl Fn(u16) -> bool,
    what: &str,
) -> Result<(), String> {
    let answer = post(registry, spec, body);
    if !is_closed(&answer.body) {
        return Err(format!("{}: {what}: the answer is not closed", spec.name));
    }
    if !status_fits(answer.status) {
        return Err(format!("{}: {what}: the status is {}", spec.name, answer.status));
    }
    Ok(())
}

/// Posts a body to the endpoint of its kind, past the door: the self-test needs no token.
fn post(registry: &Registry, spec: &ArtifactSpec, body: &[u8]) -> Answer {
    let path = format!("{BASE_PATH}{}", spec.endpoint.map_or("", |endpoint| endpoint.path));
    registry.evaluate_at(&path, body)
}

/// Read here with other eyes than the guard's.
fn is_closed(body: &[u8]) -> bool {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return false };
    let flags = ["accepted", "signed", "installable"];
    let gates = body.get("missingGates").and_then(Value::as_array).is_some_and(|gates| gates.len() >= 5);
    gates && flags.iter().all(|flag| body.get(flag) == Some(&Value::Bool(false)))
}
