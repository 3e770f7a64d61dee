use super::*;

#[test]
fn the_list_of_members_is_the_one_that_is_read() {
    let text: String = MEMBERS.iter().map(|member| format!("{}\n", member.example)).collect();
    assert!(toml::from_str::<Written>(&text).is_ok(), "{text}");
    let unknown = toml::from_str::<Written>("other = 1").unwrap_err().message().to_owned();
    let known: Vec<String> = MEMBERS.iter().map(|member| format!("`{}`", member.name)).collect();
    assert_eq!(unknown, format!("unknown field `other`, expected one of {}", known.join(", ")));
    for member in MEMBERS {
        assert!(member.example.starts_with(&format!("{} = ", member.name)), "{}", member.name);
    }
}

/// What a package's own file may set is written here once more, so that a new member is no oversight.
#[test]
fn only_what_makes_a_run_stricter_takes_effect_in_a_package() {
    let text: String = MEMBERS.iter().map(|member| format!("{}\n", member.example)).collect();
    for (origin, effective) in [
        (Origin::Package, &["deny", "deny-warnings", "deny-blockers"][..]),
        (
            Origin::CurrentPackage,
            &[
                "out-dir",
                "format",
                "reports",
                "deny",
                "deny-warnings",
                "deny-blockers",
                "owner-id",
                "owner-name",
                "visibility",
            ],
        ),
    ] {
        let ignored = toml::from_str::<Written>(&text).unwrap().restrict(origin);
        let expected: Vec<&str> =
            MEMBERS.iter().map(|member| member.name).filter(|name| !effective.contains(name)).collect();
        assert_eq!(ignored, expected, "{origin:?}");
    }
    assert!(toml::from_str::<Written>(&text).unwrap().restrict(Origin::CurrentFolder).is_empty());
    assert!(MEMBERS.iter().any(|member| member.reach == Reach::OutsidePackages));
}
