//! A DNS server of a few names on loopback, to see that names are really looked up.

use std::{
    net::UdpSocket,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result};

/// Nobody else is expected at this address of loopback, and a resolver asks at port 53 only.
pub(crate) const ADDRESS: &str = "127.0.0.77";

/// Answers until it goes out of scope.
pub(crate) struct NameServer {
    asked: Arc<AtomicUsize>,
    _lives: Arc<()>,
}

impl NameServer {
    /// Every one of these names stands for `127.0.0.1`, and no other exists.
    pub(crate) fn start(names: &'static [&'static str]) -> Result<Self> {
        let socket = UdpSocket::bind((ADDRESS, 53)).with_context(|| format!("{ADDRESS} port 53, which takes root"))?;
        socket.set_read_timeout(Some(Duration::from_millis(200)))?;
        let (asked, lives) = (Arc::new(AtomicUsize::new(0)), Arc::new(()));
        let (counter, life) = (Arc::clone(&asked), Arc::downgrade(&lives));
        thread::spawn(move || {
            let mut packet = [0; 512];
            while life.strong_count() > 0 {
                let Ok((length, asker)) = socket.recv_from(&mut packet) else { continue };
                let query = packet.get(..length).unwrap_or_default();
                if let Some(reply) = reply(query, names) {
                    counter.fetch_add(1, Ordering::Relaxed);
                    let _ = socket.send_to(&reply, asker);
                }
            }
        });
        Ok(Self { asked, _lives: lives })
    }

    /// How many questions were answered.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

/// The answer to a query of one question; nothing to anything else.
fn reply(query: &[u8], names: &[&str]) -> Option<Vec<u8>> {
    let (header, question) = query.split_at_checked(12)?;
    let (mut name, mut at) = (Vec::new(), 0);
    loop {
        let length = usize::from(*question.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        name.push(String::from_utf8(question.get(at..at + length)?.to_vec()).ok()?);
        at += length;
    }
    let kind = question.get(at..at + 2)?;
    let is_known = names.contains(&name.join(".").as_str());
    let has_answer = is_known && kind == [0, 1];
    // A response that takes recursion; NXDOMAIN for names that do not exist.
    let mut reply = header.get(..2)?.to_vec();
    reply.extend([0x81, if is_known { 0x80 } else { 0x83 }, 0, 1, 0, u8::from(has_answer), 0, 0, 0, 0]);
    reply.extend(question.get(..at + 4)?);
    if has_answer {
        // The name of the question, an address of the Internet, a second, four bytes.
        reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
    }
    Some(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_known_has_one_address_and_any_other_none() {
        let ask = |name: &[u8], kind: u8| {
            let query = [&[7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], name, &[0, 0, kind, 0, 1]].concat();
            reply(&query, &["a.test"]).unwrap()
        };
        let known = ask(b"\x01a\x04test", 1);
        assert_eq!((known[7], &known[known.len() - 4..]), (1, &[127, 0, 0, 1][..]));
        assert_eq!((ask(b"\x01a\x04test", 28)[3], ask(b"\x01a\x04test", 28)[7]), (0x80, 0));
        assert_eq!((ask(b"\x01b\x04test", 1)[3], ask(b"\x01b\x04test", 1)[7]), (0x83, 0));
        assert_eq!(reply(b"short", &[]), None);
    }
}
