//! `svc app publisher`: the prepared proofs of a package's publisher, ready to paste. Nothing is looked up.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use svc_cli::{arguments, failure::Failure, output::escape::shell_word, scope::Scope};
use svc_core::{
    artifact::publisher_proof::{self, Proof, ProofMethod, TXT_PREFIX},
    manifest::model::Manifest,
    pack,
    words::gate::Gate,
};

use crate::{
    commands::app::pack::{Submitter, no_owner, read_manifest},
    named::Named,
    output::show::CommandOutput,
    package_arguments,
    report::{ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    let [id, ..] = package_arguments::owner();
    Command::new("publisher")
        .about("Show how the publisher of a package could be proved, ready to paste")
        .arg(arguments::input().value_name("DIR"))
        .arg(id)
}

pub(crate) fn run(matches: &ArgMatches) -> Result<CommandOutput, Failure> {
    let mut report = RunReport { scope: Scope::of_manifest(), ..RunReport::default() };
    let Some(input) = arguments::given_inputs(matches).into_iter().next() else {
        return Ok(CommandOutput::Report(report));
    };
    let input = Named::resolve(input)?.manifest();
    let id = arguments::text(matches, "owner-id").map(str::to_owned);
    let submitter = Submitter { id, name: None, visibility: None };
    let (_, bytes) = read_manifest(&input)?;
    let findings = match pack::read_manifest(rules(), &bytes) {
        Err(findings) => findings,
        Ok(draft) => match draft.manifest() {
            None => draft.shape_findings().clone(),
            Some(manifest) => {
                let owner = submitter.owner(&draft)?.ok_or_else(no_owner)?;
                let proofs = publisher_proof::proofs(manifest, &owner.id);
                return Ok(CommandOutput::Text(report, shown(manifest, owner.id.as_str(), &proofs)));
            }
        },
    };
    report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
    Ok(CommandOutput::Report(report))
}

fn shown(manifest: &Manifest, owner: &str, proofs: &[Proof]) -> String {
    let mut text = format!("{}, published by {}, submitted by {owner}\n", manifest.id, manifest.publisher.id);
    proofs.iter().for_each(|proof| push_proof(&mut text, proof));
    if !proofs.iter().any(|proof| proof.value.is_some()) {
        let _ = writeln!(
            text,
            "\nNo domain can speak for this id. Name one of yours in `publisher.url`, and start the id with it turned round:\n\
             `https://acme.dev` goes with `dev.acme.weather-board`."
        );
    }
    if !proofs.iter().any(|proof| proof.claim.is_some()) {
        let _ = writeln!(
            text,
            "\nNo build token can prove this id. Host the code at github.com or gitlab.com, and start the id with its account:\n\
             `https://github.com/acme/weather-board` goes with `io.github.acme.weather-board`."
        );
    }
    let gate = Gate::PublisherVerification;
    if !proofs.is_empty() {
        text.push_str(
            "\nAny one of these will be enough once a registry checks proofs. A new version needs no new value.\n",
        );
    }
    let _ = writeln!(
        text,
        "The gate {gate} stays {}: no registry looks proofs up yet, and svc connects to nothing.",
        gate.spec().status
    );
    text
}

fn push_proof(text: &mut String, proof: &Proof) {
    let value = proof.value.map(|value| value.to_string()).unwrap_or_default();
    let _ = match (proof.method, &proof.name, &proof.url, &proof.issuer, &proof.claim) {
        (ProofMethod::DnsTxt, Some(name), ..) => writeln!(
            text,
            "\nA TXT record\n  name    {name}\n  value   {TXT_PREFIX}{value}\n  look up dig +short TXT {}",
            shell_word(name.as_str())
        ),
        (ProofMethod::WellKnownHttps, _, Some(url), ..) => writeln!(
            text,
            "\nA file on the web\n  address {url}\n  body    {value}\n  look up curl --fail --silent {}",
            shell_word(url.as_str())
        ),
        (ProofMethod::OidcClaim, _, _, Some(issuer), Some(claim)) => {
            writeln!(text, "\nA token of the build\n  issuer  {issuer}\n  claim   {} = {}", claim.name, claim.value)
        }
        (ProofMethod::DnsTxt | ProofMethod::WellKnownHttps | ProofMethod::OidcClaim, ..) => Ok(()),
    };
}
