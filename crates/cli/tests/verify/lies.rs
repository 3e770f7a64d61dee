//! The verifier against registries that lie, each in one way, and against honest ones that are not ours.

use std::{sync::LazyLock, time::Duration};

use svc_core::verification::Level;
use svc_testkit::{
    campaign,
    lies::{
        honest::{LATER, REORDERED, SeedRegistry, UNBENT},
        proxy::LyingRegistry,
        table::{LIES, Lie},
    },
    running::Running,
};
use svc_verify::{
    check::Verification,
    client::{Address, Client, Timeouts},
    hosted::{Plan, RetryPolicy},
};

const IMPATIENT: RetryPolicy = RetryPolicy {
    max_attempts: 2,
    max_wait: Duration::from_secs(1),
    max_total_wait: Duration::from_secs(5),
    first_wait: Duration::from_millis(10),
};

pub(crate) fn verify(url: &str) -> Verification {
    static PLAN: LazyLock<Plan> =
        LazyLock::new(|| Plan::make(svc_testkit::samples::bundle("{}", 0).unwrap(), Level::Build).unwrap());
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

#[test]
fn every_lie_is_found_out_and_named() {
    assert!(LIES.len() >= 30, "{}", LIES.len());
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let missed: Vec<Option<String>> = campaign::in_parallel(LIES, |lie| missed(lie, &service.address));
    let missed: Vec<String> = missed.into_iter().flatten().collect();
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), LIES.len(), missed.join("\n"));
}

fn missed(lie: &Lie, honest: &str) -> Option<String> {
    let verification = verify(&LyingRegistry::before(honest, lie.bend).url);
    let is_named =
        verification.faults().any(|(_, fault)| fault.code.as_str() == lie.code && fault.message.contains(lie.told));
    let found = (verification.exit_code().code(), verification.highest().map(Level::as_str));
    (!is_named || found != (lie.exit, lie.holds))
        .then(|| format!("{}: {found:?}, named: {is_named}\n{}", lie.name, faults(&verification)))
}

#[test]
fn an_honest_registry_passes_its_own_level_and_no_higher_one() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let address = service.address.as_str();
    let seed = SeedRegistry::start();
    let cases = [
        ("written from the specification", seed.url, Level::Closed),
        ("with its members in another order", LyingRegistry::before(address, REORDERED).url, Level::Contract),
        ("of a later version", LyingRegistry::before(address, LATER).url, Level::Contract),
        ("ours", LyingRegistry::before(address, UNBENT).url, Level::Build),
        (
            "ours, inside another application",
            LyingRegistry::mounted(address, "/apps/packages", UNBENT).url,
            Level::Build,
        ),
    ];
    for (name, url, level) in cases {
        let mut verification = verify(&url);
        assert_eq!(verification.highest(), Some(level), "{name}:\n{}", faults(&verification));
        for demanded in [Level::Closed, Level::Contract, Level::Build] {
            verification.demanded = demanded;
            assert_eq!(verification.exit_code().code() == 0, demanded <= level, "{name}, {demanded}");
        }
    }
}
