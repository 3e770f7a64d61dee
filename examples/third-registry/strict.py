"""The strict reader: bytes to one JSON object that everybody reads alike, and its RFC 8785 form."""

import hashlib
import json
import re
import unicodedata


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
PLAIN = re.compile(r"[\t\n\r -~\xa1-\xac\xae-\u02ff]*")
INVISIBLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0}


def has_refused_character(text):
    """SVC-J007: control, bidirectional and invisible characters; joiners and selectors where they do nothing."""
    if PLAIN.fullmatch(text):
        return False
    for at, char in enumerate(text):
        code, kind = ord(char), unicodedata.category(char)
        before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
        if code in (0x200C, 0x200D):
            if not (joins(before) and joins(after)):
                return True
        elif 0xFE00 <= code <= 0xFE0F:
            keycap = before in tuple("0123456789#*") and after == "\u20e3"
            if not keycap and (not before or unicodedata.category(before) not in ("So", "Sm")):
                return True
        elif 0xE0100 <= code <= 0xE01EF:
            if not before or not unicodedata.name(before, "").startswith("CJK "):
                return True
        elif kind in ("Cf", "Zl", "Zp", "Cs") or (kind == "Cc" and char not in "\t\n\r"):
            return True
        elif code in INVISIBLE or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
            return True
    return False


def joins(char):
    """Letters and marks of scripts without capitals, pictures, and what modifies a picture."""
    return bool(char) and unicodedata.category(char) in ("Lo", "Lm", "Mn", "Mc", "So", "Sk")


class StrictReader:
    """Bytes to one JSON object, with every rule (SVC-J...) that they break."""

    STOPS = {"SVC-J004", "SVC-J005"}

    def __init__(self, limits):
        self.limits = limits

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
            if has_refused_character(text[: error.pos]):
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
        elif has_refused_character(text):
            broken.add("SVC-J007")
