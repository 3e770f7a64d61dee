use proptest::prelude::*;
use svc_journal::{log_key::LogKey, witness_key::WitnessKey};
use svc_proof::{
    checkpoint::{Checkpoint, CheckpointError},
    cosignature::TimeWindow,
    note::{self},
    policy::{MAX_BYTES, Policy, PolicyErrorCode, Unwitnessed, Witnessed},
    public_key::PublicKeys,
    tree::Hash,
};

const ORIGIN: &str = "registry.example/journal";

const WINDOW: TimeWindow = TimeWindow { earliest: 40, latest: 80 };

fn log() -> LogKey {
    LogKey::from_seed(ORIGIN, &[7; 32]).unwrap()
}

fn witness(number: u8) -> WitnessKey {
    WitnessKey::from_seed(&format!("witness.example/w{number}"), &[100 + number; 32]).unwrap()
}

/// Three witnesses `a`, `b` and `c`, and these lines.
fn three(lines: &str) -> String {
    let names = ["a", "b", "c"].into_iter().zip(0..);
    let witnesses: String =
        names.map(|(name, number)| format!("witness {name} {}\n", witness(number).public())).collect();
    format!("log {}\n{witnesses}{lines}", log().public().as_str())
}

fn policy(lines: &str) -> Policy {
    Policy::parse(three(lines).as_bytes()).unwrap()
}

fn checkpoint() -> Checkpoint {
    log().sign_checkpoint(5, &Hash([3; 32])).unwrap()
}

/// The checkpoint, cosigned by these at these times.
fn cosigned(by: &[(u8, u64)]) -> String {
    let checkpoint = checkpoint();
    by.iter().fold(checkpoint.text().as_str().to_owned(), |text, (number, time)| {
        text + witness(*number).cosign(&checkpoint, *time).unwrap().line() + "\n"
    })
}

fn check(policy: &Policy, text: &str) -> Result<Witnessed, Unwitnessed> {
    policy.check(text, &PublicKeys::one(log().public().clone()), WINDOW)
}

fn code(file: &str) -> (&'static str, usize) {
    let refused = Policy::parse(file.as_bytes()).unwrap_err();
    (refused.code.code(), refused.line)
}

#[test]
fn too_few_are_named_and_enough_carry_the_proof() {
    let two = policy("group g 2 a b c\nquorum g\n");
    let Err(Unwitnessed::NoQuorum { seen, checkpoint: state }) = check(&two, &cosigned(&[(1, 50)])) else { panic!() };
    assert_eq!((seen.missing.as_slice(), state.size()), (&["a".to_owned(), "c".to_owned()][..], 5));
    assert_eq!(seen.to_string(), "1 of 3 witnesses cosigned the state; missing: a, c");
    let witnessed = check(&two, &cosigned(&[(2, 70), (0, 60)])).unwrap();
    assert_eq!((witnessed.seen().count(), witnessed.seen().oldest()), ((2, 3), Some(60)));
    assert_eq!(witnessed.checkpoint().size(), 5);
    assert!(check(&policy("quorum none\n"), checkpoint().text().as_str()).is_ok());
}

#[test]
fn a_witness_whose_clock_is_wrong_does_not_count_and_is_named_with_its_time() {
    let two = policy("group g 2 a b c\nquorum g\n");
    for (time, counts) in [(39, false), (40, true), (80, true), (81, false), (u64::MAX / 2, false)] {
        let checked = check(&two, &cosigned(&[(0, 60), (1, time)]));
        assert_eq!(checked.is_ok(), counts, "{time}");
        if let Err(refused) = checked {
            assert!(refused.to_string().contains(&format!("b (its cosignature is dated {time} seconds")), "{refused}");
        }
    }
    let witnessed = check(&two, &cosigned(&[(0, 60), (1, 81), (1, 55), (1, 39)])).unwrap();
    assert_eq!(witnessed.seen().oldest(), Some(55), "a line that does not count hides none that does");
}

#[test]
fn one_witness_counts_once_however_often_it_signs() {
    let two = policy("group g 2 a b c\nquorum g\n");
    assert!(check(&two, &cosigned(&[(1, 50), (1, 51), (1, 52)])).is_err());
    let witnessed = check(&two, &cosigned(&[(1, 52), (1, 51), (0, 60)])).unwrap();
    assert_eq!(witnessed.seen().oldest(), Some(52), "the newest of a witness counts");
}

