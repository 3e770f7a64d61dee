//! The schemas, each once, as a client may rely on them.
//!
//! The schemas of the types say what this build reads and writes, and what a later version may add to: problems and
//! the entries of the journal are open. Three things are different here. Constants stand where they are used: a name of
//! their own would make generators wrap them, and a wrapped `false` is true in some languages. A flag is spelled so that
//! every generator we know of keeps the literal ([`flag`]). Lists that are constants are told by their items and length.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use svc_core::{
    contract::contracts,
    scalar::any_problem_code::AnyProblemCode,
    words::{limits, problem_code::ProblemCode},
};

use super::name::{pascal, reference};
use crate::readiness::UnreadyReason;

const SCHEMAS: &str = "#/components/schemas/";

/// The contracts that are served, as the routes name them.
const DOCUMENTS: &[&str] = &["api", "readiness", "lifecycle", "ruleset", "limits"];

/// Every schema by its name in code.
pub(super) fn all() -> Value {
    let own = contracts::schema_sources().into_iter().map(|(name, make)| (name.to_owned(), make()));
    let documents = DOCUMENTS.iter().filter_map(|name| {
        let schema = contracts::document_schema(name)?;
        Some((schema.get("title")?.as_str()?.to_owned(), schema))
    });
    let roots: Vec<(String, Value)> = own.chain(documents).collect();
    let mut named = collected(&roots);
    let constants = constants(&named);
    for schema in named.values_mut() {
        each_schema(schema, &mut |schema| spell(schema, &constants));
    }
    named.retain(|name, _| !constants.contains_key(name));
    named.insert("AllGates".into(), all_gates());
    named.insert("NoSignatures".into(), json!({ "type": "array", "items": { "type": "string" }, "maxItems": 0 }));
    named.insert("ProblemCode".into(), problem_code());
    named.extend(of_the_service());
    Value::Object(named)
}

/// Takes out the components that nothing refers to.
pub(super) fn keep_used(description: &mut Value) {
    loop {
        let mut used = BTreeSet::new();
        references(description, &mut used);
        let Some(Value::Object(sections)) = description.get_mut("components") else { return };
        let mut removed = false;
        for (section, components) in sections.iter_mut().filter(|(section, _)| *section != "securitySchemes") {
            if let Value::Object(components) = components {
                let count = components.len();
                components.retain(|name, _| used.contains(&format!("#/components/{section}/{name}")));
                removed |= components.len() < count;
            }
        }
        if !removed {
            return;
        }
    }
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(elements) => elements.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The roots and what they define, under one name each. What is defined in several roots is the same in all.
fn collected(roots: &[(String, Value)]) -> Map<String, Value> {
    let mut named = Map::new();
    for (name, root) in roots {
        let mut root = root.clone();
        point_into_components(&mut root, roots);
        let Value::Object(members) = &mut root else { continue };
        members.remove("$schema");
        members.remove("$id");
        if let Some(Value::Object(definitions)) = members.remove("$defs") {
            for (inner, schema) in definitions {
                named.entry(public_name(&inner, roots)).or_insert(schema);
            }
        }
        named.insert(pascal(name), root);
    }
    named
}

/// A type inside another has the name of its root, where it is one.
fn public_name(inner: &str, roots: &[(String, Value)]) -> String {
    let is_root = |root: &&(String, Value)| root.1.get("title").and_then(Value::as_str) == Some(inner);
    pascal(roots.iter().find(is_root).map_or(inner, |(name, _)| name))
}

fn point_into_components(schema: &mut Value, roots: &[(String, Value)]) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(inner) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("{SCHEMAS}{}", public_name(inner, roots));
            }
            members.values_mut().for_each(|value| point_into_components(value, roots));
        }
        Value::Array(elements) => elements.iter_mut().for_each(|value| point_into_components(value, roots)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The schemas that allow one plain value.
fn constants(named: &Map<String, Value>) -> Map<String, Value> {
    let plain = |schema: &Value| schema.get("const").is_some_and(|only| !only.is_array() && !only.is_object());
    named.iter().filter(|(_, schema)| plain(schema)).map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

/// Visits those inside a schema, then the schema. Names of members are no keywords.
fn each_schema(schema: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(members) = schema else { return };
    for (keyword, inner) in members.iter_mut() {
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(named)) => named.values_mut().for_each(|inner| each_schema(inner, visit)),
            ("items" | "additionalProperties" | "propertyNames", inner) => each_schema(inner, visit),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(several)) => {
                several.iter_mut().for_each(|inner| each_schema(inner, visit));
            }
            _ => {}
        }
    }
    visit(members);
}

