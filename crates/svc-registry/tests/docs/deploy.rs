//! What the units allow is what the service needs.

use std::{fs, net::IpAddr};

use svc_client::special_addresses::{is_global_unicast, is_inside};
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

/// Webhooks and witnesses are on the internet, and a unit that keeps the service from it would stop them without a word.
#[test]
fn the_unit_lets_through_what_svc_itself_would_connect_to_and_nothing_of_other_networks() {
    let unit = fs::read_to_string(repository("deploy/svc-registry.service")).unwrap();
    let list = |name: &str| values(&unit, name).iter().flat_map(|line| line.split(' ')).collect::<Vec<_>>();
    let (denied, allowed) = (list("IPAddressDeny"), list("IPAddressAllow"));
    assert!(!denied.is_empty() && allowed == ["localhost"]);
    let passes = |address: IpAddr| {
        let is_in = |rows: &[&str]| rows.iter().any(|row| is_of(address, row));
        is_in(&allowed) || !is_in(&denied)
    };
    let (mut global, mut inside) = (0, 0);
    for text in [
        "127.0.0.1",
        "127.0.0.53",
        "::1",
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.169.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00::1",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "fc00::1",
        "fdff::1",
    ] {
        let address: IpAddr = text.parse().unwrap();
        if is_global_unicast(address) || address.is_loopback() {
            assert!(passes(address), "{text}");
            global += 1;
        } else {
            assert!(is_inside(address) && !passes(address), "{text}");
            inside += 1;
        }
    }
    assert_eq!((global, inside), (13, 8));
    for text in ["169.254.169.254", "fe80::1", "0.0.0.0", "255.255.255.255", "224.0.0.1", "ff02::1"] {
        assert!(!passes(text.parse().unwrap()), "{text}");
    }
}

/// Whether an address is of a network, as systemd.resource-control(5) has it.
fn is_of(address: IpAddr, row: &str) -> bool {
    let networks = match row {
        "localhost" => &["127.0.0.0/8", "::1/128"][..],
        "link-local" => &["169.254.0.0/16", "fe80::/64"],
        "multicast" => &["224.0.0.0/4", "ff00::/8"],
        "any" => &["0.0.0.0/0", "::/0"],
        network => &[network],
    };
    networks.iter().any(|network| {
        let (network, bits) = network.split_once('/').unwrap();
        let bits: u32 = bits.parse().unwrap();
        match (address, network.parse().unwrap()) {
            (IpAddr::V4(one), IpAddr::V4(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros() >= bits,
            (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros() >= bits,
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    })
}

/// `RestartPreventExitStatus` is for the service alone: a command before it that ends with 2, 4 or 7 would be tried for ever.
#[test]
fn restarts_stop_where_the_guide_says() {
    let unit = fs::read_to_string(repository("deploy/svc-registry.service")).unwrap();
    assert_eq!(
        (values(&unit, "Restart"), values(&unit, "RestartPreventExitStatus")),
        (vec!["on-failure"], vec!["2 4 7"])
    );
    for name in ["ExecStartPre", "ExecCondition", "ExecStartPost", "RestartForceExitStatus", "SuccessExitStatus"] {
        assert!(values(&unit, name).is_empty(), "{name}");
    }
    let guide = fs::read_to_string(repository("docs/guides/operators.md")).unwrap();
    assert!(guide.contains("Restarts stop at exit codes 2, 4 and 7."));
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
    assert!(!set.iter().any(|name| name == svc_core::journal::scalars::PROBE_HEADER), "{set:?}");
    assert!(set.iter().any(|name| name == "x-forwarded-for"), "{set:?}");
}
