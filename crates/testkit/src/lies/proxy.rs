//! A registry that hands every request on to an honest one, and bends what comes back.

use std::{
    io::{BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Map, Value};

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// How many requests of the same method, path and body came before.
    pub again: usize,
}

/// What is said, and how.
#[derive(Clone, Debug)]
pub struct Said {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub manner: Manner,
}

/// How an answer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Plain,
    /// A byte at a time, slowly.
    Drip,
    /// The body again and again.
    Endless,
    /// Half of what was promised.
    Half,
    /// Headers without end.
    EndlessHeaders,
    /// Nothing, and the connection stays open.
    Silent,
    /// Nothing, and the connection ends.
    Gone,
    /// The body alone, without any HTTP.
    Bare,
    /// The head of the answer, without its body, as HEAD asks for.
    Head,
    /// In pieces, with a trailer behind them.
    WithTrailer(&'static str),
    /// Behind an informational answer with this status line and header.
    After(&'static str),
    /// Behind such answers without end.
    AfterFlood,
    /// With other words behind the status.
    Reason(&'static str),
}

/// What a liar remembers from answer to answer.
#[derive(Debug, Default)]
pub struct Memory {
    asked: Vec<(String, String, Vec<u8>)>,
    /// Receipts that were given, in order.
    pub receipts: Vec<Value>,
    /// The first answer of each path that was kept.
    pub kept: Map<String, Value>,
}

/// Bends an answer.
pub type Bend = fn(&Asked, &mut Said, &mut Memory);

/// A running liar. Its threads end with the process.
#[derive(Debug)]
pub struct LyingRegistry {
    pub url: String,
}

impl LyingRegistry {
    /// Stands before the registry at an address such as `127.0.0.1:8787`.
    pub fn before(honest: &str, bend: Bend) -> Self {
        Self::mounted(honest, "", bend)
    }

    /// Stands inside another application, which hands on what is below the base path under a prefix, and nothing else.
    pub fn mounted(honest: &str, prefix: &'static str, bend: Bend) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}{prefix}", listener.local_addr().unwrap());
        let honest = honest.to_owned();
        let memory = Arc::new(Mutex::new(Memory::default()));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (honest, memory) = (honest.clone(), Arc::clone(&memory));
                thread::spawn(move || answer(stream, (&honest, prefix), bend, &memory));
            }
        });
        Self { url }
    }
}

fn answer(stream: TcpStream, (honest, prefix): (&str, &str), bend: Bend, memory: &Mutex<Memory>) {
    let Some(mut asked) = read_request(&stream) else { return };
    let below = asked.path.strip_prefix(prefix).filter(|path| path.starts_with("/api/sdk/registry")).map(str::to_owned);
    let Some(path) = below else {
        let body = b"another application".to_vec();
        let _ = write_answer(stream, &Said { status: 404, headers: Vec::new(), body, manner: Manner::Plain });
        return;
    };
    asked.path = path;
    let Some(mut said) = hand_on(honest, &asked) else { return };
    {
        let mut memory = memory.lock().unwrap();
        let key = (asked.method.clone(), asked.path.clone(), asked.body.clone());
        asked.again = memory.asked.iter().filter(|other| **other == key).count();
        memory.asked.push(key);
        bend(&asked, &mut said, &mut memory);
    }
    // A client that has heard enough closes the connection.
    let _ = write_answer(stream, &said);
}

fn read_request(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let (first, headers) = read_head(&mut reader)?;
    let mut words = first.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let body = read_body(&mut reader, &headers)?;
    Some(Asked { method, path, headers, body, again: 0 })
}

fn read_head(reader: &mut impl std::io::BufRead) -> Option<(String, Vec<(String, String)>)> {
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    Some((first, headers))
}

fn read_body(reader: &mut impl std::io::Read, headers: &[(String, String)]) -> Option<Vec<u8>> {
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(Some(0), |(_, value)| value.parse().ok())?];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

