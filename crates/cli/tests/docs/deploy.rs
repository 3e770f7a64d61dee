//! What the units allow is what the service needs.

use std::fs;

use svc_server::config::memory;

use crate::run::repository;

/// The values that a unit gives a name, in order.
fn values<'u>(unit: &'u str, name: &str) -> Vec<&'u str> {
    unit.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('=')).collect()
}

#[test]
fn the_units_allow_what_the_service_needs_and_agree_with_its_settings() {
    let read = |name: &str| fs::read_to_string(repository(&format!("deploy/{name}"))).unwrap();
    let (service, socket, settings) =
        (read("svc-registry.service"), read("svc-registry.socket"), read("svc-registry.toml"));
    // Without it the notice that it is ready does not reach systemd, which then ends it.
    assert_eq!(values(&service, "Type"), ["notify"]);
    assert!(values(&service, "RestrictAddressFamilies")[0].split(' ').any(|family| family == "AF_UNIX"));
    // What may not be run cannot reload or start it.
    let allowed: Vec<&str> = values(&service, "ExecPaths")[0].split(' ').collect();
    for command in ["ExecStart", "ExecReload"] {
        let program = values(&service, command)[0].split(' ').next().unwrap();
        assert!(allowed.contains(&program), "{command}: {program}");
    }
    assert!(values(&service, "ExecReload")[0].ends_with(" -HUP $MAINPID"));
    let settings = |name: &str| {
        let line = settings.lines().find_map(|line| line.strip_prefix(&format!("{name} = \""))).unwrap();
        line.trim_end_matches('"').to_owned()
    };
    assert_eq!(values(&socket, "ListenStream"), [settings("bind"), settings("admin-bind")]);
    assert_eq!(values(&socket, "IPAddressAllow"), values(&service, "IPAddressAllow"));
}

/// A bound below what the service may take would end it under a load that it is made for.
#[test]
fn what_is_deployed_may_take_the_memory_that_the_settings_add_up() {
    let read = |name: &str| fs::read_to_string(repository(&format!("deploy/{name}"))).unwrap();
    let mebibytes = |has_tls| memory::most(has_tls, 2) >> 20;
    let unit = read("svc-registry.service");
    let bound: u64 = values(&unit, "MemoryMax")[0].trim_end_matches('M').parse().unwrap();
    assert!(bound >= mebibytes(false), "the unit gives {bound} MiB, and {} may be taken", mebibytes(false));
    let (more, tls) = (memory::most(false, 3) - memory::most(false, 2), mebibytes(true) - mebibytes(false));
    assert!(unit.contains(&format!("core more adds {} MiB, and TLS {tls}.", more >> 20)), "{} {tls}", more >> 20);
    let set = read("kubernetes/statefulset.yaml");
    // The largest: smaller ones are of containers that set up and end.
    let bounds = set.lines().filter_map(|line| line.trim().strip_prefix("limits: {memory: "));
    let bound: u64 = bounds.map(|bound| bound.trim_end_matches("Mi}").parse().unwrap()).max().unwrap();
    assert!(bound >= mebibytes(true), "the set gives {bound} MiB, and {} may be taken", mebibytes(true));
}

/// The guide has the operator verify with a token of scope `probe`, so nginx must not take the mark away; and without tokens
/// it must say that it passed the request on, or strangers could mark theirs.
#[test]
fn nginx_passes_on_the_mark_of_a_probe_and_says_that_it_passed_the_request_on() {
    let site = fs::read_to_string(repository("deploy/nginx.conf")).unwrap();
    let set: Vec<String> = site
        .lines()
        .filter_map(|line| line.trim().strip_prefix("proxy_set_header")?.split_whitespace().next())
        .map(str::to_lowercase)
        .collect();
    assert!(!set.iter().any(|name| name == svc_server::auth::asker::PROBE_HEADER), "{set:?}");
    assert!(set.iter().any(|name| name == "x-forwarded-for"), "{set:?}");
}
