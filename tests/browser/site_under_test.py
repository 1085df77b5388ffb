"""A server with small tables, and a browser that may ask nobody else."""

import atexit
import contextlib
import functools
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from playwright.sync_api import sync_playwright

ENDTABLE = os.environ["ENDTABLE"]
CHROMIUM = os.environ["CHROMIUM"]
SCREENSHOTS = pathlib.Path(os.environ["SCREENSHOTS"])

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# What the tables are made by. One of 2048 is exact for scores, one for a tile; the rest is searched.
TABLES = [
    ["2048", "--board", "2x2", "--objective", "score", "--out", "2x2.etb"],
    ["2048", "--board", "2x3", "--objective", "tile:32", "--out", "2x3-32.etb"],
    ["collapsi", "--seeds", "0..2", "--out", "seeds.etb"],
    ["tak", "--size", "3", "--flats", "4", "--out", "small-tak"],
]

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1200, "height": 850}


class Server:
    """The program, serving tables that it made."""

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        for arguments in TABLES:
            command = [ENDTABLE, "generate", *arguments]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
        paths = [arguments[-1] for arguments in TABLES]
        self.process = subprocess.Popen(
            [ENDTABLE, "serve", *paths, "--listen", "127.0.0.1:0"],
            cwd=folder, stdout=subprocess.PIPE, text=True,
        )
        self.stack.callback(self.stop)
        line = self.process.stdout.readline()
        self.origin = re.search(r"http://127\.0\.0\.1:\d+", line).group()
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def __exit__(self, *_):
        self.stack.close()


@functools.cache
def started():
    """The server and the browser, the same for all tests."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    server = stack.enter_context(Server())
    playwright = stack.enter_context(sync_playwright())
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    stack.callback(browser.close)
    return server, browser


class BrowserTest(unittest.TestCase):
    """A page in a browser. What the console calls an error fails, and so does a request to elsewhere."""

    @classmethod
    def setUpClass(cls):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        cls.server, cls.browser = started()

    def setUp(self):
        self.allowed = []
        self.complaints = []
        self.page = self.open()

    def tearDown(self):
        self.assertEqual(self.complaints, [])

    def open(self, **settings):
        """A page of its own, with nothing in its cupboards."""
        settings.setdefault("viewport", DESKTOP)
        context = self.browser.new_context(base_url=self.server.origin, **settings)
        self.addCleanup(context.close)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self.see)
        return page

    def hear(self, message):
        expected = any(text in message.text for text in self.allowed)
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(message.text)

    def see(self, request):
        if not request.url.startswith((self.server.origin, "data:")):
            self.complaints.append(f"a request to {request.url}")

    def shot(self, name, page=None):
        """Keeps what the page looks like."""
        (page or self.page).screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)

    def headline(self, page=None):
        return (page or self.page).locator("h1").inner_text()

    def narrow(self, page):
        """Whether the page is no wider than the screen. A phone's window grows with what is in it."""
        return page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
