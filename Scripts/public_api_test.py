#!/usr/bin/env python3
"""Compares declarations of small symbol graphs, as Scripts/public_api.py does with those of the built modules."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import public_api as api


def symbol(path, declaration, access="public", constraints=None):
    made = {"identifier": {"precise": f"s:{path}"}, "pathComponents": path.split("."), "accessLevel": access,
            "declarationFragments": [{"spelling": part} for part in (declaration[:5], declaration[5:])]}
    if constraints:
        made["swiftExtension"] = {"constraints": constraints}
    return made


def graph(symbols, relationships=()):
    return {"symbols": symbols, "relationships": [
        dict(zip(("kind", "source", "target", "targetFallback"), one)) for one in relationships]}


def lines(symbols, relationships=()):
    return api.declarations(graph(symbols, relationships), lambda _: True)


class DeclarationTests(unittest.TestCase):
    def test_names_the_type_of_a_member_and_its_condition(self):
        equatable = [{"kind": "conformance", "lhs": "Element", "rhs": "Equatable"}]
        self.assertEqual(
            lines([symbol("Shelf", "struct Shelf<Element>"), symbol("Shelf.count", "var count:\n  Int { get }"),
                   symbol("Shelf.holds(_:)", "func holds(_ one: Element) -> Bool", constraints=equatable)]),
            {"struct Shelf<Element>", "extension Shelf { var count: Int { get } }",
             "extension Shelf where Element : Equatable { func holds(_ one: Element) -> Bool }"})

    def test_tells_a_requirement_from_its_default_and_open_from_public(self):
        self.assertEqual(
            lines([symbol("Kept.name", "var name: String { get }"), symbol("Base", "class Base", "open")],
                  [("requirementOf", "s:Kept.name", "s:Kept", "")]),
            {"protocol Kept { var name: String { get } }", "open class Base"})

    def test_has_conformances_but_for_those_of_every_type(self):
        self.assertEqual(
            lines([symbol("Shelf", "struct Shelf")],
                  [("conformsTo", "s:Shelf", "s:SH", "Swift.Hashable"), ("conformsTo", "s:Shelf", "s:c", "Swift.Copyable"),
                   ("conformsTo", "s:Other", "s:SH", "Swift.Hashable")]),
            {"struct Shelf", "extension Shelf: Hashable"})

    def test_leaves_out_what_begins_with_an_underscore(self):
        self.assertEqual(lines([symbol("_Storage", "struct _Storage"), symbol("Shelf._raw", "var _raw: Int")]), set())


class ProductTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sources = pathlib.Path(folder.name)
        for module, text in {
            "Product": "@_exported public import Model\n@_exported public import Observation\n",
            "Model": "@_exported public import struct Core.Name\n@_exported public import func Core.find\n", "Core": "",
        }.items():
            (self.sources / module).mkdir()
            (self.sources / module / "Exports.swift").write_text(text, encoding="utf-8")
        for module, symbols in {
            "Product": [symbol("open()", "func open()")], "Model": [symbol("Model", "class Model")],
            "Model@Core": [symbol("Name.shown", "var shown: String")],
            "Core": [symbol("Name", "struct Name"), symbol("Name.text", "let text: String"), symbol("Hidden", "struct Hidden"),
                     symbol("find(_:)", "func find(_ name: Name)")],
        }.items():
            (self.sources / f"{module}.symbols.json").write_text(json.dumps(graph(symbols)), encoding="utf-8")

    def test_has_what_one_import_brings(self):
        self.assertEqual(api.visible("Product", self.sources), (["Product", "Model"], {("Core", "Name"), ("Core", "find")}))
        self.assertEqual(
            api.declared("Product", self.sources, self.sources),
            {"func open()", "class Model", "extension Name { var shown: String }", "struct Name",
             "extension Name { let text: String }", "func find(_ name: Name)"})

    def test_tells_a_module_once(self):
        self.assertEqual(
            api.declared("Model", self.sources, self.sources, ["Model"]),
            {"struct Name", "extension Name { let text: String }", "func find(_ name: Name)"})


class ComparisonTests(unittest.TestCase):
    recorded = {"struct A", "extension A { func f(_ x: Int) }", "extension A { func g() }", "extension A: Hashable"}

    def test_says_nothing_where_all_is_as_recorded(self):
        self.assertEqual(api.report("a.txt", self.recorded, set(self.recorded)), [])

    def test_names_what_is_gone_changed_and_new(self):
        present = {"struct A", "extension A { func f(_ x: Int64) }", "extension A { func h() }"}
        self.assertEqual(
            api.differences(self.recorded, present),
            (["extension A { func g() }", "extension A: Hashable"],
             [("extension A { func f(_ x: Int) }", "extension A { func f(_ x: Int64) }")], ["extension A { func h() }"]))
        said = "\n".join(api.report("a.txt", self.recorded, present))
        self.assertIn("gone:     extension A { func g() }", said)
        self.assertIn("may no longer compile", said)
        self.assertIn("make api ARGS=--record", said)

    def test_asks_to_record_what_is_new_alone(self):
        said = "\n".join(api.report("a.txt", self.recorded, self.recorded | {"struct B"}))
        self.assertIn("new:      struct B", said)
        self.assertIn("Nothing breaks.", said)
        self.assertIn("make api ARGS=--record", said)

    def test_tells_a_new_requirement_and_a_new_case_from_what_is_only_new(self):
        recorded = {"protocol P", "enum E", "extension E { case a }"}
        for line in ["protocol P { func f() }", "extension E { case b(Int) }"]:
            said = "\n".join(api.report("a.txt", recorded, recorded | {line}))
            self.assertIn(f"may no longer compile: {line}", said)
            self.assertNotIn("Nothing breaks.", said)
        for line in ["protocol Q", "protocol Q { func f() }", "extension P { func g() }", "extension F { case a }"]:
            self.assertIn("Nothing breaks.", "\n".join(api.report("a.txt", recorded, recorded | {line, "enum F"})))


if __name__ == "__main__":
    unittest.main()
