"""The strict reader: bytes to one JSON object that everybody reads alike, and its RFC 8785 form."""

import hashlib
import json
import re


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def canonical(value):
    """RFC 8785 for what the strict reader lets through: no fractions, no lone surrogates."""

    def ordered(part):
        if isinstance(part, dict):
            names = sorted(part, key=lambda name: name.encode("utf-16-be"))
            return {name: ordered(part[name]) for name in names}
        return [ordered(item) for item in part] if isinstance(part, list) else part

    return json.dumps(ordered(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8")


SPACE = re.compile(r"[ \t\r\n]*")


class RefusedCharacters:
    """SVC-J007: the characters of `refused-characters.json`, but for those that are allowed after the one before."""

    def __init__(self, listed):
        def any_of(ranges):
            return "[" + "".join(rf"\U{row['first']:08x}-\U{row['last']:08x}" for row in ranges) + "]"

        allowed = [f"(?<={any_of(row['after'])}){any_of(row['characters'])}" for row in listed["allowedAfter"]]
        self.refused, self.allowed = re.compile(any_of(listed["refused"])), re.compile("|".join(allowed))

    def are_in(self, text):
        return bool(self.refused.search(text) and self.refused.search(self.allowed.sub("", text)))


class StrictReader:
    """Bytes to one JSON object, with every rule (SVC-J...) that they break."""

    STOPS = {"SVC-J004", "SVC-J005"}

    def __init__(self, limits, refused_characters):
        self.limits, self.refused = limits, refused_characters

    def read(self, body):
        """The value, or None where it has no tree that everybody agrees on; and the broken rules."""
        broken, most = set(), self.limits["json-integer"]
        if body.startswith(b"\xef\xbb\xbf"):
            return None, {"SVC-J002"}
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return None, {"SVC-J002"}

        def pairs(members):
            value = dict(members)
            if len(value) != len(members):
                broken.add("SVC-J004")
            return value

        def integer(digits):
            if digits == "-0" or len(digits) > 17 or abs(int(digits)) > most:
                broken.add("SVC-J006")
                return 0
            return int(digits)

        def fraction(_):
            broken.add("SVC-J006")
            return 0

        def constant(word):
            raise json.JSONDecodeError(word, text, 0)

        decoder = json.JSONDecoder(
            object_pairs_hook=pairs, parse_int=integer, parse_float=fraction, parse_constant=constant
        )
        try:
            value, end = decoder.raw_decode(text, SPACE.match(text).end())
        except RecursionError:
            return None, broken | {"SVC-J005"}
        except json.JSONDecodeError as error:
            half_a_number = re.match(r"[0-9][.eE]", text[max(error.pos - 1, 0) : error.pos + 1])
            broken.add("SVC-J006" if half_a_number else "SVC-J001")
            if self.refused.are_in(text[: error.pos]):
                broken.add("SVC-J007")
            return None, broken
        if SPACE.match(text, end).end() != len(text):
            broken.add("SVC-J008")
        if not isinstance(value, dict):
            return None, broken | {"SVC-J003"}
        self.walk(value, 1, broken)
        return (None if broken & self.STOPS else value), broken

    def walk(self, value, depth, broken):
        if depth > self.limits["json-depth"]:
            broken.add("SVC-J005")
            return
        if isinstance(value, dict):
            for name in value:
                self.text(name, "json-member-name", broken)
            value = value.values()
        for item in value:
            if isinstance(item, str):
                self.text(item, "json-string", broken)
            elif isinstance(item, (dict, list)):
                self.walk(item, depth + 1, broken)

    def text(self, text, limit, broken):
        if len(text.encode("utf-8", "surrogatepass")) > self.limits[limit]:
            broken.add("SVC-J005")
        if any("\ud800" <= char <= "\udfff" for char in text):
            broken.add("SVC-J002")
        elif self.refused.are_in(text):
            broken.add("SVC-J007")
