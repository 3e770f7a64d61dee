//! The headers and trailers of a reply, each with its place.

use svc_client::exchange::Reply;

use crate::check::cut;

/// Where a field of a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldPlace {
    Header,
    Trailer,
    /// The head of an informational answer with this status.
    Early(u16),
}

/// A header or a trailer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'r> {
    pub(crate) place: FieldPlace,
    pub(crate) name: &'r str,
    pub(crate) value: &'r str,
}

impl Field<'_> {
    /// Where it is, for people. Foreign text in it is cut and escaped.
    pub(crate) fn shown(&self) -> String {
        let name = cut(self.name);
        match self.place {
            FieldPlace::Header => format!("the header `{name}`"),
            FieldPlace::Trailer => format!("the trailer `{name}`"),
            FieldPlace::Early(status) => format!("the header `{name}` of an answer {status} before the answer"),
        }
    }
}

/// Every header and trailer of a reply, also of the answers before it.
pub(crate) fn fields(reply: &Reply) -> impl Iterator<Item = Field<'_>> {
    let early =
        reply.early.iter().flat_map(|early| early.headers.iter().map(|row| (FieldPlace::Early(early.status), row)));
    let headers = reply.headers.iter().map(|row| (FieldPlace::Header, row));
    let trailers = reply.trailers.iter().map(|row| (FieldPlace::Trailer, row));
    headers.chain(trailers).chain(early).map(|(place, (name, value))| Field { place, name, value })
}

/// A reply without its body: what is left to read of one whose body is judged elsewhere.
pub(crate) fn without_body(reply: &Reply) -> Reply {
    Reply { body: b"{}".to_vec(), ..reply.clone() }
}
