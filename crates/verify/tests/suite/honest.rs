//! The honest registry passes, whole and every time, and a registry that asks to come back is come back to.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicUsize, Ordering},
};

use svc_core::{
    verification::{CheckEnd, Posture},
    words::exit_code::ExitCode,
};
use svc_verify::hosted::{CHECKS, PROBES_PER_ENDPOINT};

use crate::{
    liar::Liar,
    lie::{IMPATIENT, PLAN, client, set_header, verify},
};

#[test]
fn the_honest_registry_is_closed_as_declared() {
    let verification = verify(&Liar::start(|_, _| {}));
    let faults: Vec<_> = verification.faults().collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(verification.exit_code(), ExitCode::Valid);
    assert_eq!(verification.posture(), Posture::ClosedAsDeclared);
    assert_eq!(verification.ran(), CHECKS);
}

#[test]
fn each_endpoint_gets_its_number_of_probes() {
    const { assert!(PROBES_PER_ENDPOINT >= 12) };
    let endpoints: Vec<usize> = PLAN.endpoints().map(|(_, probes)| probes).collect();
    assert_eq!(endpoints, [PROBES_PER_ENDPOINT; 6]);
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
    let verification = verify(&liar);
    assert_eq!(verification.exit_code(), ExitCode::Valid);
    assert_eq!(liar.requests(), CHECKS + 20);
}

#[test]
fn where_nobody_listens_nothing_else_is_tried() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}");
    let verification = PLAN.verify(&client(&url, None), &url, IMPATIENT, None, &mut |_| {});
    assert_eq!(verification.exit_code(), ExitCode::Registry);
    assert_eq!(verification.ran(), 1);
    assert_eq!(verification.checks.iter().filter(|check| check.end == CheckEnd::NotRun).count(), CHECKS - 1);
}
