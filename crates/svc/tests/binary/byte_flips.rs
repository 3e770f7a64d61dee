//! Every changed byte of every file is refused, unless the document means the same without it.
//!
//! What a document means is judged by `serde_json` alone: the values are equal or they are not.

use std::collections::BTreeMap;

use serde_json::Value;
use svc_core::samples::rules;
use svc_core::words::kind::{self, ArtifactSpec};

use crate::{
    bundle::{self, Bundle},
    campaign::{self, Random, Record},
    commands::judge,
    svc::app,
};

/// One changed byte.
#[derive(Clone)]
struct Flip {
    spec: &'static ArtifactSpec,
    at: usize,
    was: u8,
    is: u8,
}

impl Flip {
    fn apply(&self) -> Vec<u8> {
        let mut bytes = bundle::weather_board()[self.spec.file].clone();
        bytes[self.at] = self.is;
        bytes
    }

    fn describe(&self) -> String {
        format!("{} byte {}: {:#04x} became {:#04x}", self.spec.file, self.at, self.was, self.is)
    }
}

#[test]
fn every_changed_byte_is_refused_or_means_nothing() {
    let flips: Vec<Flip> = kind::ALL.iter().flat_map(|spec| flips(spec, campaign::count(200, 4_000))).collect();
    let judged = campaign::in_parallel(&flips, judged_in_process);
    let mut found: Vec<String> = judged.iter().filter_map(|result| result.as_ref().err().cloned()).collect();
    let mut ends: BTreeMap<i32, usize> = BTreeMap::new();
    judged.iter().flatten().for_each(|code| *ends.entry(*code).or_default() += 1);

    let mut random = Random::new("byte-flips by the binary");
    let sample = campaign::count(20, 200);
    let by_binary: Vec<Flip> = kind::ALL
        .iter()
        .flat_map(|spec| {
            let own: Vec<Flip> = flips.iter().filter(|flip| flip.spec.kind == spec.kind).cloned().collect();
            random.pick(&own, sample)
        })
        .collect();
    found.extend(campaign::in_parallel(&by_binary, judged_by_the_binary).into_iter().flatten());

    let mut counts = vec![("flips".to_owned(), flips.len()), ("of them by the binary".to_owned(), by_binary.len())];
    counts.extend(ends.into_iter().map(|(code, count)| match code {
        0 => ("without meaning (exit 0)".to_owned(), count),
        code => (format!("refused (exit {code})"), count),
    }));
    let tried =
        "One byte of one of the seven files is changed: one bit in half of the cases, any other byte in the rest.";
    Record { name: "byte-flips", tried, counts, found }.close();
}

fn flips(spec: &'static ArtifactSpec, count: usize) -> Vec<Flip> {
    let bytes = &bundle::weather_board()[spec.file];
    let mut random = Random::new(spec.file);
    let flip = |index: usize| {
        let at = random.below(bytes.len());
        let mask =
            if index.is_multiple_of(2) { 1 << random.below(8) } else { u8::try_from(1 + random.below(255)).unwrap() };
        Flip { spec, at, was: bytes[at], is: bytes[at] ^ mask }
    };
    (0..count).map(flip).collect()
}

/// The exit code that a flip must end with: 0 exactly if it means nothing. `Err` if it ends otherwise.
fn judged_in_process(flip: &Flip) -> Result<i32, String> {
    let bytes = flip.apply();
    let code = match svc_core::read::verify(rules(), flip.spec.artifact, &bytes) {
        Ok(_) => 0,
        Err(findings) => i32::from(findings.exit_code().code()),
    };
    let fits = if means_the_same(flip, &bytes) { code == 0 } else { [1, 4, 7].contains(&code) };
    if fits { Ok(code) } else { Err(format!("{} ends with {code}", flip.describe())) }
}

fn judged_by_the_binary(flip: &Flip) -> Option<String> {
    let bundle = Bundle::new();
    bundle.write(flip.spec, &flip.apply());
    let run = app([judge(flip.spec)]).args([bundle.path(flip.spec)]).run();
    let expected = judged_in_process(flip).ok();
    (run.code() != expected).then(|| format!("{} ends the binary with {:?}", flip.describe(), run.code()))
}

fn means_the_same(flip: &Flip, bytes: &[u8]) -> bool {
    let original = bundle::json(&bundle::weather_board()[flip.spec.file]);
    serde_json::from_slice::<Value>(bytes).is_ok_and(|changed| changed == original)
}
