//! A witness that is killed while it works never goes back, and never signs two histories.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::Duration,
};

use svc_journal::{add_checkpoint::AddCheckpoint, log_key::LogKey};
use svc_proof::tree::{Hash, MerkleTree, leaf_hash};

use super::place::{ORIGIN, Witness};
use crate::run::{Run, program};

const KILLS: usize = 12;

/// Two histories of one log, with the same first records.
struct Histories {
    key: LogKey,
    leaves: [Vec<Hash>; 2],
}

impl Histories {
    fn new() -> Self {
        let leaf = |history: usize, at: usize| {
            leaf_hash(if at < 3 { format!("{at}") } else { format!("{at} in {history}") }.as_bytes())
        };
        let leaves = [0, 1].map(|history| (0..4000).map(|at| leaf(history, at)).collect());
        Self { key: LogKey::from_seed(ORIGIN, &[7; 32]).unwrap(), leaves }
    }

    fn request(&self, history: usize, old: usize, size: usize) -> (String, Hash) {
        let leaves = &self.leaves[history][..size];
        let root = root(leaves);
        let checkpoint = self.key.sign_checkpoint(size as u64, &root).unwrap();
        let proof = if old == 0 { Vec::new() } else { sub_proof(old, leaves, true) };
        let request = AddCheckpoint { old: old as u64, proof, checkpoint: checkpoint.text().as_str().to_owned() };
        (request.to_text(), root)
    }
}

fn root(leaves: &[Hash]) -> Hash {
    *MerkleTree::empty().grow_by_hashes(leaves.iter().copied()).unwrap().root()
}

/// RFC 6962, section 2.1.2.
fn sub_proof(m: usize, leaves: &[Hash], is_whole: bool) -> Vec<Hash> {
    if m == leaves.len() {
        return if is_whole { Vec::new() } else { vec![root(leaves)] };
    }
    let k = leaves.len().next_power_of_two() / 2;
    let (mut proof, rest) = if m <= k {
        (sub_proof(m, &leaves[..k], is_whole), &leaves[k..])
    } else {
        (sub_proof(m - k, &leaves[k..], false), &leaves[..k])
    };
    proof.push(root(rest));
    proof
}

/// The status and body of an answer; nothing when the witness was gone.
fn add(address: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let request = format!(
        "POST /add-checkpoint HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

#[test]
fn a_witness_that_is_killed_over_and_over_signs_one_history() {
    let folder = tempfile::tempdir().unwrap();
    let histories = Histories::new();
    let logs = format!("log {}\nquorum none\n", histories.key.public().as_str());
    fs::write(folder.path().join("logs.policy"), logs).unwrap();
    let run = |arguments: &[&str]| Run::of(&mut program(folder.path(), arguments));
    run(&["witness", "init", "--state", "w", "--name", "witness.example/w"]).exits(0);
    run(&["witness", "init", "--state", "w", "--name", "witness.example/w"]).exits(2);
    let start = || {
        Witness::start(program(
            folder.path(),
            &["witness", "serve", "--state", "w", "--logs", "logs.policy", "--listen", "127.0.0.1:0"],
        ))
    };
    let mut signed: BTreeMap<u64, [u8; 32]> = BTreeMap::new();
    for round in 0..KILLS {
        let mut witness = start();
        let address = witness.address().to_owned();
        let (_, seen) = add(&address, &histories.request(0, 4000, 4000).0).unwrap();
        let seen: usize = seen.trim().parse().expect("the size that it saw");
        let newest = signed.last_key_value().map_or(0, |(size, _)| *size);
        assert!(seen as u64 >= newest, "it saw {seen} records and had signed {newest}");
        let killer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20 + 13 * round as u64));
            witness.kill();
        });
        // Whichever history it took before, both are offered.
        let mut old = seen;
        'alive: for step in 1..200 {
            for history in [round % 2, 1 - round % 2] {
                let size = old + 1 + step % 3;
                let (body, root) = histories.request(history, old, size);
                match add(&address, &body) {
                    Some((200, _)) => {
                        let before = signed.insert(size as u64, root.0);
                        assert!(before.is_none_or(|before| before == root.0), "two roots of {size} records");
                        old = size;
                        break;
                    }
                    Some((422, _)) => {}
                    Some(other) => panic!("{other:?}"),
                    None => break 'alive,
                }
            }
        }
        killer.join().unwrap();
    }
    assert!(signed.len() > KILLS, "{} states signed", signed.len());
    let is_of = |history: usize| {
        signed
            .iter()
            .all(|(size, known)| root(&histories.leaves[history][..usize::try_from(*size).unwrap()]).0 == *known)
    };
    assert!(is_of(0) || is_of(1), "the states that were signed are of one history");
}

#[test]
fn a_witness_speaks_the_statuses_of_the_specification() {
    let folder = tempfile::tempdir().unwrap();
    let histories = Histories::new();
    fs::write(folder.path().join("logs.policy"), format!("log {}\nquorum none\n", histories.key.public().as_str()))
        .unwrap();
    Run::of(&mut program(folder.path(), &["witness", "init", "--state", "w", "--name", "witness.example/w"])).exits(0);
    let serve = ["witness", "serve", "--state", "w", "--logs", "logs.policy", "--listen", "127.0.0.1:0"];
    let witness = Witness::start(program(folder.path(), &serve));
    let add = |body: &str| add(witness.address(), body).unwrap();
    let status = |body: &str| add(body).0;
    let first = histories.request(0, 0, 5).0;
    assert_eq!(status(&first.replace(ORIGIN, "else.example")), 404);
    assert_eq!(status(&first.replace("\n5\n", "\n6\n")), 403);
    assert_eq!(status("old 0\n"), 400);
    assert_eq!(status(&"x".repeat(100_000)), 400);
    let (ok, line) = add(&first);
    assert!(ok == 200 && line.starts_with("\u{2014} witness.example/w ") && line.ends_with('\n'), "{line}");
    assert_eq!(add(&first), (409, "5\n".to_owned()));
    assert_eq!(status(&histories.request(0, 5, 5).0), 200);
    assert_eq!(add(&histories.request(1, 5, 5).0), (409, "5\n".to_owned()), "two histories");
    assert_eq!(status(&histories.request(1, 5, 9).0), 422);
    assert_eq!(status(&histories.request(0, 0, 4).0.replace("old 0", "old 6")), 400);
    witness.hang_up();
    assert_eq!(status(&histories.request(0, 5, 9).0), 200);
    let kept = fs::read_dir(folder.path().join("w")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(kept.into_iter().any(|name| name.to_string_lossy().ends_with(".fork")), "the evidence is kept");
    // A second process must not forget what the first one sees.
    Run::of(&mut program(folder.path(), &serve)).exits(2);
}
