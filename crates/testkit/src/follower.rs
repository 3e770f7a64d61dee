//! A client that follows the log: server-sent events over chunked HTTP/1.1, read as they come.

use std::{
    io::{ErrorKind, Read},
    net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream},
    time::Duration,
};

use rustix::net::{AddressFamily, SocketType, bind, connect, socket, sockopt};

/// The path of the stream.
pub const STREAM: &str = "/api/sdk/registry/journal/stream";

/// What a stream says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Record { id: u64, kind: String, data: Vec<u8> },
    Checkpoint(String),
}

/// The answer of a registry that let nobody follow.
#[derive(Debug)]
pub struct Refused {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// Somebody who follows.
pub struct Follower<S> {
    stream: S,
    pub head: String,
    parser: EventParser,
    /// How many comments came.
    pub comments: usize,
}

/// A connection from an address of this machine.
pub fn connect_from(source: Ipv4Addr, to: &str, receive_buffer: Option<usize>) -> TcpStream {
    let to: SocketAddr = to.parse().unwrap();
    let made = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    if let Some(bytes) = receive_buffer {
        sockopt::set_socket_recv_buffer_size(&made, bytes).unwrap();
    }
    bind(&made, &SocketAddrV4::new(source, 0)).unwrap();
    connect(&made, &to).unwrap();
    let stream = TcpStream::from(made);
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// The bytes of a request to follow.
pub fn request(query: &str, headers: &[&str]) -> Vec<u8> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    format!("GET {STREAM}{query} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").into_bytes()
}

impl Follower<TcpStream> {
    pub fn open(address: &str, query: &str, headers: &[&str]) -> Result<Self, Refused> {
        Self::over(connect_from(Ipv4Addr::LOCALHOST, address, None), &request(query, headers))
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

impl<S: Read + std::io::Write> Follower<S> {
    /// Asks on a connection, and reads the head.
    pub fn over(mut stream: S, request: &[u8]) -> Result<Self, Refused> {
        stream.write_all(request).unwrap();
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(read_more(&mut stream, &mut bytes), "no head: {}", String::from_utf8_lossy(&bytes));
        };
        let head = String::from_utf8(bytes.drain(..end).collect()).unwrap();
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        if status != 200 {
            let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
            while bytes.len() < length && read_more(&mut stream, &mut bytes) {}
            return Err(Refused { status, head, body: String::from_utf8(bytes).unwrap() });
        }
        let is_chunked = header(&head, "transfer-encoding").is_some_and(|coding| coding == "chunked");
        let mut parser = EventParser { is_chunked, ..EventParser::default() };
        parser.push(&bytes);
        Ok(Self { stream, head, parser, comments: 0 })
    }

    /// The next event; nothing when the stream has ended, well or not.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            while let Some(event) = self.parser.event() {
                match event {
                    Some(event) => return Some(event),
                    None => self.comments += 1,
                }
            }
            let mut bytes = Vec::new();
            if self.parser.has_ended || !read_more(&mut self.stream, &mut bytes) {
                return None;
            }
            self.parser.push(&bytes);
        }
    }

    /// Whether the stream ended by itself, and not by a broken connection.
    pub fn has_ended(&self) -> bool {
        self.parser.has_ended
    }

    /// The bytes of the next records, by their numbers, until there are so many.
    pub fn records(&mut self, count: usize) -> Vec<(u64, Vec<u8>)> {
        let mut records = Vec::new();
        while records.len() < count {
            match self.next_event().expect("a stream that goes on") {
                Event::Record { id, data, .. } => records.push((id, data)),
                Event::Checkpoint(_) => {}
            }
        }
        records
    }

    /// The next checkpoint, with the numbers of the records before it.
    pub fn checkpoint(&mut self) -> (Vec<u64>, String) {
        let mut before = Vec::new();
        loop {
            match self.next_event().expect("a stream that goes on") {
                Event::Record { id, .. } => before.push(id),
                Event::Checkpoint(note) => return (before, note),
            }
        }
    }
}

/// A header of an answer.
pub fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines().skip(1).find_map(|line| {
        let (header, value) = line.split_once(':')?;
        header.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn read_more(stream: &mut impl Read, bytes: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("neither an event nor an end"),
            Err(_) | Ok(0) => return false,
            Ok(read) => {
                bytes.extend_from_slice(&buffer[..read]);
                return true;
            }
        }
    }
}

/// Bytes of a body into events. The form is held to exactly: no field but those three, in their order.
#[derive(Default)]
pub struct EventParser {
    is_chunked: bool,
    raw: Vec<u8>,
    text: Vec<u8>,
    pub has_ended: bool,
}

impl EventParser {
    pub fn chunked() -> Self {
        Self { is_chunked: true, ..Self::default() }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if !self.is_chunked {
            self.text.extend_from_slice(bytes);
            return;
        }
        self.raw.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(line) = self.raw[at..].windows(2).position(|two| two == b"\r\n") {
            let size = std::str::from_utf8(&self.raw[at..at + line]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            let (from, end) = (at + line + 2, at + line + 2 + size);
            if self.raw.len() < end + 2 {
                break;
            }
            self.has_ended |= size == 0;
            self.text.extend_from_slice(&self.raw[from..end]);
            at = end + 2;
        }
        self.raw.drain(..at);
    }

    /// The next whole event, or a comment.
    pub fn event(&mut self) -> Option<Option<Event>> {
        let end = self.text.windows(2).position(|two| two == b"\n\n")? + 2;
        let event: Vec<u8> = self.text.drain(..end).collect();
        let text = String::from_utf8(event).unwrap();
        if text == ": \n\n" {
            return Some(None);
        }
        let text = text.strip_suffix("\n\n").unwrap();
        if let Some(rest) = text.strip_prefix("event: checkpoint\n") {
            let lines = rest.split('\n').map(|line| line.strip_prefix("data:").expect("a line of a note"));
            let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
            return Some(Some(Event::Checkpoint(lines.join("\n") + "\n")));
        }
        let fields: Vec<&str> = text.split('\n').collect();
        let [id, kind, data] = fields[..] else { panic!("{text}") };
        let field = |line: &str, name: &str| line.strip_prefix(name).unwrap_or_else(|| panic!("{text}")).to_owned();
        Some(Some(Event::Record {
            id: field(id, "id: ").parse().unwrap(),
            kind: field(kind, "event: "),
            data: field(data, "data: ").into_bytes(),
        }))
    }
}
