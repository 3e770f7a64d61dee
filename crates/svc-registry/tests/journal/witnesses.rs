//! Witnesses that follow a log: honest ones, one that lies, one that is dead, and a log that was set back.

pub(crate) mod place;
mod witness_kills;

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use self::place::{Lie, Place, dead, liar};
use crate::{
    run::{Run, copy_folder, program},
    running::{document, post},
};

/// Three witnesses, one of which lies in every way in turn and one of which never answers, beside a fourth that is honest.
#[test]
fn a_liar_and_a_dead_witness_take_no_quorum_from_the_honest_and_lend_none() {
    let place = Place::new();
    let (one, two) = (place.witness("one"), place.witness("two"));
    let lying = liar(&place.key_of("lying"));
    let silent = dead();
    let four = [("one", one.url()), ("two", two.url()), ("lying", lying), ("silent", silent)];
    let served = place.policy("served.policy", &four, "group g 2 one two lying silent\nquorum g\n");
    let any = place.policy(
        "any.policy",
        &[four[0].clone(), four[2].clone(), four[3].clone()],
        "group g any one lying silent\nquorum g\n",
    );
    let lacking = place.policy(
        "two.policy",
        &[four[0].clone(), four[2].clone(), four[3].clone()],
        "group g 2 one lying silent\nquorum g\n",
    );
    let mut registry = place.registry(&["--witness-policy", &served, "--admin-bind", "127.0.0.1:0"]);
    let admin = registry.admin_address();
    let started = Instant::now();
    for number in 0..3 {
        let answer = registry.ask(&post("", &document())).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        fs::write(place.path().join(format!("answer-{number}.json")), body).unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(2), "an answer waited for witnesses: {:?}", started.elapsed());
    place.wait("a quorum for three records", || place.witnessed_size(&registry) == 3);

    let url = format!("http://{}", registry.address);
    let run = |arguments: &[&str]| Run::of(&mut program(place.path(), arguments));
    for policy in [&served, &any] {
        let held = run(&["log", "verify", &url, "--policy", policy]).exits(0);
        assert!(held.stdout.contains("witnesses cosigned the state of 3 records"), "{}", held.stdout);
        let receipt = run(&["log", "check-receipt", "answer-1.json", "--policy", policy, "--checkpoint", &url]);
        assert!(receipt.exits(0).stdout.contains("witnesses cosigned"));
    }
    for refused in [
        run(&["log", "verify", &url, "--policy", &lacking]).exits(4),
        run(&["log", "check-receipt", "answer-1.json", "--policy", &lacking, "--checkpoint", &url]).exits(4),
    ] {
        assert!(refused.stderr.contains("quorum-lacking"), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("1 of 3 witnesses") && refused.stderr.contains("missing: lying, silent"),
            "{}",
            refused.stderr
        );
    }
    let alone = run(&["log", "check-receipt", "answer-1.json", "--policy", &served]).exits(4);
    assert!(alone.stderr.contains("quorum-lacking") && alone.stderr.contains("0 of 4"), "{}", alone.stderr);

    // A proof that the registry gives shows by itself who has seen the log.
    fs::write(place.path().join("proof.txt"), place.get(&registry, "/journal/proof/1").1).unwrap();
    let offline = run(&["log", "check-receipt", "proof.txt", "--policy", &served, "--format", "json"]).exits(0);
    let verdict: serde_json::Value = serde_json::from_str(&offline.stdout).unwrap();
    assert_eq!(verdict["witnesses"]["missing"], serde_json::json!(["lying", "silent"]));
    assert_eq!(verdict["witnesses"]["records"], 3);

    place.wait("four lies", || place.metric(&admin, "svc_witness_failures_total{witness=\"lying\"}") >= 4);
    assert!(place.metric(&admin, "svc_witness_cosignatures_total{witness=\"one\"}") >= 1);
    assert_eq!(place.metric(&admin, "svc_witness_cosignatures_total{witness=\"lying\"}"), 0);
    assert_eq!(place.metric(&admin, "svc_witness_quorum"), 1);
    assert_eq!(place.metric(&admin, "svc_witness_records"), 3);
    let ready = place.get_at(&registry.address, "/readyz").1;
    assert!(ready.contains("\"of\": 4, \"quorum\": true, \"records\": 3}"), "{ready}");
    let log = registry.log();
    for (lie, said) in Lie::ALL {
        assert!(log.contains(said), "{lie:?}: {log}");
    }
}

