//! Slow clients by the hundred, of every kind: others are answered in time, and memory stays within its bound.

mod crowd;
mod good;

use std::{path::Path, process::Command, thread, time::Duration};

use svc_server::config::memory;

use self::{
    crowd::{Crowd, OF_TLS, kinds},
    good::Good,
};
use crate::{
    campaign::{self, Record},
    memory::memory as measured,
    running::Running,
};

/// Waits until most of the crowd is there, as far as it is let in: how many connections are open then, or were at last.
fn held(open: &dyn Fn() -> usize, let_in: usize) -> Result<usize, usize> {
    thread::sleep(Duration::from_secs(1));
    let mut now = 0;
    for _ in 0..40 {
        thread::sleep(Duration::from_millis(250));
        now = open();
        if now >= let_in * 8 / 10 {
            return Ok(now);
        }
    }
    Err(now)
}

fn certificate(folder: &Path) {
    let name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let files = ["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "tls.key", "-out", "tls.pem"];
    let made = Command::new("openssl").args(kind).args(name).args(files).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// Counting is on, with room for what the test itself asks: loopback has no exemption.
const COUNTED: [&str; 4] = ["--admin-bind", "127.0.0.1:0", "--rate", "1000000/1000000"];

#[test]
fn good_requests_are_answered_beside_slow_ones_as_if_alone() {
    let count = campaign::count(600, 10_000);
    // All from the address that the good ones come from, and, in a campaign, from many.
    let addresses: &[u8] = if count > 600 { &[1, 200] } else { &[1] };
    let (mut counts, mut found) = (vec![("slow clients of each kind".to_owned(), count)], Vec::new());
    let plain = kinds().len() - OF_TLS;
    for (has_tls, kinds) in [(false, 0..plain), (true, plain..plain + OF_TLS)] {
        let folder = tempfile::tempdir().unwrap();
        certificate(folder.path());
        let tls = if has_tls { &["--tls-certificate", "tls.pem", "--tls-key", "tls.key"][..] } else { &[] };
        let mut running = Running::start(folder.path(), &[&COUNTED[..], tls].concat());
        let admin = running.admin_address();
        let certificate = has_tls.then(|| folder.path().join("tls.pem"));
        let good = Good::new(&running, &admin, certificate.as_deref());
        beside(&running, &good, (kinds, addresses, count), &mut counts, &mut found);
        let taken = measured(running.id(), "VmHWM:");
        let most = memory::most(has_tls, thread::available_parallelism().map_or(1, usize::from)) / 1024;
        if taken as u64 > most {
            found.push(format!("{taken} KiB of memory were taken, and {most} are the most by the settings"));
        }
        let with = if has_tls { " with TLS" } else { "" };
        counts.push((format!("KiB of memory at most{with}; by the settings it may be {most}"), taken));
    }
    Record {
        name: "slow-clients",
        tried: "Slow clients of every kind, in a process of their own, hold connections to the service and come back when \
                they are sent away. Good requests and probes, each on a new connection, are all answered (of those that come \
                from the very address of the crowd, 99 of 100), 99 of 100 within 50 ms or twice the time that they take alone (in one of five takes), and memory stays within what \
                `--print-config` tells.",
        counts,
        found,
    }
    .close();
}

/// How often is asked beside a crowd, at most.
const TAKES: usize = 5;

type Crowds<'a> = (std::ops::Range<usize>, &'a [u8], usize);

/// Good requests beside a crowd of each kind.
fn beside(
    running: &Running,
    good: &Good,
    (numbers, addresses, count): Crowds<'_>,
    counts: &mut Vec<(String, usize)>,
    found: &mut Vec<String>,
) {
    let rounds = campaign::count(60, 500);
    good.ask(rounds, found);
    let alone = good.ask(2 * rounds, found);
    counts.extend(alone.counts("alone"));
    for (from, number) in addresses.iter().flat_map(|from| numbers.clone().map(|number| (*from, number))) {
        let kind = &kinds()[number];
        let name = format!("{} from {from} address(es)", kind.name);
        let let_in = kind.let_in(count, |path| good.length_of(path));
        let crowd = Crowd::start(number, count, from, &running.address);
        let open = match held(&|| good.metric("svc_connections_open"), let_in) {
            Ok(open) => open,
            Err(open) => {
                found.push(format!("{name}: only {open} connections were held, of {let_in} that are let in"));
                continue;
            }
        };
        let had = found.len();
        // Whoever else uses the machine may slow down one take; a crowd slows down each.
        let (mut taken, mut takes) = (good.ask(rounds, found), 1);
        while takes < TAKES && !taken.later_than(&alone).is_empty() {
            taken = good.ask(rounds, found);
            takes += 1;
        }
        let unanswered: Vec<String> = found.drain(had..).collect();
        // Two of three are asked at the public address.
        let asked = takes * rounds * 2;
        let is_few = unanswered.iter().all(|one| !one.contains("admin")) && unanswered.len() * 100 <= asked;
        if from == 1 && is_few && !unanswered.is_empty() {
            let what = format!("of {asked} requests of the crowd's own address not answered: {name}");
            counts.push((what, unanswered.len()));
        } else {
            found.extend(unanswered.iter().map(|one| format!("{name}: {one}")));
        }
        drop(crowd);
        found.extend(taken.later_than(&alone).into_iter().map(|late| format!("{name}: {late}")));
        counts.extend(taken.counts(&format!("beside {open} connections, {name}")));
    }
}
