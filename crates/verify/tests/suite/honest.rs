//! The honest registry passes, whole and every time, and a registry that asks to come back is come back to.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicUsize, Ordering},
};

use svc_core::{
    verification::{CheckEnd, FaultCode, Level, LevelResult, Posture},
    words::exit_code::ExitCode,
};
use svc_verify::hosted::{CHECKS, KIT_CHECKS, LOG_CHECKS, PROBES_PER_ENDPOINT};

use crate::{
    liar::Liar,
    lie::{IMPATIENT, PLAN, client, on_record, set_header, verify},
};

#[test]
fn the_honest_registry_is_closed_as_declared() {
    let verification = on_record(verify(&Liar::start(|_, _| {})));
    let faults: Vec<_> = verification.faults().collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(verification.checks.len(), CHECKS + KIT_CHECKS);
    assert_eq!(verification.exit_code(), ExitCode::Valid);
    assert_eq!(verification.posture(), Posture::ClosedAsDeclared);
    assert_eq!(verification.ran(), CHECKS + KIT_CHECKS);
}

#[test]
fn without_a_journal_level_contract_holds_and_nothing_but_receipts_is_missing() {
    let mut verification = verify(&Liar::start(|_, _| {}));
    assert_eq!(verification.highest(), Some(Level::Contract));
    assert!(verification.faults().all(|(_, fault)| fault.code == FaultCode::ReceiptMissing));
    assert_eq!(verification.exit_code(), ExitCode::Findings);
    let log = verification.log.clone().unwrap();
    assert_eq!((log.receipts, log.pinned, log.size), (0, false, None));
    assert!(log.note.starts_with("no log is served"), "{}", log.note);
    for demanded in [Level::Closed, Level::Contract] {
        verification.demanded = demanded;
        assert_eq!(verification.exit_code(), ExitCode::Valid);
        assert_eq!(verification.result(Level::Build), LevelResult::NotChecked);
    }
    verification.demanded = Level::Build;
    let build = &verification.levels()[2];
    assert!(build.reason.as_ref().unwrap().ends_with(": good document: the answer has no receipt"), "{build:?}");
    let request = build.request.as_ref().unwrap();
    assert!(request.starts_with("curl -i -X POST 'http://127.0.0.1:"), "{request}");
    assert!(request.ends_with(" --data-binary @svc-registry-index.json"), "{request}");
}

#[test]
fn each_endpoint_gets_its_number_of_probes() {
    let endpoints: Vec<usize> = PLAN.endpoints().map(|(_, probes)| probes).collect();
    assert_eq!(endpoints, PROBES_PER_ENDPOINT);
}

#[test]
fn a_registry_that_asks_to_come_back_is_come_back_to() {
    static REFUSED: AtomicUsize = AtomicUsize::new(0);
    let liar = Liar::start(|asked, said| {
        if asked.number % 10 == 5 && REFUSED.fetch_add(1, Ordering::SeqCst) < 20 {
            said.status = 429;
            said.body = b"{}".to_vec();
            set_header(said, "retry-after", Some("0"));
        }
    });
    let verification = on_record(verify(&liar));
    assert_eq!(verification.exit_code(), ExitCode::Valid);
    let patient = Liar::start(|_, _| {});
    assert_eq!(on_record(verify(&patient)).exit_code(), ExitCode::Valid);
    assert_eq!(liar.requests(), patient.requests() + 20);
    // Of the log only the keys are asked for, which are not there. Three checks ask for every route that is described.
    let by_check = CHECKS + KIT_CHECKS - LOG_CHECKS - 3 + 1;
    assert!(patient.requests() > by_check + 30, "{} and {by_check}", patient.requests());
}

#[test]
fn where_nobody_listens_nothing_else_is_tried() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}");
    let verification = PLAN.verify(&client(&url, None), &url, IMPATIENT, None, &mut |_| {});
    assert_eq!(verification.exit_code(), ExitCode::Registry);
    assert_eq!(verification.ran(), 1);
    assert_eq!(
        verification.checks.iter().filter(|check| check.end == CheckEnd::NotRun).count(),
        CHECKS + KIT_CHECKS - 1
    );
}
