use svc_journal::log_key::LogKey;
use svc_proof::public_key::PublicKeys;

#[test]
fn keys_of_two_logs_do_not_stand_in_one_file() {
    let (one, two) = (LogKey::generate().unwrap(), LogKey::generate().unwrap());
    let both = format!("{}\n{}\n", one.public().as_str(), two.public().as_str());
    assert!(PublicKeys::parse(&both).is_err());
    let newer = LogKey::generate_for(one.origin()).unwrap();
    let keys = PublicKeys::one(one.public().clone()).with_newer(newer.public().clone()).unwrap();
    assert_eq!(keys.as_slice(), [newer.public().clone(), one.public().clone()]);
    assert!(PublicKeys::parse("").is_err());
    assert!(PublicKeys::parse(&one.to_file()).is_err(), "a secret key is not a public one");
}
