"""The composite action, run step by step as GitHub's runner does it: with the values of inputs that people and attackers
give, and what the steps leave for it. Run by the gate `getting`.

The runner is played by a few lines: `${{ inputs.x }}` and `${{ steps.x.outputs.y }}` in `env`, and the conditions of steps,
of which every part is known here or the run fails.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from hashlib import sha256
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "packaging/github-action/action.yml").read_text())
STEPS = ACTION["runs"]["steps"]
BINARY = Path(os.environ["SVC_BINARY"])
TARBALL = Path(os.environ["SVC_TARBALL"])
HOSTILE = ["$(touch ran)", "`touch ran`", "\"; touch ran; \"", "'; touch ran; '", "a\ntouch ran", "--version", "-q", "*"]


class Runner:
    """A workspace with a package and its bundle, and the files that GitHub's runner gives to steps."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="svc-action-"))
        self.workspace, self.temp = self.folder / "workspace", self.folder / "temp"
        self.bin = self.folder / "bin"
        for folder in (self.workspace, self.temp, self.bin):
            folder.mkdir()
        (self.bin / "svc").symlink_to(BINARY)
        shutil.copytree(ROOT / "examples/weather-board", self.workspace / "app")
        self.svc("app", "preflight", "app", "--quiet")

    def svc(self, *arguments):
        subprocess.run([BINARY, *arguments], cwd=self.workspace, check=True)

    def set(self, old, new):
        manifest = self.workspace / "app/svc-app.json"
        text = manifest.read_text()
        assert text.count(old) == 1, old
        manifest.write_text(text.replace(old, new))

    def run(self, path=True, **given):
        """Runs the action. The exit codes by the names of the steps that ran, and all that they said."""
        known = {name: spec["default"] for name, spec in ACTION["inputs"].items()}
        given = {name.replace("_", "-"): value for name, value in given.items()}
        assert not given.keys() - known.keys(), given
        self.inputs, self.outputs, self.outcomes = {**known, **given}, {}, {}
        self.codes, self.said, failed = {}, "", False
        for number, step in enumerate(STEPS):
            if not self.holds(step.get("if"), failed):
                continue
            code = self.step(number, step, path)
            self.codes[step["name"]] = code
            if "id" in step:
                self.outcomes[step["id"]] = "failure" if code else "success"
            failed = failed or code != 0
        return self.codes

    def step(self, number, step, path):
        assert step["shell"] == "bash", step
        output = self.folder / f"output-{number}"
        output.touch()
        search = [str(self.bin)] if path else []
        search += [str(Path(shutil.which("node")).parent), "/usr/bin", "/bin"]
        env = {
            "PATH": ":".join(search),
            "HOME": str(self.folder),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }
        env |= {name: self.value(text) for name, text in step.get("env", {}).items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        ended = subprocess.run(command, cwd=self.workspace, env=env, capture_output=True, text=True)
        self.said += ended.stdout + ended.stderr
        if "id" in step:
            lines = output.read_text().splitlines()
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        return ended.returncode

    def value(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.expression(found[1]), text)

    def expression(self, text):
        where, *rest = text.split(".")
        if where == "inputs":
            (name,) = rest
            return self.inputs[name]
        step, kind, *name = rest
        assert where == "steps" and kind in ("outputs", "outcome"), text
        return self.outcomes[step] if kind == "outcome" else self.outputs[step].get(name[0], "")

    def holds(self, condition, failed):
        if condition is None:
            return not failed
        parts = re.fullmatch(r"\$\{\{ (.*) \}\}", condition)[1].split(" && ")
        assert parts[0] == "!cancelled()", "without it, the step would not run after one that failed"
        for part in parts[1:]:
            name, compared, wanted = re.fullmatch(r"(\S+) ([!=]=) '(.*)'", part).groups()
            if (self.expression(name) == wanted) != (compared == "=="):
                return False
        return True


class Action(unittest.TestCase):
    def setUp(self):
        self.runner = Runner()
        self.addCleanup(shutil.rmtree, self.runner.folder)

    def test_no_value_stands_in_the_text_of_a_script(self):
        self.assertEqual(ACTION["runs"]["using"], "composite")
        for step in STEPS:
            self.assertNotIn("uses", step)
            self.assertNotIn("${{", step["run"])

    def test_the_guide_names_every_input_and_no_other(self):
        guide = (ROOT / "docs/guides/ci.md").read_text()
        (block,) = re.findall(r"```yaml\n(- uses: .*?)```", guide, re.DOTALL)
        shown = yaml.safe_load(block)[0]["with"].keys()
        self.assertEqual(shown - ACTION["inputs"].keys(), set())
        for name in ACTION["inputs"].keys() - shown:
            self.assertIn(f"`{name}`", guide)

    def test_a_hostile_value_is_a_value(self):
        for name in ACTION["inputs"]:
            for value in HOSTILE:
                with self.subTest(name=name, value=value):
                    good = {"package": "app", "out-dir": "svc-registry", "against": "svc-registry"}
                    codes = self.runner.run(**{**good, name: value})
                    ran = [str(path) for path in self.runner.folder.rglob("ran")]
                    self.assertEqual(ran, [])
                    # None of them names anything that is there. The digest is of a file that is not given here.
                    if name != "npm-package-sha256":
                        self.assertTrue(any(codes.values()), (codes, self.runner.said))

    def test_without_svc_it_says_where_svc_comes_from(self):
        codes = self.runner.run(path=False, package="app")
        self.assertEqual(codes, {"Find svc": 3})
        self.assertIn("::error title=svc preflight::svc is not on the PATH", self.runner.said)

    def test_a_package_that_is_no_file_is_not_fetched(self):
        for name in ["svc-preflight", "svc-preflight@0.1.0", "nowhere.tgz", "github:a/b", "app"]:
            self.assertEqual(self.runner.run(npm_package=name, package="app"), {"Find svc": 3}, name)
            self.assertIn("::error title=svc preflight::the input npm-package is no file", self.runner.said)

    def test_a_package_with_another_digest_is_refused(self):
        codes = self.runner.run(npm_package=str(TARBALL), npm_package_sha256="0" * 64, package="app")
        self.assertEqual(codes, {"Find svc": 3})
        self.assertFalse((self.runner.temp / "svc-preflight").exists())

    def test_the_npm_package_is_enough(self):
        digest = sha256(TARBALL.read_bytes()).hexdigest()
        codes = self.runner.run(path=False, npm_package=str(TARBALL), npm_package_sha256=digest, package="app")
        self.assertEqual(codes, {"Find svc": 0, "Check the package": 0}, self.runner.said)

    def test_a_broken_manifest_fails_with_an_annotation_of_its_line(self):
        self.runner.set('"manifestVersion": 1', '"manifestVersion": 2')
        self.assertEqual(self.runner.run(package="app")["Check the package"], 1)
        self.assertRegex(self.runner.said, r"::error file=app/svc-app\.json,line=3,")

    def test_a_stale_bundle_fails_and_the_chain_is_still_looked_at(self):
        self.runner.set('"version": "1.2.0"', '"version": "1.3.0"')
        codes = self.runner.run(package="app", out_dir="svc-registry")
        self.assertEqual([codes["Check the package"], codes["Check the chain of the bundle"]], [5, 4], self.runner.said)

    def test_what_is_denied_fails(self):
        before = self.runner.folder / "before"
        shutil.copytree(self.runner.workspace / "svc-registry", before)
        camera = '"permissions": [\n    { "permission": "camera.capture", "purpose": "Takes a picture of the sky." },'
        self.runner.set('"permissions": [', camera)
        self.runner.svc("app", "preflight", "app", "--quiet")
        given = {"package": "app", "out_dir": "svc-registry", "against": str(before)}
        self.assertEqual(self.runner.run(**given)["Tell what the package has gained"], 0, self.runner.said)
        codes = self.runner.run(**given, deny_gained="gained-permission:high  changed-owner")
        self.assertEqual(codes["Tell what the package has gained"], 1, self.runner.said)
        self.assertEqual(codes["Write the report"], 0)
        self.assertIn("camera.capture", Path(self.runner.outputs["report"]["report"]).read_text())

    def test_a_good_package_passes_and_leaves_its_reports(self):
        formats = "sarif=../temp/svc.sarif\njunit=../temp/svc.xml\n"
        given = {"package": "app", "out_dir": "svc-registry", "deny": "blockers SVC-F010", "formats": formats}
        codes = self.runner.run(**given)
        expected = ["Find svc", "Check the package", "Check the chain of the bundle", "Write the report"]
        self.assertEqual(codes, dict.fromkeys(expected, 0), self.runner.said)
        for name in ["svc.sarif", "svc.xml", "svc-report.md"]:
            self.assertTrue((self.runner.temp / name).stat().st_size > 0, name)
        self.assertIn("### svc: valid yes", (self.runner.folder / "summary.md").read_text())


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
