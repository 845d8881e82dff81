#!/usr/bin/env python3
"""Draws the report of recorded figures (Benchmarks/data/recorded-figures.jsonl) and reads it back."""
import os
import sys
import unittest
import xml.dom.minidom
from html.parser import HTMLParser

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_report as report

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Benchmarks/data/recorded-figures.jsonl")


class Texts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.words, self.addresses = [], []

    def handle_data(self, data):
        self.words.append(data)

    def handle_starttag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if name in ("src", "href")]


class ReportTests(unittest.TestCase):
    def setUp(self):
        with open(RECORDED, encoding="utf-8") as file:
            self.figures = report.read_figures(file)
        self.page = report.page(self.figures, {"Machine": "a <machine>", "Beside it": "Loro, Yrs"})
        self.texts = Texts()
        self.texts.feed(self.page)

    def test_names_every_case_and_what_was_beside_it(self):
        words = " ".join(self.texts.words)
        for figure in self.figures:
            self.assertIn(figure["case"], words)
        for name in ["Loro", "Yrs", "@Observable", "a <machine>"]:
            self.assertIn(name, words)

    def test_needs_no_other_file(self):
        self.assertEqual(self.texts.addresses, [])
        self.assertNotIn("http", self.page)

    def test_every_chart_is_well_formed(self):
        charts = self.page.split("<svg")[1:]
        self.assertGreater(len(charts), 20)
        for chart in charts:
            xml.dom.minidom.parseString("<svg" + chart.split("</svg>")[0] + "</svg>")

    def test_what_is_ahead_is_drawn_to_the_right_and_what_is_behind_to_the_left(self):
        ahead, behind = report.ratio_bar("a", 10), report.ratio_bar("a", 0.1)
        self.assertIn('class="ahead" x="230.0" y="3" width="110.0"', ahead)
        self.assertIn('class="behind" x="120.0" y="3" width="110.0"', behind)
        self.assertIn("and more", report.ratio_bar("a", 5000))

    def test_more_a_second_is_better_and_more_time_is_worse(self):
        self.assertEqual(report.advantage({"unit": "ns", "starling": 10}, 20), 2)
        self.assertEqual(report.advantage({"unit": "1/s", "starling": 10}, 20), 0.5)
        self.assertIsNone(report.advantage({"unit": "ns", "starling": 0}, 20))

    def test_the_glue_of_a_system_is_no_system(self):
        self.assertEqual(report.others({"loro": 3, "loro-glue": 1, "runs": 4}), {"Loro": 3})

    def test_a_line_that_is_no_figure_is_named(self):
        with self.assertRaisesRegex(SystemExit, "Line 2 is no figure"):
            report.read_figures(['{"case": "a", "unit": "ns", "starling": 1}', '{"case": "b"}'])

    def test_a_case_that_grows_is_marked(self):
        figure = {"case": "growth-a", "unit": "ns", "starling": 8, "sizes": [1, 2], "times": [1, 8], "grows": "yes"}
        self.assertIn('class="number worse">×8<', report.page([figure], {}))


if __name__ == "__main__":
    unittest.main()
