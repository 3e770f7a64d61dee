//! What the client does not do, whatever a registry asks for.

use std::{net::TcpListener, sync::OnceLock};

use svc_core::{verification::FaultCode, words::exit_code::ExitCode};

use crate::{
    liar::Liar,
    lie::{IMPATIENT, PLAN, client, on_record, set_header},
};

#[test]
fn a_redirect_is_not_followed_and_the_token_stays_at_home() {
    static ELSEWHERE: OnceLock<String> = OnceLock::new();
    let other = Liar::start(|_, _| {});
    ELSEWHERE.set(other.url()).unwrap();
    let liar = Liar::start(|asked, said| {
        said.status = 307;
        set_header(said, "location", Some(&format!("{}{}", ELSEWHERE.get().unwrap(), asked.path)));
    });
    let client = client(&liar.url(), Some("svcr_secret"));
    let verification = PLAN.verify(&client, &liar.url(), IMPATIENT, None, &mut |_| {});
    assert_eq!(verification.exit_code(), ExitCode::Findings);
    assert!(verification.faults().any(|(_, fault)| fault.code == FaultCode::Redirected));
    assert_eq!(other.requests(), 0);
    assert!(liar.tokens().iter().all(|token| token == "Bearer svcr_secret"), "{:?}", liar.tokens());
}

#[test]
fn with_a_token_a_stranger_is_tried_too_and_must_be_refused() {
    let liar = Liar::start(|_, _| {});
    let verification =
        on_record(PLAN.verify(&client(&liar.url(), Some("svcr_secret")), &liar.url(), IMPATIENT, None, &mut |_| {}));
    assert_eq!(verification.checks.len(), svc_verify::hosted::CHECKS + svc_verify::hosted::KIT_CHECKS + 1);
    let failed: Vec<_> = verification.faults().map(|(check, fault)| (check.name.as_str(), fault.code)).collect();
    assert_eq!(failed, [("without the token", FaultCode::WrongStatus)]);
}

#[test]
fn no_variable_of_the_environment_sends_it_elsewhere() {
    // Whoever connects here was led astray by a proxy variable, which other tests of this process would see as well.
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let program = std::env::current_exe().unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut again = std::process::Command::new(program);
    again.args(["--exact", "honest::the_honest_registry_is_closed_as_declared"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(name, &address);
    }
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    assert!(proxy.accept().is_err());
}
