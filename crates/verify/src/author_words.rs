//! Documents and requests with words that only the client knows. No answer may repeat one: what an author writes must not
//! come back under the name of the registry.

use std::sync::Arc;

use serde_json::{Value, json};
use svc_client::exchange::Body;
use svc_core::{
    attacks,
    bundle::Files,
    contract::contracts::BASE_PATH,
    samples,
    words::{kind, problem_code::ProblemCode},
};

use crate::{
    probe::{EndpointProbes, ExpectedRefusal, ExpectedReply, Probe, ProbeBuilder, get, post},
    samples::Samples,
};

/// Letters of a word: enough that none is there by chance.
const LETTERS: usize = 16;

/// How many words there are: more than the texts of a document that one probe fills.
const WORDS: usize = 20;

/// Makes words that were never said before.
struct Words(Vec<String>);

impl Words {
    fn new() -> Result<Self, String> {
        let mut words = Vec::new();
        for _ in 0..WORDS {
            let mut random = [0_u8; LETTERS];
            getrandom::fill(&mut random).map_err(|error| format!("cannot make a word: {error}"))?;
            words.push(random.iter().map(|byte| char::from(b'a' + byte % 26)).collect());
        }
        Ok(Self(words))
    }

    fn at(&self, index: usize) -> &str {
        self.0.get(index).map_or("", String::as_str)
    }
}

/// Documents with the author's words, by endpoint.
///
/// # Errors
/// When this build's own samples cannot be used, or there is no randomness.
pub(crate) fn of_endpoints(own: &Samples) -> Result<Vec<EndpointProbes>, String> {
    let words = Words::new()?;
    let with_endpoint = kind::ALL.iter().filter_map(|spec| Some((*spec, spec.endpoint?.path)));
    with_endpoint
        .map(|(spec, path)| {
            let builder = ProbeBuilder { spec, path: format!("{BASE_PATH}{path}"), files: own.files(), samples: own };
            let probes = of_documents(&builder, &words)?;
            let probes = probes.into_iter().map(|probe| probe.with_words(words.0.clone())).collect();
            Ok(EndpointProbes { spec, path, probes })
        })
        .collect()
}

fn of_documents(builder: &ProbeBuilder<'_>, words: &Words) -> Result<Vec<Probe>, String> {
    let spec = builder.spec;
    let said = format!("{} may be installed {}", words.at(0), words.at(1));
    let valid = with_words(words, &said).ok_or_else(|| "the sample cannot be made with other words".to_owned())?;
    let valid = valid.get(spec.file).cloned().ok_or_else(|| format!("{} is missing", spec.file))?;
    let good: Value = serde_json::from_slice(&builder.samples.good(spec)?).map_err(|error| error.to_string())?;
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut document = good.clone();
        change(&mut document);
        attacks::reseal(&mut document);
        document.to_string().into_bytes().into()
    };
    let opened = |text: &str| good.to_string().replacen('{', &format!("{{{text},"), 1).into_bytes().into();
    Ok(vec![
        builder.evaluated_body("author's words in manifest, owner and paths", valid.into())?,
        builder.refused_body(
            "author's words in an unknown member",
            changed(&|document| {
                document[words.at(0)] = json!({ (words.at(1)): said });
            }),
        )?,
        builder.refused_body(
            "author's words for kind and version",
            changed(&|document| {
                document["kind"] = json!(words.at(0));
                document["schemaVersion"] = json!(words.at(1));
            }),
        )?,
        builder.refused_body(
            "author's words for digests, gates and status",
            changed(&|document| {
                document["gateStatuses"] = json!({ (words.at(0)): words.at(1) });
                document["status"] = json!(said);
                document["derivedFrom"] = json!([{ "digest": words.at(2), "kind": words.at(3) }]);
                document["ruleset"] = json!({ "digest": words.at(4), "version": words.at(5) });
            }),
        )?,
        builder.refused_body(
            "author's words as a member twice",
            opened(&format!("\"{0}\":\"{1}\",\"{0}\":\"{1}\"", words.at(0), words.at(1))),
        )?,
        builder
            .refused_body("author's words outside of JSON", opened(&format!("\"{}\":{}", words.at(0), words.at(1))))?,
    ])
}

