//! A bare server: it reads the body and returns fixed JSON of the size of a decision. Nothing can be faster that reads.

use axum::{Router, body::Bytes, extract::DefaultBodyLimit, http::header, routing::post};

fn main() {
    let address = std::env::args().nth(1).expect("ADDRESS:PORT");
    let answer = Bytes::from(vec![b' '; 2_900]);
    let respond = move |body: Bytes| async move {
        std::hint::black_box(body.len());
        ([(header::CONTENT_TYPE, "application/json")], answer)
    };
    let router = Router::new().route("/{*path}", post(respond)).layer(DefaultBodyLimit::max(16 * 1024 * 1024));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await.expect("the address");
        axum::serve(listener, router).await.expect("to serve");
    });
}
