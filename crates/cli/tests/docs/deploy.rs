//! What the units allow is what the service needs.

use std::fs;

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
    for command in ["ExecStartPre", "ExecStart", "ExecReload"] {
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
