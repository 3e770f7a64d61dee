//! `svc log check-receipt`: from a receipt to a verdict, offline.

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{
    arguments::{self, given_path, text},
    failure::Failure,
    files::{read::Input, user_file::read_bounded},
    log::witnessed::{self, WitnessVerdict, WitnessedPlace},
    output::{escape::Safe, format::Format},
    policy_file, public_keys, registry_client,
    scope::{Scope, Why},
};
use svc_core::{
    diagnostics::{RunScope, ScopePart},
    journal::record::Record,
    words::{exit_code::ExitCode, review_depth::ReviewDepth},
};
use svc_json::printable;
use svc_proof::{
    public_key::PublicKeys,
    receipt::{MOST_BYTES, Proven, Unproven, check_file},
    tlog_proof::TlogProof,
};
use svc_verify::hand_over;

pub(super) fn command() -> Command {
    Command::new("check-receipt")
        .about("Check, offline, that a receipt proves a recorded denial")
        .arg(arguments::input().help(
            "A receipt, an answer with one inside, or a proof in the form of C2SP tlog-proof; - for standard input",
        ))
        .arg(
            arguments::path("record", "FILE")
                .long("record")
                .help("The bytes of the record, for a C2SP tlog-proof that does not hold them as `extra`"),
        )
        .arg(public_keys::argument())
        .arg(public_keys::hand_overs_argument())
        .arg(policy_file::argument())
        .arg(clap::Arg::new("checkpoint").long("checkpoint").value_name("FILE|DIR|URL").help(
            "Where a state is that the witnesses of --policy cosigned: a checkpoint of the same state, or an exported log or a registry, which \
             show that the log has grown into it",
        ))
        .args(registry_client::arguments("read"))
        .after_help(
            "Examples\n  svc log check-receipt answer.json --public-key journal.pub\n  \
             svc log check-receipt answer.json --policy witnesses.policy --checkpoint https://registry.example",
        )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReceiptVerdict<'a> {
    origin: &'a str,
    proven: bool,
    record: &'a Record,
    scope: RunScope<'static>,
    tree_size: u64,
    whole_answer: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    witnesses: Option<WitnessVerdict>,
}

/// Checks a receipt, with the keys of `--public-key`, else those of the policy.
pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let policy = policy_file::given(arguments)?;
    if policy.is_none() && text(arguments, "checkpoint").is_some() {
        return Err(Failure::usage("`--checkpoint` is for `--policy`, which is not given", "give --policy FILE too"));
    }
    let keys = match (given_path(arguments, "public-key"), witnessed::keys_of(policy.as_ref())) {
        (None, Some(keys)) => keys,
        (Some(_), _) => public_keys::given(arguments, None)?,
        (None, None) => {
            return Err(Failure::usage(
                "a receipt must be checked with a public key, and none was given",
                "give --public-key FILE, with the keys that the operator publishes; the operator has them as journal.pub in the data folder",
            ));
        }
    };
    let keys = public_keys::followed(arguments, keys)?;
    let inputs = arguments::given_inputs(arguments);
    let input = inputs.first().cloned().unwrap_or(Input::Stdin);
    let bytes = read_bounded(&input, MOST_BYTES as u64).map_err(|error| Failure::reading(&input.label(), &error))?;
    // The same reading as for kept answers: whatever else is wrong with the file hides no open claim.
    if !hand_over::open_claims(&bytes).is_empty() {
        return Err(unproven(&input.label(), Unproven::NotARefusal));
    }
    let record = given_path(arguments, "record").map(Input::Path);
    let mut signed_text = None;
    let proven = if TlogProof::is_meant(&bytes) {
        let (proven, text) = check_text(&bytes, record.as_ref(), &keys, &input.label())?;
        signed_text = Some(text);
        proven
    } else if record.is_some() {
        return Err(Failure::usage("`--record` is for a C2SP tlog-proof, and the file is none", "leave --record out"));
    } else {
        check_file(&bytes, &keys).map_err(|reason| unproven(&input.label(), reason))?
    };
    let witnesses = match &policy {
        None => None,
        Some(policy) => {
            let place = text(arguments, "checkpoint").map(|text| WitnessedPlace::given(text, arguments)).transpose()?;
            let own = signed_text.as_deref().unwrap_or(proven.checkpoint.text().as_str());
            let state = (own, &proven.checkpoint);
            Some(WitnessVerdict::new(&witnessed::of_state(state, policy, &keys, place.as_ref())?))
        }
    };
    let seen = witnesses.as_ref().map_or_else(String::new, WitnessVerdict::in_words);
    let scope = Scope::of_log([
        (ScopePart::Receipt, None),
        (ScopePart::Answer, (!proven.with_answer).then_some(Why::ReceiptAlone)),
        (ScopePart::LogKey, None),
        (ScopePart::Cosignatures, WitnessVerdict::unseen(witnesses.as_ref())),
        (ScopePart::Records, Some(Why::OneRecord)),
    ]);
    let verdict = ReceiptVerdict {
        origin: keys.origin(),
        proven: true,
        record: &proven.record,
        scope: scope.to_report(),
        tree_size: proven.checkpoint.size(),
        whole_answer: proven.with_answer,
        witnesses,
    };
    Ok(match format {
        Format::Json => String::from_utf8_lossy(&printable::pretty(&verdict)).into_owned(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            in_words(&proven, keys.origin()) + &seen + &scope.in_lines()
        }
    })
}

/// Checks a C2SP tlog-proof, with the record that was given, else with the one that it holds.
/// With the checkpoint as it stands in the proof, with all its signatures.
fn check_text(
    bytes: &[u8],
    record: Option<&Input>,
    keys: &PublicKeys,
    label: &str,
) -> Result<(Proven, String), Failure> {
    let proof = TlogProof::parse(bytes).ok_or_else(|| unproven(label, Unproven::Malformed))?;
    let record = match record {
        Some(file) => {
            Some(read_bounded(file, MOST_BYTES as u64).map_err(|error| Failure::reading(&file.label(), &error))?)
        }
        None => proof.record.clone(),
    };
    let record = record.ok_or_else(|| {
        Failure::usage(
            "the proof does not hold the record that it is about",
            "give --record FILE with the bytes of the record, as the log's entry bundle has them",
        )
    })?;
    let proven = proof.check(&record, keys).map_err(|reason| unproven(label, reason))?;
    Ok((proven, proof.checkpoint))
}

fn in_words(proven: &Proven, origin: &str) -> String {
    let record = &proven.record;
    let reviewed = record.reviewed().map(ReviewDepth::from);
    let reviewed = reviewed.map_or_else(String::new, |depth| format!("reviewed {depth}: {}\n", depth.meaning()));
    let decision = record.decision_id().map_or_else(String::new, |id| format!("decision {id}\n"));
    let problem = record.problem().map_or_else(String::new, |code| format!("problem {code}\n"));
    let answer = if proven.with_answer { "the answer in the file is the one on record\n" } else { "" };
    format!(
        "on record: {} by {}, at {}\n{decision}{reviewed}{problem}record {} of {} in {}\n{answer}",
        record.outcome(),
        record.operation(),
        record.time(),
        record.sequence(),
        proven.checkpoint.size(),
        Safe(origin),
    )
}

fn unproven(label: &str, reason: Unproven) -> Failure {
    let exit = if reason == Unproven::NotARefusal { ExitCode::OpenClaim } else { ExitCode::Digest };
    Failure {
        exit,
        message: format!("{label} proves nothing: {} ({})", reason.reason(), reason.code()),
        help: Some("docs/reference/journal.md lists what is checked, in order".to_owned()),
    }
}