#[test]
fn strangers_are_passed_over_and_a_wrong_line_of_a_known_key_is_named() {
    let one = policy("quorum b\n");
    let text = cosigned(&[(9, 50), (1, 50)]);
    assert_eq!(check(&one, &text).unwrap().seen().count(), (1, 3));
    let elsewhere = log().sign_checkpoint(6, &Hash([3; 32])).unwrap();
    let wrong = witness(0).cosign(&elsewhere, 50).unwrap();
    let refused = check(&one, &format!("{text}{}\n", wrong.line())).unwrap_err();
    assert_eq!(refused, Unwitnessed::BadCosignature { witness: "a".to_owned() });
}

#[test]
fn another_log_and_a_text_without_the_logs_signature_are_refused() {
    let one = policy("quorum b\n");
    let other = LogKey::from_seed(ORIGIN, &[8; 32]).unwrap();
    let text = cosigned(&[(1, 50)]);
    let refused = one.check(&text, &PublicKeys::one(other.public().clone()), WINDOW).unwrap_err();
    assert_eq!(refused, Unwitnessed::UnnamedLog);
    let body = note::body(&text).unwrap();
    let lines: String = note::signature_lines(&text).unwrap().skip(1).map(|line| format!("{line}\n")).collect();
    let refused = check(&one, &format!("{body}\n{lines}")).unwrap_err();
    assert_eq!(refused, Unwitnessed::Checkpoint(CheckpointError::UnknownKey));
    // A policy's key that was handed over leads to the next one.
    let both = PublicKeys::one(log().public().clone()).with_newer(other.public().clone()).unwrap();
    assert!(one.check(&text, &both, WINDOW).is_ok());
    assert_eq!(one.log_keys(ORIGIN), Some(PublicKeys::one(log().public().clone())));
    assert_eq!(one.log_keys("other.example"), None);
}

#[test]
fn cosignatures_of_many_witnesses_leave_the_checkpoint_readable() {
    let all: Vec<(u8, u64)> = (0..64).map(|number| (number, 50)).collect();
    let text = cosigned(&all);
    assert!(text.len() > 4096, "{}", text.len());
    let opened = Checkpoint::open(&text, &PublicKeys::one(log().public().clone())).unwrap();
    assert_eq!(opened, checkpoint());
    let lines: String = (0..64).map(|number| format!("witness n{number} {}\n", witness(number).public())).collect();
    let members: String = (0..64).map(|number| format!(" n{number}")).collect();
    let policy = Policy::parse(format!("{lines}group g all{members}\nquorum g\n").as_bytes()).unwrap();
    assert_eq!(check(&policy, &text).unwrap().seen().count(), (64, 64));
}

#[test]
fn every_fault_has_its_name_and_its_line() {
    let (a, b) = (witness(0).public().to_string(), witness(1).public().to_string());
    let renamed = WitnessKey::from_seed("else.example", &[100; 32]).unwrap().public().to_string();
    let of_log = WitnessKey::from_seed("else.example", &[7; 32]).unwrap().public().to_string();
    let rows: &[(&str, (&str, usize))] = &[
        ("", ("policy-no-quorum", 1)),
        ("# nothing\n\n \t\n", ("policy-no-quorum", 3)),
        ("quorum none\nquorum none\n", ("policy-second-quorum", 2)),
        ("quorum a\n", ("policy-unknown-name", 1)),
        ("quorum\n", ("policy-line", 1)),
        ("quorum none now\n", ("policy-line", 1)),
        ("Quorum none\n", ("policy-line", 1)),
        ("quorum none\r\n", ("policy-text", 1)),
        ("# a\nquorum none\u{0}\n", ("policy-text", 2)),
        ("# a\u{b}\nquorum none\n", ("policy-text", 1)),
        (&format!("witness none {a}\n"), ("policy-name", 1)),
        (&format!("witness {} {a}\n", "n".repeat(256)), ("policy-name", 1)),
        (&format!("witness a {a}\nwitness a {b}\n"), ("policy-same-name", 2)),
        (&format!("witness a {a}\nwitness b {a}\n"), ("policy-same-key", 2)),
        (&format!("witness a {a}\nwitness b {renamed}\n"), ("policy-same-key", 2)),
        (&three(&format!("witness d {of_log}\n")), ("policy-same-key", 5)),
        (&three(&format!("log {}\n", log().public().as_str())), ("policy-same-key", 5)),
        (&format!("witness a {}\n", log().public().as_str()), ("policy-key", 1)),
        (&format!("log {a}\n"), ("policy-key", 1)),
        (&format!("witness a {a}x\n"), ("policy-key", 1)),
        (&three("group g 0 a b\n"), ("policy-threshold", 5)),
        (&three("group g 3 a b\n"), ("policy-threshold", 5)),
        (&three("group g -1 a b\n"), ("policy-threshold", 5)),
        (&three("group g 01 a b\n"), ("policy-threshold", 5)),
        (&three("group g +1 a b\n"), ("policy-threshold", 5)),
        (&three("group g 99999999999999999999 a b\n"), ("policy-threshold", 5)),
        (&three("group g some a b\n"), ("policy-threshold", 5)),
        (&three("group g any\n"), ("policy-line", 5)),
        (&three("group g any g\n"), ("policy-unknown-name", 5)),
        (&three("group g any none\n"), ("policy-unknown-name", 5)),
        (&three("group g any a a\n"), ("policy-same-member", 5)),
        (&three("group g any a\ngroup h any a b\n"), ("policy-same-member", 6)),
        (&three("group a any b\n"), ("policy-same-name", 5)),
        (&three("group none any b\n"), ("policy-name", 5)),
        (&format!("witness a {a} ftp://a.example\n"), ("policy-url", 1)),
        (&format!("witness a {a} https://\n"), ("policy-url", 1)),
        (&format!("witness a {a} https://user@a.example/\n"), ("policy-url", 1)),
        (&format!("witness a {a} https://a.example/?b\n"), ("policy-url", 1)),
        (&format!("witness a {a} https://{}\n", "a".repeat(2048)), ("policy-url", 1)),
        (&format!("#{}\nquorum none\n", "x".repeat(MAX_BYTES)), ("policy-too-long", 1)),
    ];
    for (file, expected) in rows {
        assert_eq!(code(file), *expected, "{:?}", &file[..file.len().min(200)]);
    }
    assert_eq!(Policy::parse(b"# \xff\nquorum none\n").unwrap_err().code, PolicyErrorCode::Text);
}