/// A bundle with a word in each text that an author or an owner chooses: of the manifest those without a fixed vocabulary.
fn with_words(words: &Words, said: &str) -> Option<Files> {
    let word = |index: usize| words.at(index);
    let patch = json!({
        "id": format!("dev.{}.{}", word(3), word(4)),
        "version": format!("1.0.0-{}", word(5)),
        "name": word(0),
        "summary": said,
        "keywords": [word(2)],
        "publisher": { "id": word(6), "url": format!("https://{}.example", word(7)) },
        "repository": { "url": format!("https://github.com/{}/{}", word(8), word(9)) },
        "support": { "url": format!("https://acme.dev/{}", word(10)) },
        "privacyPolicy": format!("https://acme.dev/{}", word(11)),
        "permissions": [{ "permission": "network.fetch", "purpose": format!("Reads {}.", word(12)) }],
        "network": { "purpose": format!("The service receives {}.", word(13)) },
        "screenshots": [{ "src": "assets/board.png", "alt": format!("A picture of {}.", word(14)) }],
        "contributes": { "commands": [{ "id": word(15), "title": word(16) }] },
    });
    let (file, owner_name) = (format!("data/{}.json", word(17)), format!("{} Limited", word(18)));
    let outside = samples::Outside { owner: word(19), owner_name: &owner_name, file: &file };
    samples::bundle_with(&patch.to_string(), outside)
}

/// Requests with the client's words in headers, queries and paths.
///
/// # Errors
/// When this build's own samples cannot be used, or there is no randomness.
pub(crate) fn of_requests(own: &Samples) -> Result<Vec<Probe>, String> {
    let words = Words::new()?;
    let spec = &kind::ACCEPTANCE_REQUEST;
    let path = spec.endpoint.map(|endpoint| endpoint.path).unwrap_or_default();
    let builder = ProbeBuilder { spec, path: format!("{BASE_PATH}{path}"), files: own.files(), samples: own };
    let good: Arc<[u8]> = own.good(spec)?.into();
    let form = |name: &str, code: ProblemCode, headers: &[(&'static str, String)]| {
        builder.refused(name, code, |request| {
            request.body = Body::Bytes(good.clone());
            request.headers = headers.iter().map(|(name, value)| (*name, value.clone().into())).collect();
        })
    };
    let json_body = || ("content-type", "application/json".to_owned());
    let mut probes = vec![
        form(
            "client's words as a media type",
            ProblemCode::UnsupportedMediaType,
            &[("content-type", format!("text/{}", words.at(0)))],
        ),
        form(
            "client's words as a content encoding",
            ProblemCode::UnsupportedMediaType,
            &[json_body(), ("content-encoding", words.at(1).to_owned())],
        ),
        form(
            "client's words as what it accepts",
            ProblemCode::NotAcceptable,
            &[json_body(), ("accept", format!("text/{}", words.at(2)))],
        ),
    ];
    let refusal = || ExpectedReply::Refused(ExpectedRefusal::of_contract(ProblemCode::NotFound));
    let query = format!("{}?{}={}", builder.path, words.at(3), words.at(4));
    probes.push(Probe::new("client's words as a query".to_owned(), post(query, good), refusal()));
    for (name, path) in [("path", format!("/{}", words.at(5))), ("schema", format!("/schemas/{}", words.at(0)))] {
        let request = get(format!("{BASE_PATH}{path}"));
        probes.push(Probe::new(format!("client's words as a {name}"), request, refusal()));
    }
    Ok(probes.into_iter().map(|probe| probe.with_words(words.0.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_in_the_payload_of_every_kind_that_holds_the_package() {
        let words = Words::new().unwrap();
        let files = with_words(&words, "a package").unwrap();
        let text = String::from_utf8(files[kind::SUBMISSION.file].clone()).unwrap();
        let absent: Vec<usize> = (0..WORDS).filter(|index| *index != 1 && !text.contains(words.at(*index))).collect();
        assert_eq!(absent, [0; 0], "{text}");
    }
}
