"""The schemas of the kit, the forms that no pattern can hold, and the rule that each break is."""

import base64
import re
import unicodedata

from strict import RefusedCharacters, canonical

DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.I | re.S)
HOST = re.compile(r"(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
NUMBER = "(0|[1-9][0-9]*)"
PRE = r"(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
BUILD = r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?"
COMPARATOR = re.compile(
    rf"(=|>=?|<=?|~|\^)?{NUMBER}(\.[*xX](\.[*xX])?|\.{NUMBER}(\.[*xX]|\.{NUMBER}{PRE}{BUILD})?)?"
)
LOCAL = ("local", "localhost", "internal", "onion")


def one_line(text):
    return text == text.strip() and not any(unicodedata.category(char) == "Cc" and char != "\x7f" for char in text)


def with_a_letter(text):
    def counts(char):  # vowel signs stand alone in their scripts, accents and selectors do not
        sign = unicodedata.category(char) in ("Mn", "Mc") and unicodedata.combining(char) == 0
        return unicodedata.category(char)[0] in "LN" or (sign and "SELECTOR" not in unicodedata.name(char, "SELECTOR"))

    return one_line(text) and any(counts(char) for char in text)


def public_address(text):
    match = re.fullmatch(r"https://(?:\*\.)?([^/?#:]+)(?::([1-9][0-9]{0,4}))?(?:[/?#][^<>\"`{}|^]*)?", text)
    if not match or not HOST.fullmatch(match[1]) or match[1].rsplit(".")[-1] in LOCAL:
        return False
    return int(match[2] or 443) <= 65535 and ("*" not in text or text.startswith("https://*."))


def host_range(text):
    """Comparators with blanks or commas between them, 32 at most; `*` only by itself."""
    if text.strip(" ") in ("*", "x", "X"):
        return True
    comparators = re.split("[ ,]+", text.strip(" ,"))
    numbers = [number for part in comparators for number in re.findall("[0-9]+", re.split("[-+]", part)[0])]
    return (
        len(comparators) <= 32
        and all(COMPARATOR.fullmatch(comparator) for comparator in comparators)
        and all(int(number) < 2**64 for number in numbers)
    )


class Licence:
    """An SPDX expression, by descent: each method takes what it can from the words, or fails with ValueError."""

    def __init__(self, lists, text):
        self.lists, self.words = lists, re.findall(r"[()]|[^\s()+]+\+?|\S", text)

    def holds(self):
        try:
            self.expression()
        except (ValueError, RecursionError):
            return False
        return not self.words

    def take(self, *words):
        if self.words and (not words or self.words[0] in words):
            return self.words.pop(0)
        if not words:
            raise ValueError
        return None

    def expression(self):
        self.term()
        while self.take("AND", "and", "OR", "or"):
            self.term()

    def term(self):
        if self.take("("):
            self.expression()
            if not self.take(")"):
                raise ValueError
            return
        word = self.take()
        known = word in self.lists["gnu"] or word.removesuffix("+") in self.lists["others"]
        if not known and not re.fullmatch(r"(DocumentRef-[A-Za-z0-9.-]*:)?LicenseRef-[A-Za-z0-9.-]*", word):
            raise ValueError
        if self.take("WITH", "with"):
            word = self.take()
            addition = re.fullmatch(r"(DocumentRef-[A-Za-z0-9.-]*:)?AdditionRef-[A-Za-z0-9.-]*", word)
            if not addition and word not in self.lists["exceptions"]:
                raise ValueError


class Schema:
    """JSON Schema 2020-12 as far as the kit uses it, with the rule that each break is."""

    # What titles without a form of their own stand for.
    TITLES = {
        "kind": "SVC-B001",
        "schema-urn": "SVC-B002",
        "status": "SVC-B006",
        "no-signatures": "SVC-B006",
        "gate-statuses": "SVC-B007",
    }
    # These rules hold whatever the type of the value is; for others a wrong type is SVC-B015.
    OF_ANY_TYPE = {"SVC-B001", "SVC-B002", "SVC-B006", "SVC-B007"}

    def __init__(self, kit):
        self.kit, self.refused = kit, RefusedCharacters(kit.refused_characters)
        codes = set(kit.gates) | {"public-listing"}
        self.more = {  # where a pattern says less than the form
            "artifact-kind": lambda text: text in kit.artifacts,
            "base64": self.is_base64,
            "blocker-code": lambda text: text.startswith("SVC-") or text in codes,
            "display-name": with_a_letter,
            "glob": self.is_glob,
            "host-range": host_range,
            "https-url": lambda text: "*." not in text and public_address(text),
            "label": one_line,
            "license": lambda text: Licence(kit.licences, text).holds(),
            "origin": public_address,
            "owner-name": with_a_letter,
            "package-path": self.is_path,
            "publisher-name": with_a_letter,
            "purpose": one_line,
            "storage-key": lambda text: text[15:17] == text[18:20],
            "summary": one_line,
        }

    def check(self, urn, value):
        """Every finding, as (rule, pointer)."""
        found = []
        self.walk(self.kit.schemas[urn], self.kit.schemas[urn], value, "", found)
        return found

    def walk(self, root, schema, value, pointer, found):
        if "$ref" in schema:
            schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        title = schema.get("title")
        rule = self.TITLES.get(title) or self.kit.forms.get(title, {}).get("rule", "SVC-B015")
        if "const" in schema:
            if type(value) is not type(schema["const"]) or value != schema["const"]:
                found.append((rule, pointer))
            return
        types = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
        if type(value) is not types[schema["type"]]:
            found.append((rule if rule in self.OF_ANY_TYPE else "SVC-B015", pointer))
        elif isinstance(value, dict):
            self.walk_object(root, schema, value, pointer, found, title)
        elif isinstance(value, list):
            if len(value) > schema.get("maxItems", len(value)):
                found.append(("SVC-B016", pointer))
            elif len(value) < schema.get("minItems", 0):
                # Too few blockers is a claim about the review, too few parents one about the chain (SVC-B005).
                if not pointer.endswith("/derivedFrom"):
                    found.append(("SVC-B013" if pointer.endswith("/blockers") else "SVC-B015", pointer))
            else:
                for at, item in enumerate(value):
                    self.walk(root, schema["items"], item, f"{pointer}/{at}", found)
        elif isinstance(value, str) and not self.has_form(schema, title, value):
            found.append((rule, pointer))
        elif type(value) is int and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            found.append((rule, pointer))

    def walk_object(self, root, schema, value, pointer, found, title):
        gates = title == "gate-statuses"
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                found.append(("SVC-B007" if gates else "SVC-B014", f"{pointer}/{name}"))
        others = schema.get("additionalProperties")
        for name, item in value.items():
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name not in properties and not others:
                found.append(("SVC-B007" if gates else "SVC-B012", place))
            elif name in properties:
                before = len(found)
                self.walk(root, properties[name], item, place, found)
                if gates:
                    found[before:] = [("SVC-B007", place)] * (len(found) > before)
            elif not re.fullmatch(schema["propertyNames"]["pattern"], name):
                found.append((self.kit.forms[title]["rule"], place))
            else:
                self.walk(root, others, item, place, found)
        if title == "meta" and len(canonical(value)) > self.kit.limits["manifest-meta"]:
            found.append((self.kit.forms[title]["rule"], pointer))

    def has_form(self, schema, title, text):
        if "enum" in schema:
            return text in schema["enum"]
        if not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text)):
            return False
        if "pattern" in schema and not re.fullmatch(schema["pattern"], text):
            return False
        return title not in self.more or self.more[title](text)

    @staticmethod
    def is_base64(text):
        try:
            return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
        except ValueError:
            return False

    def is_glob(self, text):
        return len(text.encode()) <= self.kit.limits["path"] and not {".", ".."} & set(text.split("/"))

    def is_path(self, text):
        parts, limits = text.split("/"), self.kit.limits
        return (
            not self.refused.are_in(text)
            and not any(char in text for char in "\t\n\r")
            and unicodedata.normalize("NFC", text) == text
            and not re.search("%(2e|2f|5c)", text, re.I)
            and len(text.encode()) <= limits["path"]
            and len(parts) <= limits["path-depth"]
            and all(part and part.strip(" ") == part and not part.endswith(".") for part in parts)
            and all(len(part.encode()) <= limits["path-part"] and not DEVICE.fullmatch(part) for part in parts)
        )
