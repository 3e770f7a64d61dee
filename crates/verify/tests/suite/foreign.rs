//! Registries that others wrote pass exactly their level; walls and liars pass none, each with a sentence that says why.

use std::time::Duration;

use svc_client::{
    address::Address,
    client::{Client, Timeouts},
};
use svc_core::verification::Level;
use svc_testkit::{
    campaign,
    lies::foreign::{FALSE_FOREIGN, FALSE_SHAPES, Foreign, HONEST_FOREIGN, HONEST_SHAPES},
};
use svc_verify::check::Verification;

use crate::lie::{IMPATIENT, PLAN};

fn verify(foreign: &&'static Foreign) -> Verification {
    let url = foreign.start();
    // Some of them read a body to its end that is larger than any payload.
    let timeouts = Timeouts { connect: Duration::from_secs(5), exchange: Duration::from_secs(20) };
    let client = Client::new(Address::parse(&url).unwrap(), None, None, timeouts).unwrap();
    PLAN.verify(&client, &url, IMPATIENT, None, &mut |_| {})
}

fn told(verification: &Verification) -> String {
    let told = verification.faults().take(8).map(|(check, fault)| format!("  {}: {fault:?}", check.name));
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_honest_registry_of_somebody_else_passes_exactly_its_level() {
    assert!(HONEST_FOREIGN.len() >= 6);
    let all: Vec<&'static Foreign> = HONEST_FOREIGN.iter().chain(HONEST_SHAPES).collect();
    let wrong = campaign::in_parallel(&all, |foreign: &&'static Foreign| {
        let mut verification = verify(foreign);
        let level = foreign.level.and_then(Level::parse);
        let mut wrong = Vec::new();
        if verification.highest() != level {
            wrong.push(format!("{}: {:?}\n{}", foreign.name, verification.highest(), told(&verification)));
        }
        for demanded in [Level::Closed, Level::Contract, Level::Build] {
            verification.demanded = demanded;
            if (verification.exit_code().code() == 0) != (Some(demanded) <= level) {
                wrong.push(format!("{}, {demanded}: exit {:?}", foreign.name, verification.exit_code()));
            }
        }
        wrong
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wall_or_a_liar_passes_no_level_and_is_named() {
    let all: Vec<&'static Foreign> = FALSE_FOREIGN.iter().chain(FALSE_SHAPES).collect();
    let wrong = campaign::in_parallel(&all, |foreign: &&'static Foreign| {
        let mut verification = verify(foreign);
        verification.demanded = Level::Closed;
        let (code, part) = foreign.fault.unwrap();
        let is_named =
            verification.counting().any(|(_, fault)| fault.code.as_str() == code && fault.message.contains(part));
        let is_closed = verification.holds(Level::Closed) || verification.exit_code().code() == 0;
        (is_closed || !is_named).then(|| format!("{}: closed {is_closed}\n{}", foreign.name, told(&verification)))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}
