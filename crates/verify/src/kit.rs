//! The whole of the conformance kit, as far as it is posted: what the bundle of the caller cannot yield.
//!
//! A bundle of one version has no index with two, and holds only the attacks that fit every package. The rest is made of the
//! packages that are part of the program.

use svc_core::{
    attacks,
    contract::contracts::BASE_PATH,
    words::kind::{self, ArtifactSpec},
};

use crate::{
    probe::{self, EndpointProbes, Probe, ProbeBuilder},
    samples::Samples,
};

/// The packages of an index, as changes of the sample: two versions whose order by bytes is not that of their numbers, and
/// a version before a release.
const INDEXES: [(&str, &[&str]); 3] = [
    ("an index of two packages", &["{}", r#"{"id": "dev.acme.other-board"}"#]),
    ("an index of two versions", &[r#"{"version": "1.9.0"}"#, r#"{"version": "1.10.0"}"#]),
    (
        "an index of four versions",
        &[
            r#"{"version": "2.0.0"}"#,
            r#"{"version": "2.0.0-rc.2"}"#,
            r#"{"version": "2.0.0-rc.10"}"#,
            r#"{"version": "10.0.0"}"#,
        ],
    ),
];

/// The attacks on a report that only the package rules show. The kit has them as cases under the rules of this build, which
/// another registry need not have.
const NEED_PACKAGE_RULES: [&str; 3] = ["report-of-another-resealed", "fact-without-its-finding", "fact-of-no-kind"];

/// The probes of the kit, by endpoint.
///
/// # Errors
/// When this build's own samples cannot be used.
pub(crate) fn of_endpoints(samples: &Samples) -> Result<Vec<EndpointProbes>, String> {
    let with_endpoint = kind::ALL.iter().filter_map(|spec| Some((*spec, spec.endpoint?.path)));
    with_endpoint
        .map(|(spec, path)| {
            let files = samples.files();
            let builder = ProbeBuilder { spec, path: format!("{BASE_PATH}{path}"), files, samples };
            Ok(EndpointProbes { spec, path, probes: of_endpoint(&builder, samples)? })
        })
        .collect()
}

fn of_endpoint(builder: &ProbeBuilder<'_>, samples: &Samples) -> Result<Vec<Probe>, String> {
    let spec = builder.spec;
    let mut probes = vec![
        builder.evaluated_body("kit: valid", samples.good(spec)?.into())?,
        builder
            .evaluated_body("kit: rules that this registry does not have", under_other_rules(samples, spec)?.into())?,
    ];
    if spec.kind == kind::INDEX.kind {
        for (name, patches) in INDEXES {
            let index = samples.index_of(patches)?;
            // Entries are in the order of bytes, and refused in any other.
            for attack in attacks::ALL.iter().filter(|attack| attack.name == "index-reordered") {
                let forged = attack.forge(spec, &index, samples.other(spec)?).map_err(|error| error.to_string())?;
                probes.push(builder.refused_body(&format!("kit: {name}, reordered"), forged.into())?);
            }
            probes.push(builder.evaluated_body(&format!("kit: {name}"), index.into())?);
        }
    }
    // The others were tried on the bundle of the caller.
    let attacks = attacks::ALL.iter().filter(|attack| attack.applies_to(spec) && !probe::is_on_any(attack));
    for attack in attacks {
        let probe = builder.evaluated_body(attack.name, builder.forged(attack)?)?;
        let needs_package_rules = NEED_PACKAGE_RULES.contains(&attack.name);
        probes.push(Probe { name: format!("kit: {}", attack.name), needs_package_rules, ..probe });
    }
    Ok(probes)
}

fn under_other_rules(samples: &Samples, spec: &ArtifactSpec) -> Result<Vec<u8>, String> {
    let files = samples.under_other_rules()?;
    files.get(spec.file).cloned().ok_or_else(|| format!("{} is missing", spec.file))
}
