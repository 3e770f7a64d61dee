//! The API in OpenAPI 3.1, composed from the table of operations and the generated schemas.

use serde_json::{Map, Value, json};
use svc_core::{contract::contracts, words::problem_code::ProblemCode};
use svc_json::canonical;

use crate::routes::{Method, Operation, Serves, journal::JournalDocument};

/// The description of these operations.
#[must_use]
pub fn render(operations: &[Operation]) -> Vec<u8> {
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations {
        let methods = paths.entry(operation.path.clone()).or_insert_with(|| json!({}));
        if let Value::Object(methods) = methods {
            methods.insert(operation.method.as_str().to_ascii_lowercase(), describe(operation));
        }
    }
    canonical::to_pretty(&json!({
        "openapi": "3.1.0",
        "info": {
            "title": "svc registry",
            "version": "1",
            "description": "Six endpoints that evaluate artifacts and always answer no.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    }))
}

fn describe(operation: &Operation) -> Value {
    let mut description = json!({
        "operationId": operation.id,
        "summary": operation.about,
        "responses": responses(operation),
    });
    let Value::Object(members) = &mut description else { return description };
    if operation.scope.is_some() {
        members.insert("security".into(), json!([{}, { "token": [] }]));
    }
    let parameters = parameters(operation);
    if !parameters.is_empty() {
        members.insert("parameters".into(), parameters.into());
    }
    if let Serves::Evaluation(spec) = operation.serves {
        let schema = json!({ "$ref": format!("#/components/schemas/{}", spec.name) });
        members.insert(
            "requestBody".into(),
            json!({ "required": true, "content": { "application/json": { "schema": schema } } }),
        );
    }
    description
}

fn responses(operation: &Operation) -> Value {
    let mut responses = Map::new();
    responses.insert("200".into(), success(operation));
    if operation.method == Method::Get && !matches!(operation.serves, Serves::Live | Serves::Ready | Serves::Version) {
        responses.insert("304".into(), json!({ "description": "The client has it already." }));
    }
    if matches!(operation.serves, Serves::Ready) {
        responses.insert("503".into(), json_body("Not ready.", json!({ "type": "object" })));
    }
    let problem = |code: &&ProblemCode| match code.spec().status {
        _ if operation.method == Method::Post => true,
        401 | 403 => operation.scope.is_some(),
        // Probes of health are never counted.
        429 => !matches!(operation.serves, Serves::Live | Serves::Ready),
        status => matches!(status, 400 | 404 | 405 | 406 | 503),
    };
    for code in ProblemCode::ALL.iter().filter(problem) {
        let status = code.spec().status.to_string();
        if responses.contains_key(&status) && !matches!(operation.serves, Serves::Evaluation(_)) {
            continue;
        }
        responses.insert(status, problem_response(code.spec().status));
    }
    Value::Object(responses)
}

fn success(operation: &Operation) -> Value {
    match operation.serves {
        Serves::Evaluation(_) => json!({
            "description": "The evaluation was completed, and the answer is no.",
            "headers": { "Svc-Decision": { "schema": { "const": "denied" }, "required": true } },
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/decision" } } },
        }),
        Serves::Schema(_) => json!({
            "description": "A JSON Schema.",
            "content": { "application/schema+json": { "schema": { "type": "object" } } },
        }),
        Serves::Journal(wanted) => journal_success(wanted),
        Serves::Contract(_) => json_body("A generated document.", json!({ "type": ["object", "array"] })),
        Serves::Problem(_)
        | Serves::Links
        | Serves::OpenApi
        | Serves::Live
        | Serves::Ready
        | Serves::Version
        | Serves::Metrics => json_body("A document.", json!({ "type": "object" })),
    }
}

/// Parts of a path in braces, and the cursor of the journal's records.
fn parameters(operation: &Operation) -> Vec<Value> {
    let braced = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = braced
        .map(|name| {
            let schema = match name {
                "level" => json!({ "type": "integer", "minimum": 0, "maximum": 6 }),
                _ => json!({ "type": "string", "pattern": "^[0-9]{3}$" }),
            };
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect();
    if matches!(operation.serves, Serves::Journal(JournalDocument::Entries)) {
        let number = json!({ "type": "integer", "minimum": 0, "maximum": svc_core::words::limits::JSON_INTEGER });
        for (name, about) in [("after", "The last record that was seen"), ("limit", "How many records, 1000 at most")] {
            parameters.push(json!({ "name": name, "in": "query", "description": about, "schema": number }));
        }
    }
    parameters
}

fn journal_success(wanted: JournalDocument) -> Value {
    let of = |media_type: &str, description: &str, schema: Value| json!({ "description": description, "content": { media_type: { "schema": schema } } });
    match wanted {
        JournalDocument::Checkpoint => of("text/plain", "A C2SP signed checkpoint.", json!({ "type": "string" })),
        JournalDocument::Keys => of("text/plain", "C2SP verifier keys, one a line.", json!({ "type": "string" })),
        JournalDocument::Tile | JournalDocument::EntryTile => of(
            "application/octet-stream",
            "A C2SP tile. Numbers from 1000 on and partial tiles have more path segments, as tlog-tiles says.",
            json!({ "type": "string", "format": "binary" }),
        ),
        JournalDocument::Entries => of(
            "application/json",
            "Records in order, with who asked where the request came with a token, and the cursor to go on with when there are more.",
            json!({
                "type": "object",
                "required": ["entries", "size"],
                "additionalProperties": false,
                "properties": {
                    "entries": { "type": "array", "items": { "$ref": "#/components/schemas/journal-entry" } },
                    "next": { "type": "integer" },
                    "size": { "type": "integer" },
                },
            }),
        ),
    }
}

fn json_body(description: &str, schema: Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn problem_response(status: u16) -> Value {
    let codes: Vec<String> =
        ProblemCode::ALL.iter().filter(|code| code.spec().status == status).map(|code| format!("`{code}`")).collect();
    json!({
        "description": format!("Refused, and closed: {}.", codes.join(", ")),
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/problem" } } },
    })
}

/// The schemas as components: definitions move beside them under names of their own.
fn schemas() -> Value {
    let mut components = Map::new();
    for (name, make) in contracts::schema_sources() {
        let mut schema = make();
        point_into(&mut schema, name);
        if let Value::Object(members) = &mut schema {
            members.remove("$schema");
            members.remove("$id");
            if let Some(Value::Object(definitions)) = members.remove("$defs") {
                components.extend(definitions.into_iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
            }
        }
        components.insert(name.to_owned(), schema);
    }
    Value::Object(components)
}

fn point_into(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                *reference = reference.replace("#/$defs/", &format!("#/components/schemas/{name}."));
            }
            members.values_mut().for_each(|value| point_into(value, name));
        }
        Value::Array(elements) => elements.iter_mut().for_each(|value| point_into(value, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