#[test]
fn a_hosted_registry_is_held_to_a_policy() {
    let place = Place::new();
    let one = place.witness("one");
    let all = [("one", one.url()), ("two", "http://127.0.0.1:9".to_owned())];
    let held = place.policy("held.policy", &all, "quorum one\n");
    let lacking = place.policy("lacking.policy", &all, "group g all one two\nquorum g\n");
    let registry = place.registry(&["--witness-policy", &held]);
    let bundle = crate::run::repository("examples/weather-board");
    let run = |arguments: &[&str]| Run::of(&mut program(place.path(), arguments));
    run(&["app", "preflight", bundle.to_str().unwrap(), "--out-dir", "bundle"]).exits(0);
    let url = format!("http://{}", registry.address);
    let verify = |policy: &str| {
        run(&["verify", "hosted", &url, "--artifact-dir", "bundle", "--level", "build", "--policy", policy])
    };
    let verified = verify(&held).exits(0);
    assert!(verified.stdout.contains("1 of 2 witnesses cosigned the state; missing: two"), "{}", verified.stdout);
    let refused = verify(&lacking).exits(4);
    assert!(refused.stdout.contains("quorum-lacking") && refused.stdout.contains("missing: two"), "{}", refused.stdout);
}

#[test]
fn what_was_cosigned_outlives_restarts_of_both_sides() {
    let place = Place::new();
    let one = place.witness("one");
    let policy = place.policy("p.policy", &[("one", one.url())], "quorum one\n");
    let registry = place.registry(&["--witness-policy", &policy]);
    assert_eq!(place.get(&registry, "/journal/witnessed-checkpoint").0, 404);
    assert_eq!(registry.status(&post("", &document())), 200);
    place.wait("the first", || place.witnessed_size(&registry) == 1);
    let newest = place.get(&registry, "/journal/checkpoint").1;
    assert_eq!(newest, place.get(&registry, "/journal/witnessed-checkpoint").1, "served with what there is for it");
    registry.terminate();
    assert!(registry.ended().0.success());
    let one_url = one.url();
    let address = one.stop();
    // The witness is away: what it said is served again, and nothing newer.
    let registry = place.registry(&["--witness-policy", &policy]);
    assert_eq!(place.witnessed_size(&registry), 1);
    for _ in 0..3 {
        assert_eq!(registry.status(&post("", &document())), 200);
    }
    assert_eq!(place.witnessed_size(&registry), 1);
    assert!(!place.get(&registry, "/journal/checkpoint").1.contains("witness.example"));
    // Who watches and who copies goes by the state that was seen, and by the newest, which grew from it.
    let run = |arguments: &[&str]| Run::of(&mut program(place.path(), arguments));
    let url = format!("http://{}", registry.address);
    let watch = ["log", "watch", &url, "--state", "watched", "--public-key", "data/journal.pub", "--once"];
    let mirror = ["log", "mirror", &url, "mirrored", "--public-key", "data/journal.pub", "--policy", &policy];
    run(&[&watch[..], &["--policy", &policy]].concat()).exits(0);
    run(&mirror).exits(0);
    let copied = run(&["log", "verify", "mirrored", "--policy", &policy]).exits(0).stdout;
    assert!(copied.contains("1 of 1 witnesses cosigned the state of 1 records"), "{copied}");
    // A policy with somebody who never saw it is not held.
    let other =
        place.policy("other.policy", &[("one", one_url), ("two", dead())], "group both all one two\nquorum both\n");
    let lacking = run(&[&watch[..], &["--policy", &other]].concat()).exits(4).stderr;
    assert!(lacking.contains("quorum-lacking") && lacking.contains("missing: two"), "{lacking}");
    let _one = place.witness_at("one", &address);
    place.wait("the witness to catch up", || place.witnessed_size(&registry) == 4);
    let answer = registry.ask(&post("", &document())).unwrap();
    place.wait("the fifth", || place.witnessed_size(&registry) == 5);
    registry.terminate();
    assert!(registry.ended().0.success());

    // An export carries what was cosigned, and shows it without anybody to ask.
    run(&["journal", "export", "exported", "--journal", "sqlite", "--data-dir", "data"]).exits(0);
    fs::write(place.path().join("answer.json"), answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    for arguments in [
        &["log", "verify", "exported", "--policy", &policy][..],
        &["journal", "verify", "--journal", "sqlite", "--data-dir", "data", "--policy", &policy],
        &["log", "check-receipt", "answer.json", "--policy", &policy, "--checkpoint", "exported"],
        &["log", "check-receipt", "answer.json", "--policy", &policy, "--checkpoint", "exported/witnessed-checkpoint"],
    ] {
        let held = run(arguments).exits(0);
        assert!(held.stdout.contains("1 of 1 witnesses cosigned the state of 5 records"), "{}", held.stdout);
    }
    let early = run(&["journal", "prove", "1", "--journal", "sqlite", "--data-dir", "data"]).exits(0).stdout;
    fs::write(place.path().join("early.json"), early).unwrap();
    run(&["log", "check-receipt", "early.json", "--policy", &policy]).exits(4);
    run(&["log", "check-receipt", "early.json", "--policy", &policy, "--checkpoint", "exported"]).exits(0);
}

/// One of a second key, whose first records are pruned and which was restored.
#[test]
fn a_log_in_its_second_year_is_cosigned_and_its_copy_shows_it() {
    let place = Place::lived();
    let one = place.witness("one");
    let policy = place.policy("p.policy", &[("one", one.url())], "quorum one\n");
    let registry = place.registry(&["--witness-policy", &policy, "--witness-quorum", "required"]);
    let before = place.get(&registry, "/journal/checkpoint").1.lines().nth(1).unwrap().parse::<u64>().unwrap();
    place.wait("what is there to be seen", || place.witnessed_size(&registry) == before);
    let answer = registry.ask(&post("", &document())).unwrap();
    place.wait("one more", || place.witnessed_size(&registry) == before + 1);
    let url = format!("http://{}", registry.address);
    let run = |arguments: &[&str]| Run::of(&mut program(place.path(), arguments)).exits(0).stdout;
    run(&["log", "mirror", &url, "copy", "--public-key", "data/journal.pub", "--policy", &policy]);
    fs::write(place.path().join("answer.json"), answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let seen = run(&["log", "check-receipt", "answer.json", "--policy", &policy, "--checkpoint", "copy"]);
    assert!(seen.contains("1 of 1 witnesses cosigned the state"), "{seen}");
}

#[test]
fn a_registry_that_was_set_back_is_noticed_by_its_witnesses() {
    let place = Place::new();
    let one = place.witness("one");
    let policy = place.policy("p.policy", &[("one", one.url())], "quorum one\n");
    let settings = ["--witness-policy", policy.as_str(), "--admin-bind", "127.0.0.1:0"];
    let registry = place.registry(&settings);
    assert_eq!(registry.status(&post("", &document())), 200);
    place.wait("the first", || place.witnessed_size(&registry) == 1);
    registry.terminate();
    assert!(registry.ended().0.success());
    copy_folder(&place.path().join("data"), &place.path().join("old"));
    let registry = place.registry(&settings);
    for _ in 0..3 {
        assert_eq!(registry.status(&post("", &document())), 200);
    }
    place.wait("all four", || place.witnessed_size(&registry) == 4);
    registry.terminate();
    assert!(registry.ended().0.success());
    fs::rename(place.path().join("data"), place.path().join("new")).unwrap();
    copy_folder(&place.path().join("old"), &place.path().join("data"));

    // What witnesses cosigned lies beside the log, and is newer than the log.
    fs::copy(place.path().join("new/journal.witnessed"), place.path().join("data/journal.witnessed")).unwrap();
    let arguments =
        [&["serve", "--bind", "127.0.0.1:0", "--journal", "sqlite", "--data-dir", "data"][..], &settings].concat();
    let refused = Run::of(&mut program(place.path(), &arguments)).exits(4);
    assert!(refused.stderr.contains("journal-rewound: journal.witnessed remembers 4 records"), "{}", refused.stderr);

    // Everything was set back together: the witness alone remembers, and the quorum needs it.
    fs::copy(place.path().join("old/journal.witnessed"), place.path().join("data/journal.witnessed")).unwrap();
    let refused = Run::of(&mut program(place.path(), &arguments)).exits(4);
    let told = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("journal-rewound: the witnesses that the quorum needs have seen another log"), "{told}");
    assert!(told.contains("it saw a log of 4 records, and this one has 1: it was set back"), "{told}");
    // The newest copy is the way out.
    fs::rename(place.path().join("data"), place.path().join("back")).unwrap();
    copy_folder(&place.path().join("new"), &place.path().join("data"));
    let registry = place.registry(&settings);
    assert_eq!(place.witnessed_size(&registry), 4);
    registry.terminate();
    assert!(registry.ended().0.success());
    // So does a log that was emptied, with its key put back.
    fs::remove_dir_all(place.path().join("data")).unwrap();
    fs::create_dir(place.path().join("data")).unwrap();
    fs::copy(place.path().join("old/journal.key"), place.path().join("data/journal.key")).unwrap();
    let emptied = Run::of(&mut program(place.path(), &arguments)).exits(4);
    assert!(emptied.stderr.contains("journal-rewound"), "{}", emptied.stderr);
    fs::remove_dir_all(place.path().join("data")).unwrap();
    fs::rename(place.path().join("back"), place.path().join("data")).unwrap();

    // While the witness is away nobody can tell. Once it is back, nothing more is evaluated.
    let address = one.stop();
    let mut registry = place.registry(&settings);
    let admin = registry.admin_address();
    for _ in 0..5 {
        assert_eq!(registry.status(&post("", &document())), 200);
    }
    let _one = place.witness_at("one", &address);
    place.wait("the other history", || {
        registry.log().contains("the first 4 records that it saw are not those of this log")
            || registry.log().contains("it was set back")
    });
    place.wait("a closed registry", || registry.status(&post("", &document())) == 503);
    assert_eq!(place.metric(&admin, "svc_witness_alarm{witness=\"one\"}"), 1);
    assert!(place.get_at(&registry.address, "/readyz").1.contains("\"alarms\": 1"));
    assert_eq!(place.witnessed_size(&registry), 1, "nothing of the second history was cosigned");
}

#[test]
fn where_the_quorum_is_required_nothing_is_evaluated_after_a_minute_without() {
    let place = Place::new();
    let one = place.witness("one");
    let policy = place.policy("p.policy", &[("one", one.url())], "quorum one\n");
    let registry = place.registry(&["--witness-policy", &policy, "--witness-quorum", "required"]);
    assert_eq!(registry.status(&post("", &document())), 200);
    place.wait("the first", || place.witnessed_size(&registry) == 1);
    let address = one.stop();
    let started = Instant::now();
    let answer = loop {
        let answer = registry.ask(&post("", &document())).unwrap();
        if !answer.starts_with("HTTP/1.1 200") {
            break answer;
        }
        assert!(started.elapsed() < Duration::from_secs(90), "still evaluated");
        thread::sleep(Duration::from_millis(500));
    };
    assert!(started.elapsed() > Duration::from_secs(59), "{:?}", started.elapsed());
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("quorum-lacking"), "{answer}");
    assert!(answer.contains("retry-after: 5") && answer.contains("\"accepted\":false"), "{answer}");
    let size = |text: String| text.lines().nth(1).unwrap().parse::<u64>().unwrap();
    let before = size(place.get(&registry, "/journal/checkpoint").1);
    assert_eq!(registry.status(&post("", &document())), 503);
    assert_eq!(size(place.get(&registry, "/journal/checkpoint").1), before, "a refused request is not on record");
    let (status, ready) = place.get_at(&registry.address, "/readyz");
    assert!(status == 503 && ready.contains("\"quorum\": false"), "{ready}");
    // A restart gives nobody another minute.
    registry.terminate();
    assert!(registry.ended().0.success());
    let registry = place.registry(&["--witness-policy", &policy, "--witness-quorum", "required"]);
    assert_eq!(registry.status(&post("", &document())), 503);
    let _one = place.witness_at("one", &address);
    place.wait("to be open again", || registry.status(&post("", &document())) == 200);
}

