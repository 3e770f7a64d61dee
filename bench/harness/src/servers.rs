//! Two servers to compare with: `servers fixed` reads the body and returns fixed JSON, which nothing that reads can beat;
//! `servers inline` evaluates like svc, where the request arrives and however large it is.

use axum::{Router, body::Bytes, extract::DefaultBodyLimit, http::header, routing::post};
#[cfg(feature = "allocator")]
use svc_allocator as _;
use svc_core::samples::rules;
use svc_core::words::kind::{self, ArtifactSpec};
use svc_json::canonical;

/// As many bytes as a decision has.
const ANSWER_BYTES: usize = 2_900;

fn main() {
    let router = match std::env::args().nth(1).as_deref() {
        Some("fixed") => fixed(),
        Some("inline") => inline(),
        _ => panic!("servers fixed|inline"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("listening on http://{}", listener.local_addr().expect("an address"));
        axum::serve(listener, router.layer(DefaultBodyLimit::max(16 * 1024 * 1024))).await.expect("to serve");
    });
}

fn fixed() -> Router {
    let answer = Bytes::from(vec![b' '; ANSWER_BYTES]);
    let respond = move |body: Bytes| async move {
        std::hint::black_box(body.len());
        ([(header::CONTENT_TYPE, "application/json")], answer)
    };
    Router::new().route("/{*path}", post(respond))
}

fn inline() -> Router {
    let spec = kind::ALL.iter().find(|spec| spec.name == "acceptance-request").expect("the kind");
    let respond =
        move |body: Bytes| async move { ([(header::CONTENT_TYPE, "application/json")], evaluate(spec, &body)) };
    Router::new().route("/{*path}", post(respond))
}

fn evaluate(spec: &ArtifactSpec, body: &[u8]) -> Vec<u8> {
    svc_core::read::decide(rules(), spec.artifact, body)
        .map_or_else(|_| Vec::new(), |decision| canonical::to_bytes(&decision.for_request("0")))
}
