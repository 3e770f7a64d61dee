"""A registry asked with generated code: svc_registry by openapi-python-client, models by datamodel-code-generator.

usage: client.py URL BUNDLE
"""

import json
import sys
from pathlib import Path

import httpx
import models
import pydantic
from svc_registry import Client
from svc_registry import models as generated
from svc_registry.api.documents import get_limits, get_problem, get_readiness_ledger, get_ruleset, get_schema
from svc_registry.api.evaluation import (
    evaluate_acceptance_request,
    evaluate_install_policy,
    evaluate_publisher_verification,
    evaluate_review_evidence,
    evaluate_signing_request,
    validate_index,
)
from svc_registry.api.health import get_ready, get_version
from svc_registry.api.journal import get_journal_entries

FLAGS = ("accepted", "signed", "installable")
ENDPOINTS = (
    ("acceptance-request", evaluate_acceptance_request, generated.AcceptanceRequest),
    ("index", validate_index, generated.Index),
    ("install-policy", evaluate_install_policy, generated.InstallPolicy),
    ("publisher-verification", evaluate_publisher_verification, generated.PublisherVerification),
    ("review-evidence", evaluate_review_evidence, generated.ReviewEvidence),
    ("signing-request", evaluate_signing_request, generated.SigningRequest),
)


def main(url: str, bundle: Path) -> None:
    client = Client(base_url=url)
    answers = [ask(client, bundle, *endpoint) for endpoint in ENDPOINTS]
    problem = refused(client, bundle)
    for answer in answers:
        cannot_be_opened(answer, generated.Decision, models.Decision)
        through_the_client(answer)
    cannot_be_opened(problem, generated.Problem, models.Problem)
    grows(answers[0], problem)
    documents(client)
    print(f"{len(answers)} decisions and a problem were read; opened ones raised")


def ask(client, bundle: Path, name: str, operation, kind) -> dict:
    """A real answer, read by both, and given back as it came."""
    body = kind.from_dict(json.loads((bundle / f"svc-registry-{name}.json").read_bytes()))
    answer = operation.sync_detailed(client=client, body=body)
    assert answer.status_code == 200, answer.content
    assert answer.headers["svc-decision"] == "denied"
    raw = json.loads(answer.content)
    assert isinstance(answer.parsed, generated.Decision)
    assert answer.parsed.to_dict() == raw, "what was read is not what came"
    model = models.Decision.model_validate_json(answer.content)
    for read in (answer.parsed, model):
        assert [getattr(read, flag) for flag in FLAGS] == [False, False, False]
    assert answer.parsed.receipt.record.outcome.value == "denied"
    return raw


def refused(client, bundle: Path) -> dict:
    document = json.loads((bundle / "svc-registry-acceptance-request.json").read_bytes())
    document["documentDigest"] = "sha256:" + "0" * 64
    body = generated.AcceptanceRequest.from_dict(document)
    answer = evaluate_acceptance_request.sync_detailed(client=client, body=body)
    assert answer.status_code == 422 and isinstance(answer.parsed, generated.Problem)
    assert answer.parsed.code == "digest-mismatch" and answer.parsed.accepted is False
    models.Problem.model_validate_json(answer.content)
    return json.loads(answer.content)


def cannot_be_opened(answer: dict, read_by_client, read_by_model) -> None:
    for flag in FLAGS:
        for value in (True, "true", "false", 1, None, [], {}):
            opened = {**answer, flag: value}
            raises((ValueError, TypeError), lambda: read_by_client.from_dict(opened), flag, value)
            raises(pydantic.ValidationError, lambda: read_by_model.model_validate(opened), flag, value)
            raises(pydantic.ValidationError, lambda: read_by_model.model_validate_json(json.dumps(opened)), flag, value)
        without = {name: value for name, value in answer.items() if name != flag}
        raises(KeyError, lambda: read_by_client.from_dict(without), flag, "absent")
        raises(pydantic.ValidationError, lambda: read_by_model.model_validate(without), flag, "absent")


def through_the_client(answer: dict) -> None:
    """The same from the network: a service that says yes is not read."""
    for flag in FLAGS:
        said = httpx.MockTransport(lambda _: httpx.Response(200, json={**answer, flag: True}))
        client = Client(base_url="http://registry.invalid", httpx_args={"transport": said})
        body = generated.AcceptanceRequest.from_dict
        request = json.loads((Path(sys.argv[2]) / "svc-registry-acceptance-request.json").read_bytes())
        ask_it = lambda: evaluate_acceptance_request.sync(client=client, body=body(request))
        raises(ValueError, ask_it, flag, "from the network")


def grows(decision: dict, problem: dict) -> None:
    """Problems may grow, decisions may not."""
    newer = {**problem, "code": "not-known-yet", "hint": "added later"}
    assert generated.Problem.from_dict(newer).code == "not-known-yet"
    assert models.Problem.model_validate(newer).accepted is False
    raises(pydantic.ValidationError, lambda: models.Decision.model_validate({**decision, "hint": 1}), "hint", 1)


def documents(client) -> None:
    assert get_ready.sync(client=client).ready is True
    assert get_version.sync(client=client).schema_version == "1.0"
    assert len(get_limits.sync(client=client)) > 0
    assert len(get_ruleset.sync(client=client).rules) > 0
    assert len(get_readiness_ledger.sync(client=client).missing_gates) == 5
    assert get_problem.sync(client=client, code="digest-mismatch").status == 422
    schema = get_schema.sync_detailed(client=client, name=generated.GetSchemaName.DECISION)
    assert schema.parsed["properties"]["accepted"]
    entries = get_journal_entries.sync(client=client, limit=3)
    assert entries.size >= 7 and all(entry.record.accepted is False for entry in entries.entries)


def raises(kind, read, name, value) -> None:
    try:
        read()
    except kind:
        return
    raise AssertionError(f"`{name}: {value!r}` was read")


main(sys.argv[1], Path(sys.argv[2]))
