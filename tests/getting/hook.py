"""The hook of `.pre-commit-hooks.yaml`, run by pre-commit itself at commits: from a clone of the repository, which is the way
that pre-commit gets it, and from the npm package of a project. Run by the gate `getting`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ["SVC_BINARY"])
TARBALL = Path(os.environ["SVC_TARBALL"])
PRE_COMMIT = Path(sys.executable).parent / "pre-commit"

# Both settings are those of the guide, word for word.
GUIDE = (ROOT / "docs/guides/ci.md").read_text()
FROM_CLONE, FROM_NPM = re.findall(r"```yaml\n(repos:\n.*?)```", GUIDE, re.DOTALL)


class Project:
    """A repository with a package, whose commits go through pre-commit."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="svc-hook-"))
        self.work, tools = self.folder / "work", self.folder / "bin"
        tools.mkdir()
        (tools / "svc").symlink_to(BINARY)
        search = [tools, PRE_COMMIT.parent, Path(shutil.which("node")).parent, Path(shutil.which("git")).parent, "/usr/bin", "/bin"]
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))}
        self.env = {"PATH": ":".join(map(str, search)), "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1", **who}
        shutil.copytree(ROOT / "examples/weather-board", self.work / "app")
        self.git("init", "--quiet", ".")

    def run(self, *command, at=None):
        return subprocess.run(list(map(str, command)), cwd=at or self.work, env=self.env, capture_output=True, text=True)

    def must(self, *command, at=None):
        ended = self.run(*command, at=at)
        assert ended.returncode == 0, (command, ended.stdout, ended.stderr)
        return ended.stdout.strip()

    def git(self, *arguments, at=None):
        return self.must("git", *arguments, at=at)

    def cloned(self):
        """A repository that holds the hooks file as it is now: pre-commit clones it at a revision."""
        clone = self.folder / "svc"
        clone.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", clone)
        self.git("init", "--quiet", ".", at=clone)
        self.git("add", ".", at=clone)
        self.git("commit", "--quiet", "--message", "hooks", at=clone)
        revision = self.git("rev-parse", "HEAD", at=clone)
        return FROM_CLONE.replace("REPOSITORY", str(clone)).replace("COMMIT", revision)

    def use(self, settings):
        (self.work / ".pre-commit-config.yaml").write_text(settings)
        self.git("add", ".pre-commit-config.yaml")
        self.must(PRE_COMMIT, "install")

    def commit(self):
        self.git("add", "app")
        return self.run("git", "commit", "--message", "change")

    def set_manifest_version(self, old, new):
        manifest = self.work / "app/svc-app.json"
        manifest.write_text(manifest.read_text().replace(f'"manifestVersion": {old}', f'"manifestVersion": {new}'))


class Hook(unittest.TestCase):
    def setUp(self):
        self.project = Project()
        self.addCleanup(shutil.rmtree, self.project.folder)

    def refuses_then_passes(self):
        project = self.project
        project.set_manifest_version(1, 2)
        refused = project.commit()
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("app/svc-app.json:3:", refused.stderr)
        self.assertRegex(refused.stderr, r"\n\s+\|\s+\^", "a caret below the place")
        self.assertNotEqual(project.run("git", "rev-parse", "--verify", "--quiet", "HEAD").returncode, 0)
        project.set_manifest_version(2, 1)
        passed = project.commit()
        self.assertEqual(passed.returncode, 0, passed.stdout + passed.stderr)
        self.assertRegex(passed.stderr, r"svc check\.+Passed")
        self.assertEqual(project.git("status", "--porcelain", "app", "svc-registry"), "", "the check writes nothing")

    def test_the_hook_of_a_clone_stops_a_broken_manifest_and_lets_a_good_one_pass(self):
        self.project.use(self.project.cloned())
        self.refuses_then_passes()
        # A file that is taken away is a change too, although pre-commit names no file for it.
        self.project.git("rm", "--quiet", "app/dist/index.html")
        self.assertEqual(self.project.run("git", "commit", "--message", "change").returncode, 1)

    def test_without_svc_the_commit_is_stopped(self):
        (self.project.folder / "bin/svc").unlink()
        self.project.use(self.project.cloned())
        stopped = self.project.commit()
        self.assertEqual(stopped.returncode, 1)
        self.assertIn("Executable `svc` not found", stopped.stderr)

    def test_the_npm_package_of_a_project_runs_as_a_hook(self):
        (self.project.folder / "bin/svc").unlink()
        (self.project.work / "package.json").write_text('{ "private": true }\n')
        self.project.must("npm", "install", "--offline", "--no-audit", "--no-fund", "--save-dev", TARBALL)
        self.project.use(FROM_NPM)
        self.refuses_then_passes()


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
