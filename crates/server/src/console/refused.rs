//! A refusal for people: what a browser shows when a path of the console leads nowhere.

use svc_core::words::problem_code::ProblemCode;
use svc_pages::html::{Element, Tag};
use svc_registry_api::request::RequestName;

use super::frame::{Frame, link};

/// A path with more parts is nobody's typing error.
const MAX_DEPTH: usize = 16;

/// The page of a refusal. Nothing in it is the client's words.
pub(super) fn page(code: ProblemCode, path: &str, request: &RequestName) -> String {
    let (spec, up) = (code.spec(), way_up(path));
    let problem = Element::new(Tag::P)
        .text("Problem ")
        .child(Element::new(Tag::Code).text(code.as_str()))
        .text(&format!(", status {}, request ", spec.status))
        .child(Element::new(Tag::Code).text(&request.id));
    let root = if up.is_empty() { "./" } else { &up };
    let back = Element::new(Tag::P).child(link(root, "To the console"));
    // What is told of this code for the API would lead people to its list of links.
    let help = (code != ProblemCode::NotFound).then(|| Element::new(Tag::P).prose(spec.help));
    Frame { title: spec.title, up: &up, current: None }.around_refusal(help.into_iter().chain([problem, back]))
}

/// The way from a path to the folder of the console. It is told from the path, so that it holds below a prefix too.
fn way_up(path: &str) -> String {
    match path.matches('/').count().checked_sub(2) {
        None => "console/".to_owned(),
        Some(0) => String::new(),
        Some(depth) if depth <= MAX_DEPTH => "../".repeat(depth),
        Some(_) => "/console/".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_up_ends_in_the_folder_of_the_console() {
        let ways = ["/console", "/console/", "/console/x", "/console/x/y", "/console//"].map(way_up);
        assert_eq!(ways, ["console/", "", "", "../", "../"]);
        assert_eq!(way_up(&format!("/console{}", "/x".repeat(5000))), "/console/");
    }
}
