//! The page of a problem code.

use serde::Serialize;
use svc_core::words::problem_code::ProblemCode;
use svc_json::canonical;

#[derive(Serialize)]
struct ProblemPage {
    code: ProblemCode,
    help: &'static str,
    status: u16,
    title: &'static str,
}

pub(crate) fn render(code: ProblemCode) -> Vec<u8> {
    let spec = code.spec();
    canonical::to_pretty(&ProblemPage { code, help: spec.help, status: spec.status, title: spec.title })
}