#[test]
fn names_are_bytes_and_shown_escaped() {
    let (a, b) = (witness(0).public().clone(), witness(1).public().clone());
    let file = format!("witness K {a}\nwitness \u{212a} {b}\ngroup \u{202e}g all K \u{212a}\nquorum \u{202e}g\n");
    let policy = Policy::parse(file.as_bytes()).unwrap();
    let refused = check(&policy, &cosigned(&[(0, 50)])).unwrap_err();
    assert!(refused.to_string().ends_with("missing: \\u{212a}"), "{refused}");
}

#[test]
fn ten_thousand_nested_groups_are_refused_and_sixty_four_are_not() {
    let nested = |count: usize| {
        let mut file = three("group g0 any a\n");
        for number in 1..count {
            file.push_str(&format!("group g{number} any g{}\n", number - 1));
        }
        file + &format!("quorum g{}\n", count - 1)
    };
    assert_eq!(code(&nested(10_000)).0, "policy-too-long");
    assert_eq!(code(&nested(65)), ("policy-too-many", 69));
    let deep = Policy::parse(nested(64).as_bytes()).unwrap();
    assert!(check(&deep, &cosigned(&[(0, 50)])).is_ok() && check(&deep, &cosigned(&[(1, 50)])).is_err());
}

#[test]
fn every_code_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<&str> = PolicyErrorCode::ALL.iter().map(|code| code.code()).collect();
    assert_eq!(names.len(), PolicyErrorCode::ALL.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), lines in "((log|witness|group|quorum|#) [a-c0-9+ \t]{0,20}\n){0,12}") {
        let _ = Policy::parse(&bytes);
        let _ = Policy::parse(three(&lines).as_bytes());
        let any = policy("quorum a\n");
        let _ = check(&any, &String::from_utf8_lossy(&bytes));
    }

    /// The quorum is what counting says, for every set of signers and every threshold.
    #[test]
    fn a_quorum_is_what_counting_says(signers in 0_u8..8, k in 1_usize..=3) {
        let by: Vec<(u8, u64)> = (0..3).filter(|at| signers & (1 << at) != 0).map(|at| (at, 50)).collect();
        let flat = policy(&format!("group g {k} a b c\nquorum g\n"));
        prop_assert_eq!(check(&flat, &cosigned(&by)).is_ok(), by.len() >= k);
        let nested = policy("group g any a b\ngroup h all g c\nquorum h\n");
        prop_assert_eq!(check(&nested, &cosigned(&by)).is_ok(), signers & 3 != 0 && signers & 4 != 0);
        // More witnesses never take a quorum away.
        let all = check(&flat, &cosigned(&[(0, 50), (1, 50), (2, 50)]));
        prop_assert!(all.is_ok());
    }
}