fn spell(schema: &mut Map<String, Value>, constants: &Map<String, Value>) {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(SCHEMAS));
    if let Some(Value::Object(constant)) = target.and_then(|name| constants.get(name)) {
        schema.remove("$ref");
        for (keyword, value) in constant {
            schema.entry(keyword.clone()).or_insert_with(|| value.clone());
        }
    }
    schema.remove("title");
    if let Some(Value::String(about)) = schema.get_mut("description") {
        *about = about.replace('\n', " ");
    }
    if schema.get("maximum").and_then(Value::as_i64).is_some_and(|most| most >= limits::JSON_INTEGER) {
        schema.insert("format".into(), "int64".into());
    }
    if let Some(only) = schema.get("const").and_then(Value::as_bool) {
        schema.remove("type");
        schema.extend(flag(only));
    }
}

/// A boolean that has one value. With `type` beside `const`, openapi-python-client reads any boolean; with `const` alone,
/// openapi-generator reads anything. This keeps the literal in both, and means the same.
fn flag(only: bool) -> Map<String, Value> {
    let plain = json!({ "type": "boolean", "const": only });
    Map::from_iter([("const".to_owned(), only.into()), ("allOf".to_owned(), json!([plain]))])
}

fn all_gates() -> Value {
    let count = svc_core::words::gate::Gate::ALL.len();
    json!({
        "type": "array",
        "description": "Every gate, in order.",
        "items": reference("schemas", "Gate"),
        "minItems": count,
        "maxItems": count,
        "uniqueItems": true,
    })
}

fn problem_code() -> Value {
    json!({
        "type": "string",
        "description": "The code of a problem. There may be others one day: treat one that you do not know like any \
                        other of its status.",
        "pattern": AnyProblemCode::PATTERN,
        "maxLength": AnyProblemCode::MOST_BYTES,
        "x-extensible-enum": ProblemCode::WORDS,
    })
}

/// What the service says of itself. These are open.
fn of_the_service() -> Map<String, Value> {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let count = |about: &str| json!({ "type": "integer", "format": "int64", "minimum": 0, "description": about });
    let objects: [(&str, &str, Value, &[&str]); 10] = [
        (
            "Link",
            "One route.",
            json!({
                "about": text("What it is."), "href": text("Its path."), "method": text("Its method."),
                "operation": text("Its name."),
            }),
            &["about", "href", "method", "operation"],
        ),
        (
            "Links",
            "Every route.",
            json!({ "links": { "type": "array", "items": reference("schemas", "Link") } }),
            &["links"],
        ),
        (
            "ProblemPage",
            "What a problem code means.",
            json!({
                "code": reference("schemas", "ProblemCode"), "help": text("The way out."),
                "status": { "type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status." },
                "title": text("The title."),
            }),
            &["code", "help", "status", "title"],
        ),
        ("Liveness", "Whether the process lives.", json!({ "live": { "type": "boolean" } }), &["live"]),
        (
            "Readiness",
            "Whether it takes requests.",
            json!({
                "journal": reference("schemas", "JournalCheck"),
                "journalFault": text("Why the journal is closed until the next start: the name of the fault."),
                "ready": { "type": "boolean" },
                "reason": {
                    "type": "string",
                    "enum": UnreadyReason::codes().collect::<Vec<_>>(),
                    "description": "Why it takes no requests, when it takes none.",
                },
                "witnesses": reference("schemas", "WitnessCheck"),
            }),
            &["ready"],
        ),
        (
            "JournalCheck",
            "How far the check of the whole journal is, as long as it is under way.",
            json!({
                "checked": count("Records that were checked since the start."),
                "of": count("Records that were there at the start."),
            }),
            &["checked", "of"],
        ),
        (
            "WitnessCheck",
            "Whether the witnesses of the log follow it, where it has some.",
            json!({
                "alarms": count("Witnesses that have seen another log than this one."),
                "cosigned": count("Witnesses that cosigned the state which all are asked for."),
                "of": count("Witnesses of the policy."),
                "quorum": { "type": "boolean", "description": "Whether the quorum was lacking for no longer than a minute." },
                "records": count("Records of the newest state that the quorum has seen."),
            }),
            &["alarms", "cosigned", "of", "quorum", "records"],
        ),
        (
            "RunningVersion",
            "What is running.",
            json!({
                "commit": text("The commit that was built."), "ruleset": reference("schemas", "Ruleset"),
                "schemaVersion": text("The version of the schemas."), "version": text("The version of the program."),
            }),
            &["commit", "ruleset", "schemaVersion", "version"],
        ),
        (
            "JournalPage",
            "Records of the log.",
            json!({
                "entries": { "type": "array", "items": reference("schemas", "JournalEntry") },
                "next": count("The cursor to go on with; absent at the end."),
                "size": count("How many records the log has."),
            }),
            &["entries", "size"],
        ),
        ("Document", "A document of another format.", json!({}), &[]),
    ];
    let described = objects.into_iter().map(|(name, about, properties, required)| {
        let schema = json!({
            "type": "object", "description": about, "properties": properties, "required": required,
            "additionalProperties": true,
        });
        (name.to_owned(), schema)
    });
    described.collect()
}
