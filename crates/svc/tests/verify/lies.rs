//! The verifier against registries that lie, each in one way, and against honest ones that are not ours.

use std::{sync::LazyLock, time::Duration};

use svc_client::{
    address::Address,
    client::{Client, Timeouts},
};
use svc_core::verification::Level;
use svc_testkit::{
    campaign,
    lies::{
        around::BUT_TO_THE_VERIFIER,
        honest::HONEST,
        proxy::LyingRegistry,
        table::{LIES, Lie},
    },
    running::Running,
};
use svc_verify::{
    check::{CheckFault, Verification},
    hosted::{Plan, RetryPolicy},
    order::Order,
};

const IMPATIENT: RetryPolicy = RetryPolicy {
    max_attempts: 2,
    max_wait: Duration::from_secs(1),
    max_total_wait: Duration::from_secs(5),
    first_wait: Duration::from_millis(10),
};

pub(crate) fn verify(url: &str) -> Verification {
    static PLAN: LazyLock<Plan> =
        LazyLock::new(|| Plan::make(svc_core::samples::bundle("{}", 0).unwrap(), Level::Build).unwrap());
    let timeouts = Timeouts { connect: Duration::from_secs(5), exchange: Duration::from_secs(3) };
    let client = Client::new(Address::parse(url).unwrap(), None, None, timeouts).unwrap();
    PLAN.verify(&client, url, IMPATIENT, None, &mut |_| {})
}

fn service(folder: &tempfile::TempDir) -> Running {
    Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"])
}

pub(crate) fn faults(verification: &Verification) -> String {
    let told = verification.faults().take(8).map(|(check, fault)| format!("  {}: {fault:?}", check.name));
    told.collect::<Vec<_>>().join("\n")
}

/// What the tests take of the table with every change; `cargo xtask gates every_lie` takes all of it.
pub(crate) fn some_lies() -> Vec<&'static Lie> {
    LIES.iter().step_by(8).collect()
}

#[test]
fn a_lie_is_found_out_and_named_by_its_own_check_alone() {
    find_out(&some_lies());
}

#[test]
#[ignore = "takes minutes; `cargo xtask gates` runs it"]
fn every_lie_is_found_out_and_named_by_its_own_check_alone() {
    assert!(LIES.len() >= 30, "{}", LIES.len());
    find_out(&LIES.iter().collect::<Vec<_>>());
}

#[track_caller]
fn find_out(lies: &[&Lie]) {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let missed: Vec<Option<String>> = campaign::in_parallel(lies, |lie| missed(lie, &service.address));
    let missed: Vec<String> = missed.into_iter().flatten().collect();
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), lies.len(), missed.join("\n"));
}

fn missed(lie: &Lie, honest: &str) -> Option<String> {
    let verification = verify(&LyingRegistry::before(honest, lie.bend).url);
    let found = (verification.exit_code().code(), verification.highest().map(Level::as_str));
    let wrong = match seen_otherwise(lie, &verification) {
        _ if found != (lie.exit, lie.holds) => Some(format!("{found:?}")),
        Err(wrong) => Some(wrong),
        Ok(()) => None,
    };
    wrong.map(|wrong| format!("{}: {wrong}\n{}", lie.name, faults(&verification)))
}

/// A lie that other checks see too would still be found with its own check taken out, and nobody would notice that this
/// one does nothing. So at the level that a lie breaks, there is no fault but its own and the one that its row explains.
fn seen_otherwise(lie: &Lie, verification: &Verification) -> Result<(), String> {
    let is = |fault: &CheckFault, code: &str, told: &str| fault.code.as_str() == code && fault.message.contains(told);
    let is_own = |fault: &CheckFault| is(fault, lie.code, lie.told);
    let is_also = |fault: &CheckFault| lie.also.as_ref().is_some_and(|also| is(fault, also.code, also.told));
    let faults = || verification.faults().map(|(_, fault)| fault);
    let level = faults().filter(|fault| is_own(fault)).map(|fault| fault.level).min().ok_or("it is not named")?;
    if let Some(other) = faults().find(|fault| fault.level <= level && !is_own(fault) && !is_also(fault)) {
        return Err(format!("another check sees it: {other:?}"));
    }
    match &lie.also {
        Some(also) if !faults().any(is_also) => Err(format!("nothing is seen of {also:?}")),
        Some(_) | None => Ok(()),
    }
}

/// A registry that knows the verifier by its name tells it another story than everybody else.
#[test]
fn a_registry_that_knows_the_verifier_does_not_know_an_unmarked_run() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let liar = LyingRegistry::before(&service.address, BUT_TO_THE_VERIFIER);
    assert_eq!(verify(&liar.url).exit_code().code(), 0, "it deceives the run that says who it is");
    let files = svc_core::samples::bundle("{}", 0).unwrap();
    let unmarked = |url: &str, level: Level, seed: u64| {
        let plan = Plan::make_unmarked(files.clone(), level, Order::of(seed)).unwrap();
        let timeouts = Timeouts { connect: Duration::from_secs(5), exchange: Duration::from_secs(10) };
        let client = Client::new(Address::parse(url).unwrap(), None, None, timeouts).unwrap();
        plan.verify(&client.as_ordinary().unwrap(), url, IMPATIENT, None, &mut |_| {})
    };
    let found = unmarked(&liar.url, Level::Closed, 7);
    assert_eq!(found.exit_code().code(), 7, "{}", faults(&found));
    let honest = unmarked(&format!("http://{}", service.address), Level::Build, 8);
    assert_eq!(honest.highest(), Some(Level::Build), "{}", faults(&honest));
}

#[test]
fn an_honest_registry_passes_its_own_level_and_no_higher_one() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    for row in HONEST {
        let mut verification = verify(&row.start(&service.address));
        let level = Level::parse(row.level).unwrap();
        assert_eq!(verification.highest(), Some(level), "{}:\n{}", row.name, faults(&verification));
        for demanded in [Level::Closed, Level::Contract, Level::Build] {
            verification.demanded = demanded;
            assert_eq!(verification.exit_code().code() == 0, demanded <= level, "{}, {demanded}", row.name);
        }
    }
}
