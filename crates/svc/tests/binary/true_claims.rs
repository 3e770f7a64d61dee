//! No way to say yes is ever anything but a claim: exit 7 and SVC-B006, whatever else is wrong with the file.

use std::ops::Range;

use svc_core::words::kind::{self, ArtifactSpec};

use crate::{
    bundle::{self, Bundle},
    campaign::{self, Record},
    commands::judge,
    folder,
    svc::app,
};

const FLAGS: [&str; 3] = ["accepted", "signed", "installable"];

/// Everything but `false` that JSON can say in its place.
const SPELLINGS: &[&str] = &[
    "true",
    r#""true""#,
    r#""TRUE""#,
    r#""True""#,
    r#""\u0074rue""#,
    r#""tru\u0065\u0000""#,
    r#""yes""#,
    r#""no""#,
    r#""on""#,
    r#""false""#,
    r#""False""#,
    r#""1""#,
    r#""0""#,
    r#""""#,
    r#"" ""#,
    r#""\ud800""#,
    r#""\u202etrue""#,
    "1",
    "0",
    "-1",
    "-0",
    "1.0",
    "0.0",
    "1e0",
    "1E+2",
    "1e400",
    "9007199254740993",
    "null",
    "{}",
    "[]",
    "[true]",
    "[false]",
    r#"{"value":true}"#,
    r#"{"accepted":false}"#,
];

/// Something else that is wrong with the same file.
struct Company {
    what: &'static str,
    spoil: fn(&ArtifactSpec, String) -> String,
}

const COMPANY: &[Company] = &[
    Company { what: "a digest that does not recompute", spoil: |_, text| other_digest(&text) },
    Company { what: "a digest in uppercase", spoil: |_, text| text.replacen("sha256:", "SHA256:", 1) },
    Company { what: "an unknown member", spoil: |_, text| opened_with(&text, r#""approvedBy": "nobody","#) },
    Company {
        what: "every flag once more, and false",
        spoil: |_, text| opened_with(&text, r#""accepted": false, "signed": false, "installable": false,"#),
    },
    Company { what: "a fraction", spoil: |_, text| opened_with(&text, r#""extra": 1.5,"#) },
    Company { what: "a hidden character", spoil: |_, text| opened_with(&text, r#""extra": "\u202e","#) },
    Company { what: "half a character", spoil: |_, text| opened_with(&text, r#""extra": "\ud800","#) },
    Company { what: "a NUL", spoil: |_, text| opened_with(&text, r#""extra": "\u0000","#) },
    Company { what: "no schema version", spoil: |_, text| text.replace(r#""schemaVersion": "1.0","#, "") },
    Company {
        what: "another schema version",
        spoil: |_, text| text.replace(r#"Version": "1.0""#, r#"Version": "2.0""#),
    },
    Company {
        what: "a list for an object",
        spoil: |_, text| text.replacen(r#""gateStatuses": {"#, r#""gateStatuses": [], "x": {"#, 1),
    },
    Company { what: "another kind", spoil: |spec, text| of_kind(spec, &text, other_kind(spec)) },
    Company { what: "an unknown kind", spoil: |spec, text| of_kind(spec, &text, "svc-registry-approval") },
    Company { what: "a second document behind it", spoil: |_, text| text + "{}\n" },
];

/// A flag somewhere in a file, by the bytes of its value.
#[derive(Clone)]
struct Place {
    spec: &'static ArtifactSpec,
    flag: &'static str,
    value: Range<usize>,
}

/// A claim, and what else is wrong.
struct Case<'a> {
    place: &'a Place,
    spelling: &'static str,
    company: Option<&'static Company>,
}

#[test]
fn every_spelling_of_a_claim_in_every_flag_of_every_file_is_an_open_claim() {
    let places = places();
    // The index of two submissions has each flag three times, the other six files once.
    assert_eq!(places.len(), 3 * (6 + 3));
    let with_company = campaign::count(1, SPELLINGS.len());
    let mut cases: Vec<Case<'_>> = Vec::new();
    for place in &places {
        cases.extend(SPELLINGS.iter().map(|&spelling| Case { place, spelling, company: None }));
        for company in COMPANY {
            let spellings = SPELLINGS.iter().take(with_company);
            cases.extend(spellings.map(|&spelling| Case { place, spelling, company: Some(company) }));
        }
    }
    let found: Vec<String> = campaign::in_parallel(&cases, missed).into_iter().flatten().collect();
    let counts = vec![
        ("files".to_owned(), kind::ALL.len()),
        ("places".to_owned(), places.len()),
        ("spellings".to_owned(), SPELLINGS.len()),
        ("other faults beside the claim".to_owned(), COMPANY.len()),
        ("documents, each judged by two commands".to_owned(), cases.len()),
    ];
    let tried = "A flag says anything but `false`, alone or beside another fault of the same file.";
    Record { name: "true-claims", tried, counts, found }.close();
}

/// What went wrong with a case: both judges must exit with 7, name the rule, and write nothing.
fn missed(case: &Case<'_>) -> Vec<String> {
    let Case { place, spelling, company } = case;
    let mut text = original(place.spec);
    text.replace_range(place.value.clone(), spelling);
    if let Some(company) = company {
        text = (company.spoil)(place.spec, text);
    }
    let bundle = Bundle::new();
    bundle.write(place.spec, text.as_bytes());
    let what = company.map_or("nothing else", |company| company.what);
    let mut missed = Vec::new();
    for command in ["validate", judge(place.spec)] {
        let run = || app([command]).args([bundle.path(place.spec)]).in_folder(bundle.folder()).run();
        let run = folder::untouched(bundle.folder(), run);
        if run.code() != Some(7) || !run.err().contains("error[SVC-B006]") || !run.says_no() {
            missed.push(format!(
                "{} {} at byte {}: {spelling} and {what}: {command} ends with {:?}",
                place.spec.file,
                place.flag,
                place.value.start,
                run.code()
            ));
        }
    }
    missed
}

fn places() -> Vec<Place> {
    let mut places = Vec::new();
    for spec in kind::ALL {
        let text = original(spec);
        for flag in FLAGS {
            let stands = format!("\"{flag}\": false");
            for (start, _) in text.match_indices(&stands) {
                let end = start + stands.len();
                places.push(Place { spec, flag, value: end - "false".len()..end });
            }
        }
    }
    places
}

fn original(spec: &ArtifactSpec) -> String {
    let is_index = spec.kind == kind::INDEX.kind;
    let bytes = if is_index { bundle::index_of_two() } else { &bundle::weather_board()[spec.file] };
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn opened_with(text: &str, members: &str) -> String {
    text.replacen('{', &format!("{{ {members}"), 1)
}

fn other_digest(text: &str) -> String {
    let start = text.rfind("\"documentDigest\": \"sha256:").unwrap() + "\"documentDigest\": \"sha256:".len();
    let other = if text[start..].starts_with('0') { "1" } else { "0" };
    format!("{}{other}{}", &text[..start], &text[start + 1..])
}

fn of_kind(spec: &ArtifactSpec, text: &str, kind: &str) -> String {
    // The last one is the document's own: a submission in an index stands before it.
    let own = format!("\"kind\": \"{}\"", spec.kind);
    let at = text.rfind(&own).unwrap();
    format!("{}\"kind\": \"{kind}\"{}", &text[..at], &text[at + own.len()..])
}

fn other_kind(spec: &ArtifactSpec) -> &'static str {
    kind::ALL.iter().map(|other| other.kind).find(|kind| *kind != spec.kind).unwrap()
}
