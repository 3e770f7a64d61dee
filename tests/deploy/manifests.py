"""Holds manifests against the schemas of Kubernetes, strictly, and what they name of each other against each other.

    python manifests.py FOLDER

Prints the commands and settings of the containers as JSON, for whoever runs them. Each manifest is also read with a member that
no schema has, which must be refused.
"""

import copy
import ipaddress
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


def matches(selector, labels):
    return all(labels.get(name) == value for name, value in (selector or {}).get("matchLabels", {}).items())


def reaches(peer, host):
    """Whether a host is one that a row of a policy names: a pod with the labels of it and of its namespace, or an address."""
    if "ipBlock" in peer:
        block = peer["ipBlock"]
        address = ipaddress.ip_address(host["address"])
        networks = [ipaddress.ip_network(text) for text in [block["cidr"], *block.get("except", [])]]
        return address in networks[0] and not any(address in network for network in networks[1:])
    if "pod" not in host:
        return False
    # Without a selector of namespaces, pods of the policy's own are meant.
    in_namespace = matches(peer["namespaceSelector"], host["namespace"]) if "namespaceSelector" in peer else host.get("own")
    return in_namespace and matches(peer.get("podSelector"), host["pod"])


def passes(policies, direction, host, port, protocol="TCP"):
    """What NetworkPolicies allow together: a direction that none of them is about would be open."""
    about = [policy["spec"] for policy in policies if direction.title() in policy["spec"]["policyTypes"]]
    assert about, f"no policy is about {direction}"
    side = "from" if direction == "ingress" else "to"
    return any(
        any(reaches(peer, host) for peer in rule[side])
        and any(row["protocol"] == protocol and row["port"] == port for row in rule["ports"])
        for spec in about
        for rule in spec.get(direction, [])
    )


def check_traffic(policies, labels, port):
    """What the nodes need passes, and what a node that was taken over would like does not."""
    node = {"own": True, "namespace": {"kubernetes.io/metadata.name": "svc-registry"}, "pod": labels, "address": "10.0.0.7"}
    pod = lambda namespace, name: {"namespace": {"kubernetes.io/metadata.name": namespace},
                                   "pod": {"app.kubernetes.io/name": name}, "address": "10.0.0.8"}
    host = lambda address: {"address": address}
    good = [("egress", node, port, "TCP"), ("ingress", node, "https", "TCP"), ("ingress", pod("ingress", "x"), "https", "TCP"),
            ("ingress", pod("monitoring", "x"), "admin", "TCP"), ("egress", pod("any", "postgresql"), 5432, "TCP"),
            ("egress", pod("kube-system", "x"), 53, "UDP"), ("egress", host("1.1.1.1"), 443, "TCP"),
            ("egress", host("192.169.0.1"), 443, "TCP"), ("egress", host("2606:4700::1111"), 443, "TCP")]
    bad = [("egress", host(address), 443, "TCP") for address in
           ["10.1.2.3", "100.64.0.1", "169.254.169.254", "172.31.0.1", "192.168.0.1", "127.0.0.1", "0.0.0.0", "224.0.0.1",
            "255.255.255.255", "::1", "fd00:ec2::254", "fe80::1", "ff02::1"]]
    bad += [("egress", host("1.1.1.1"), 22, "TCP"), ("egress", host("1.1.1.1"), 443, "UDP"),
            ("egress", pod("kube-system", "x"), 443, "TCP"), ("egress", pod("any", "other"), 5432, "TCP"),
            ("ingress", pod("other", "x"), "https", "TCP"), ("ingress", pod("ingress", "x"), "admin", "TCP"),
            ("ingress", host("1.1.1.1"), "https", "TCP")]
    for rows, expected in [(good, True), (bad, False)]:
        for direction, other, at, protocol in rows:
            found = passes(policies, direction, other, at, protocol)
            assert found == expected, f"{direction} {other} {protocol} {at}: {found}"


def check_join(pod, config, services, labels):
    """A new node asks the Service of the nodes by a name that they answer to, and never only itself."""
    [join] = [container for container in pod["initContainers"] if container["name"] == "join"]
    asked = [argument.split("=", 1)[1] for argument in join["args"] if argument.startswith("--at-least=https://")]
    assert asked, "a new node asks no other"
    for address in asked:
        name = address.removeprefix("https://")
        assert name in [host.strip() for host in config["SVC_HOSTS"].split(",")], f"{name} is not in SVC_HOSTS"
        service, namespace, _ = name.split(".")
        [found] = [one for one in services if one["metadata"]["name"] == service and one["metadata"]["namespace"] == namespace]
        spec = found["spec"]
        assert matches({"matchLabels": spec["selector"]}, labels) and not spec.get("publishNotReadyAddresses")
        assert [port["targetPort"] for port in spec["ports"] if port["port"] == 443] == ["https"]


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
    for resource in by_kind["NetworkPolicy"] + by_kind["PodDisruptionBudget"]:
        kind, selector = resource["kind"], resource["spec"].get("podSelector") or resource["spec"]["selector"]
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
    [port] = [port["containerPort"] for port in pod["containers"][0]["ports"] if port["name"] == "https"]
    check_traffic(by_kind["NetworkPolicy"], dict(labels), port)
    check_join(pod, config["data"], by_kind["Service"], dict(labels))
    commands = {container["name"]: container.get("command", []) + container["args"] for container in containers}
    print(json.dumps({"commands": commands, "settings": config["data"], "user": pod["securityContext"]["runAsUser"]}))


main()
