"""Makes the cosigned checkpoint beside it with another implementation of Ed25519 (the package `cryptography`), from the
texts of C2SP signed-note, tlog-checkpoint and tlog-cosignature alone. Run in this folder: `python3 make.py`."""

import base64
import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


class Key:
    def __init__(self, name, kind, seed):
        self.name, self.key = name, Ed25519PrivateKey.from_private_bytes(seed)
        public = bytes([kind]) + self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = hashlib.sha256(name.encode() + b"\n" + public).digest()[:4]
        self.public = f"{name}+{self.id.hex()}+{base64.b64encode(public).decode()}"

    def line(self, payload):
        return f"\u2014 {self.name} {base64.b64encode(self.id + payload).decode()}\n"


def cosign(key, body, time):
    signed = f"cosignature/v1\ntime {time}\n{body}".encode()
    return key.line(time.to_bytes(8, "big") + key.key.sign(signed))


log = Key("log.example/behind-the-sofa", 1, hashlib.sha256(b"log").digest())
first = Key("witness.example/w1", 4, hashlib.sha256(b"w1").digest())
second = Key("wïtness.example/w2", 4, hashlib.sha256(b"w2").digest())
root = base64.b64encode(hashlib.sha256(b"root").digest()).decode()
body = f"{log.name}\n20852163\n{root}\n"

with open("checkpoint", "w", encoding="utf-8") as file:
    file.write(body + "\n" + log.line(log.key.sign(body.encode())) + cosign(first, body, 1679315147))
    file.write(cosign(second, body, 2**63 - 1))
with open("policy", "w", encoding="utf-8") as file:
    file.write(f"log {log.public}\nwitness w1 {first.public}\nwitness w2 {second.public}\n")
    file.write("group both all w1 w2\nquorum both\n")
