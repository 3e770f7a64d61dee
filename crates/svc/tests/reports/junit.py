"""Reads a JUnit report from standard input with another XML reader and prints its cases as JSON."""

import json
import sys
import xml.etree.ElementTree as ElementTree

root = ElementTree.fromstring(sys.stdin.buffer.read())
assert root.tag == "testsuites", root.tag
suites = list(root)
assert [suite.tag for suite in suites] == ["testsuite"], suites
# What is said of the whole run comes first.
properties = suites[0].findall("properties")
assert list(suites[0])[: len(properties)] == properties and len(properties) <= 1, properties
cases = list(suites[0])[len(properties) :]
assert {case.tag for case in cases} == {"testcase"}, cases
for counted in (root, suites[0]):
    assert int(counted.get("tests")) == len(cases)
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        found = sum(case.find(tag) is not None for case in cases)
        assert int(counted.get(attribute)) == found, (attribute, counted.get(attribute), found)

print(json.dumps([
    {
        "class": case.get("classname"),
        "name": case.get("name"),
        "file": case.get("file"),
        "line": case.get("line"),
        "inside": [
            {"tag": part.tag, "message": part.get("message"), "text": part.text or ""}
            for part in case
        ],
    }
    for case in cases
]))
