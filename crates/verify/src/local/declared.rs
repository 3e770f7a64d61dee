//! What ledger and contract declare, against the specification's own words.

use serde_json::Value;
use svc_core::verification::FaultCode;

use super::committed::{API_CONTRACT, Contracts, LEDGER};
use crate::{
    check::{CheckFault, VerifierCheck, cut},
    seed,
};

/// The ledger, row by row.
pub(super) fn ledger(ledger: Option<&Value>) -> Vec<VerifierCheck> {
    let area = "ledger";
    let checks = rows_of_ledger(area, ledger);
    if ledger.is_some() { checks } else { unreadable(checks, LEDGER) }
}

fn rows_of_ledger(area: &str, ledger: Option<&Value>) -> Vec<VerifierCheck> {
    let rows = list(ledger, "gates");
    let mut checks: Vec<VerifierCheck> = seed::LEDGER
        .iter()
        .enumerate()
        .map(|(index, (gate, local, word))| {
            let row = rows.get(index);
            let found = ["gate", "localStatus", "status"].map(|member| text(row, member));
            let same = found == [*gate, *local, *word];
            let message = || {
                let [gate_found, local_found, word_found] = found.map(cut);
                format!(
                    "row {}: specified {gate}, {local}, {word}; found {gate_found}, {local_found}, {word_found}",
                    index + 1
                )
            };
            VerifierCheck::ran(area, format!("the row of {gate}"), fault(same, FaultCode::GateDiffers, message))
        })
        .collect();
    let count = rows.len();
    checks.push(VerifierCheck::ran(
        area,
        "exactly six gates",
        fault(count == seed::LEDGER.len(), FaultCode::GateDiffers, || format!("the ledger has {count} gates, not six")),
    ));
    checks.push(VerifierCheck::ran(area, "gateStatuses mirrors the rows", mirrors(ledger)));
    checks.push(VerifierCheck::ran(area, "five gates are missing", missing_gates(ledger)));
    let described: Vec<&str> = list(ledger, "packagesAre").iter().filter_map(Value::as_str).collect();
    checks.push(VerifierCheck::ran(
        area,
        "how packages may be described",
        fault(described == seed::PACKAGES_ARE, FaultCode::WrongWording, || {
            format!("packagesAre is [{}]", cut(&described.join(", ")))
        }),
    ));
    checks
}

fn mirrors(ledger: Option<&Value>) -> Vec<CheckFault> {
    let statuses = ledger.and_then(|ledger| ledger.get("gateStatuses")).and_then(Value::as_object);
    let same = statuses.is_some_and(|statuses| {
        let word = |gate: &str| statuses.get(gate).and_then(Value::as_str);
        statuses.len() == seed::LEDGER.len() && seed::LEDGER.iter().all(|(gate, _, known)| word(gate) == Some(known))
    });
    fault(same, FaultCode::GateDiffers, || "gateStatuses has other gates or words than the specification".to_owned())
}

fn missing_gates(document: Option<&Value>) -> Vec<CheckFault> {
    let named: Vec<&str> = list(document, "missingGates").iter().filter_map(Value::as_str).collect();
    fault(named.iter().copied().eq(seed::missing()), FaultCode::GateDiffers, || {
        format!("missingGates is [{}]", cut(&named.join(", ")))
    })
}

/// The API contract and the routes: the six endpoints and no other.
pub(super) fn contract(contract: Option<&Value>, routes: &[(String, String)]) -> Vec<VerifierCheck> {
    let area = "API contract";
    let checks = rows_of_contract(area, contract, routes);
    if contract.is_some() { checks } else { unreadable(checks, API_CONTRACT) }
}

/// What is not there claims nothing: its checks fail because it cannot be read.
fn unreadable(checks: Vec<VerifierCheck>, name: &str) -> Vec<VerifierCheck> {
    checks.into_iter().map(|check| VerifierCheck::ran(check.area, check.name, unread(name))).collect()
}

