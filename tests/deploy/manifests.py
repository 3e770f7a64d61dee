"""Holds manifests against the schemas of Kubernetes, strictly, and what they name of each other against each other.

    python manifests.py FOLDER

Prints the commands and settings of the containers as JSON, for whoever runs them. Each manifest is also read with a member that
no schema has, which must be refused.
"""

import copy
import json
import sys
from pathlib import Path

import kubernetes_validate
import yaml

# The oldest and the newest that the schemas at hand are for.
VERSIONS = ["1.29", "1.37"]


def is_valid(resource, version):
    try:
        kubernetes_validate.validate(resource, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return error.message
    return None


def faulty(resource):
    """The same with a wrong member beside a right one, wherever there is an object."""
    wrong = copy.deepcopy(resource)
    wrong.setdefault("spec", {})["replicasss"] = 2
    return wrong


def main():
    resources = []
    for path in sorted(Path(sys.argv[1]).glob("*.yaml")):
        resources += [(path.name, resource) for resource in yaml.safe_load_all(path.read_text("utf-8"))]
    assert len(resources) >= 8, f"{len(resources)} resources are too few"
    for name, resource in resources:
        for version in VERSIONS:
            error = is_valid(resource, version)
            assert error is None, f"{name}: {resource['kind']} in {version}: {error}"
            assert is_valid(faulty(resource), version), f"{name}: a member that does not exist is taken in {version}"

    by_kind = {}
    for _, resource in resources:
        by_kind.setdefault(resource["kind"], []).append(resource)
    [nodes] = by_kind["StatefulSet"]
    pod = nodes["spec"]["template"]["spec"]
    labels = nodes["spec"]["template"]["metadata"]["labels"].items()
    for service in by_kind["Service"]:
        assert service["spec"]["selector"].items() <= labels, f"{service['metadata']['name']} selects no node"
    for kind in ["NetworkPolicy", "PodDisruptionBudget"]:
        [resource] = by_kind[kind]
        selector = resource["spec"].get("podSelector") or resource["spec"]["selector"]
        assert selector["matchLabels"].items() <= labels, f"{kind} selects no node"
    assert nodes["spec"]["serviceName"] in {service["metadata"]["name"] for service in by_kind["Service"]}
    assert "Secret" not in by_kind, "a secret is part of the manifests"

    ports = {port["name"] for port in pod["containers"][0]["ports"]}
    named = {port["targetPort"] for service in by_kind["Service"] for port in service["spec"]["ports"]}
    named |= {pod["containers"][0][probe]["httpGet"]["port"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert named <= ports, f"no container has the ports {named - ports}"
    volumes = {volume["name"] for volume in pod["volumes"]} | {"data"}
    containers = pod["initContainers"] + pod["containers"]
    for container in containers:
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes, container["name"]
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] and not context["allowPrivilegeEscalation"], container["name"]
        assert context["capabilities"]["drop"] == ["ALL"] and "limits" in container["resources"], container["name"]
    assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]

    [config] = by_kind["ConfigMap"]
    commands = {container["name"]: container.get("command", []) + container["args"] for container in containers}
    print(json.dumps({"commands": commands, "settings": config["data"], "user": pod["securityContext"]["runAsUser"]}))


main()
