"""Reads deliveries of svc with the PyPI package of Standard Webhooks. Each is also given to it changed, which it must refuse."""

import base64
import json
import sys
from datetime import datetime, timedelta, timezone

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

WRONG = "whsec_" + base64.b64encode(bytes(32)).decode()


def takes(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


def main():
    deliveries = json.load(open(sys.argv[1], encoding="utf-8"))
    assert len(deliveries) >= 3, "too few deliveries"
    seen = set()
    for each in deliveries:
        body, secrets = each["body"], each["secrets"]
        headers = {name: each[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
        assert len(headers["webhook-signature"].split(" ")) == len(secrets), "a signature for each secret"
        for secret in secrets:
            assert takes(secret, body, headers), "a delivery of ours is refused"
            for at in range(0, len(body), max(1, len(body) // 97)):
                other = body[:at] + ("x" if body[at] != "x" else "y") + body[at + 1 :]
                assert not takes(secret, other, headers), f"byte {at} was changed, and it is taken"
            assert not takes(secret, body + " ", headers), "a byte was added, and it is taken"
            for name in headers:
                lacking = {other: value for other, value in headers.items() if other != name}
                assert not takes(secret, body, lacking), f"{name} is missing, and it is taken"
            assert not takes(secret, body, {**headers, "webhook-id": headers["webhook-id"] + "0"})
            later = str(int(headers["webhook-timestamp"]) + 1)
            assert not takes(secret, body, {**headers, "webhook-timestamp": later})
            for minutes in (-6, 6):
                moment = datetime.now(timezone.utc) + timedelta(minutes=minutes)
                signature = Webhook(secret).sign(headers["webhook-id"], moment, body)
                moved = {**headers, "webhook-timestamp": str(int(moment.timestamp())), "webhook-signature": signature}
                assert not takes(secret, body, moved), "an old or a future time is taken, with its own signature"
        assert not takes(WRONG, body, headers), "another secret takes it"
        for secret in each["not"]:
            assert not takes(secret, body, headers), "a secret that has ended takes it"
        seen.add(json.loads(body)["type"])
    assert seen == {"registry.test", "registry.journal.records"}, seen


main()