fn hand_on(honest: &str, asked: &Asked) -> Option<Said> {
    let mut stream = TcpStream::connect(honest).ok()?;
    let mut head = format!("{} {} HTTP/1.1\r\n", asked.method, asked.path);
    for (name, value) in asked.headers.iter().filter(|(name, _)| name != "connection") {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all((head + "connection: close\r\n\r\n").as_bytes()).ok()?;
    // A body that is refused by its length need not be read to its end.
    let _ = stream.write_all(&asked.body);
    let mut reader = BufReader::new(&stream);
    let (first, headers) = read_head(&mut reader)?;
    let status = first.split(' ').nth(1)?.parse().ok()?;
    let is_head = asked.method == "HEAD";
    let body = if is_head { Vec::new() } else { read_body(&mut reader, &headers)? };
    let headers = headers.into_iter().filter(|(name, _)| name != "content-length" && name != "connection").collect();
    let manner = if is_head { Manner::Head } else { Manner::Plain };
    Some(Said { status, headers, body, manner })
}

/// Sends an answer in its manner.
///
/// # Errors
/// When the client has heard enough.
pub fn write_answer(mut stream: TcpStream, said: &Said) -> std::io::Result<()> {
    let reason = if let Manner::Reason(reason) = said.manner { reason } else { "Said" };
    let mut head = format!("HTTP/1.1 {} {reason}\r\nconnection: close\r\n", said.status);
    for (name, value) in &said.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let length = format!("content-length: {}\r\n\r\n", said.body.len());
    match said.manner {
        Manner::Gone => return Ok(()),
        Manner::Silent => thread::sleep(Duration::from_secs(3)),
        Manner::Bare => stream.write_all(&said.body)?,
        Manner::EndlessHeaders => {
            stream.write_all(head.as_bytes())?;
            for number in 0..200_000 {
                stream.write_all(format!("x-{number}: {number}\r\n").as_bytes())?;
            }
        }
        Manner::Head => stream.write_all((head + "\r\n").as_bytes())?,
        Manner::WithTrailer(trailer) => {
            let pieces = format!("transfer-encoding: chunked\r\n\r\n{:x}\r\n", said.body.len());
            stream.write_all((head + &pieces).as_bytes())?;
            stream.write_all(&said.body)?;
            stream.write_all(format!("\r\n0\r\n{trailer}\r\n\r\n").as_bytes())?;
        }
        Manner::After(early) => {
            stream.write_all(format!("HTTP/1.1 {early}\r\n\r\n{head}{length}").as_bytes())?;
            stream.write_all(&said.body)?;
        }
        Manner::AfterFlood => {
            for _ in 0..1000 {
                stream.write_all(b"HTTP/1.1 103 Early\r\nlink: <x>\r\n\r\n")?;
            }
            stream.write_all((head + &length).as_bytes())?;
            stream.write_all(&said.body)?;
        }
        Manner::Plain if said.status == 204 => stream.write_all((head + "\r\n").as_bytes())?,
        Manner::Plain | Manner::Reason(_) => {
            stream.write_all((head + &length).as_bytes())?;
            stream.write_all(&said.body)?;
        }
        Manner::Half => {
            stream.write_all((head + &length).as_bytes())?;
            stream.write_all(&said.body[..said.body.len() / 2])?;
        }
        Manner::Drip => {
            stream.write_all((head + &length).as_bytes())?;
            for byte in &said.body {
                stream.write_all(&[*byte])?;
                thread::sleep(Duration::from_millis(20));
            }
        }
        Manner::Endless => {
            stream.write_all((head + "\r\n").as_bytes())?;
            for _ in 0..1_000_000 {
                stream.write_all(&said.body)?;
            }
        }
    }
    stream.flush()
}

impl Asked {
    pub fn is_post(&self) -> bool {
        self.method == "POST"
    }

    /// Whether it is a GET of a path that ends so, with or without what stands behind it.
    pub fn gets(&self, path: &str) -> bool {
        self.method == "GET" && self.path.contains(path)
    }
}

impl Said {
    /// Whether it is an answer of the registry to a document: a decision or a refusal.
    pub fn is_answer(&self, asked: &Asked) -> bool {
        asked.is_post() && matches!(self.status, 200 | 422)
    }

    /// Whether the body holds these words.
    pub fn holds(&self, words: &str) -> bool {
        String::from_utf8_lossy(&self.body).contains(words)
    }

    /// Changes the members of the body.
    pub fn change(&mut self, change: impl FnOnce(&mut Map<String, Value>)) {
        let Ok(mut body) = serde_json::from_slice::<Map<String, Value>>(&self.body) else { return };
        change(&mut body);
        self.body = serde_json::to_vec(&body).unwrap();
    }

    /// Changes the receipt.
    pub fn change_receipt(&mut self, change: impl FnOnce(&mut Map<String, Value>)) {
        self.change(|body| {
            if let Some(Value::Object(receipt)) = body.get_mut("receipt") {
                change(receipt);
            }
        });
    }

    pub fn set_header(&mut self, name: &str, value: &str) {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value.to_owned()));
    }
}