#[test]
fn a_policy_that_cannot_be_asked_for_stops_the_start() {
    let place = Place::new();
    let one = place.witness("one");
    let run = |arguments: &[&str]| {
        let all = [&["serve", "--check-config", "--journal", "sqlite", "--data-dir", "data"][..], arguments].concat();
        Run::of(&mut program(place.path(), &all))
    };
    let key = place.key_of("one").public().to_string();
    for (text, said) in [
        (format!("witness one {key}\nquorum one\n"), "addresses for as many witnesses"),
        (format!("witness one {key} http://192.0.2.1/w\nquorum one\n"), "http is for this machine only"),
        (format!("witness one {key}\nquorum two\n"), "policy-unknown-name: line 2"),
    ] {
        fs::write(place.path().join("bad.policy"), text).unwrap();
        let refused = run(&["--witness-policy", "bad.policy"]).exits(2);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    let policy = place.policy("p.policy", &[("one", one.url())], "quorum one\n");
    run(&["--witness-policy", &policy]).exits(0);
    for arguments in [
        &["--witness-quorum", "required"][..],
        &["--witness-policy", &policy, "--witness-quorum", "perhaps"],
        &["--witness-policy", &policy, "--journal", "off"],
    ] {
        let all = [&["serve", "--check-config"][..], arguments].concat();
        Run::of(program(place.path(), &all).env_remove("SVC_JOURNAL").env("SVC_DATA_DIR", "data")).exits(2);
    }
    // A policy for another log.
    let other = format!(
        "log {}\nwitness one {key} {}\nquorum one\n",
        svc_journal::log_key::LogKey::from_seed("else.example", &[1; 32]).unwrap().public().as_str(),
        one.url()
    );
    fs::write(place.path().join("other.policy"), other).unwrap();
    let arguments = [
        "serve",
        "--bind",
        "127.0.0.1:0",
        "--journal",
        "sqlite",
        "--data-dir",
        "data",
        "--witness-policy",
        "other.policy",
    ];
    let refused = Run::of(&mut program(place.path(), &arguments)).exits(2);
    assert!(refused.stderr.contains("none of them with a key of this one"), "{}", refused.stderr);
}