fn rows_of_contract(area: &str, contract: Option<&Value>, routes: &[(String, String)]) -> Vec<VerifierCheck> {
    let operations = list(contract, "operations");
    let base = text(contract, "basePath");
    let mut checks = vec![VerifierCheck::ran(
        area,
        "the base path",
        fault(base == seed::BASE_PATH, FaultCode::ContractDrift, || {
            format!("basePath is `{}`, not `{}`", cut(base), seed::BASE_PATH)
        }),
    )];
    for (path, payload) in seed::SIX_POSTS {
        let alike = operations.iter().filter(|operation| {
            let is = |member, word| text(Some(operation), member) == word;
            is("method", "POST") && is("path", path) && is("payload", payload)
        });
        let declared = alike.count() == 1;
        let whole = format!("{}{path}", seed::BASE_PATH);
        let routed = routes.iter().filter(|(method, path)| method == "POST" && *path == whole).count() == 1;
        let mut faults = fault(declared, FaultCode::ContractDrift, || {
            format!("the contract does not have POST {path} for {payload}")
        });
        faults.extend(fault(routed, FaultCode::ContractDrift, || format!("this build has no route POST {whole}")));
        checks.push(VerifierCheck::ran(area, format!("POST {path}"), faults));
    }
    let (declared, routed) = (operations.len(), routes.len());
    checks.push(VerifierCheck::ran(
        area,
        "exactly six endpoints",
        fault(declared == 6 && routed == 6, FaultCode::ContractDrift, || {
            format!("the contract has {declared} operations and this build {routed} routes that evaluate, not six")
        }),
    ));
    checks.push(VerifierCheck::ran(area, "five gates are missing", missing_gates(contract)));
    let outcome = contract.and_then(|contract| contract.get("outcome")).and_then(Value::as_object);
    let closed = outcome.is_some_and(|outcome| {
        outcome.len() == seed::FLAGS.len()
            && seed::FLAGS.iter().all(|flag| outcome.get(*flag) == Some(&Value::Bool(false)))
    });
    let message = || "/outcome must hold `false` three times".to_owned();
    checks.push(VerifierCheck::ran(area, "the outcome is closed", fault(closed, FaultCode::OpenClaim, message)));
    checks
}

/// No text describes a package as more than it is.
pub(super) fn wording(committed: &Contracts, answers: &[Option<Value>]) -> Vec<VerifierCheck> {
    let mut checks: Vec<VerifierCheck> = [LEDGER, API_CONTRACT]
        .map(|name| {
            let document = committed.get(name).and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
            VerifierCheck::ran("wording", name, document.as_ref().map_or_else(|| unread(name), described))
        })
        .into();
    let answered: Vec<CheckFault> =
        answers.iter().flat_map(|answer| answer.as_ref().map_or_else(|| unread("an answer"), described)).collect();
    checks.push(VerifierCheck::ran("wording", "the answers of the routes", answered));
    checks
}

fn unread(name: &str) -> Vec<CheckFault> {
    vec![CheckFault::new(FaultCode::ContractDrift, format!("{name} cannot be read"))]
}

fn described(value: &Value) -> Vec<CheckFault> {
    let mut faults = Vec::new();
    walk(value, &mut |text| {
        let words = text.split(|character: char| !character.is_alphanumeric() && character != '-');
        let more = words.into_iter().find(|word| seed::MORE_THAN_IT_IS.contains(&word.to_lowercase().as_str()));
        faults.extend(more.map(|word| {
            CheckFault::new(FaultCode::WrongWording, format!("`{}` stands in \"{}\"", cut(word), cut(text)))
        }));
    });
    faults
}

fn walk(value: &Value, take: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(elements) => elements.iter().for_each(|element| walk(element, take)),
        Value::Object(members) => members.values().for_each(|member| walk(member, take)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn fault(holds: bool, code: FaultCode, message: impl FnOnce() -> String) -> Vec<CheckFault> {
    if holds { Vec::new() } else { vec![CheckFault::new(code, message())] }
}

fn list<'v>(document: Option<&'v Value>, member: &str) -> &'v [Value] {
    let list = document.and_then(|document| document.get(member)).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(document: Option<&'v Value>, member: &str) -> &'v str {
    document.and_then(|document| document.get(member)).and_then(Value::as_str).unwrap_or_default()
}
