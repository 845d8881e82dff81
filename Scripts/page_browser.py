"""A headless Chromium, driven by its DevTools protocol over a pipe: no library is needed."""

import base64
import json
import os
import shutil
import subprocess
import time

KEYS = {"Enter": (13, "\r"), "Escape": (27, None), "ArrowDown": (40, None), "ArrowUp": (38, None), "ArrowLeft": (37, None),
        "ArrowRight": (39, None), "Tab": (9, None), "Delete": (46, None), "Home": (36, None)}


class Browser:
    def __init__(self, folder):
        program = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
        if not program:
            raise SystemExit("There is no Chromium. Install it (apt-get install chromium), and run this again.")
        to_browser, from_browser = os.pipe(), os.pipe()

        def give_pipes():
            # Moved out of the way first: one of them may be 3 or 4 already.
            ends = [os.dup2(to_browser[0], 60), os.dup2(from_browser[1], 61)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={folder}", "about:blank"],
            close_fds=False, preexec_fn=give_pipes, stdout=subprocess.DEVNULL, stderr=open(f"{folder}.log", "w"))
        os.close(to_browser[0])
        os.close(from_browser[1])
        self.writing, self.reading = to_browser[1], from_browser[0]
        self.rest, self.number, self.events = b"", 0, []

    def call(self, method, parameters=None, session=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.reading, 1 << 16)
            if not part:
                raise RuntimeError("The browser has ended.")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, url, width=1280, height=860):
        """A page in a profile of its own: it shares no cookies."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.size(width, height)
        page.go(url)
        return page

    def end(self):
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def call(self, method, parameters=None):
        return self.browser.call(method, parameters, self.session)

    def go(self, url):
        self.call("Page.navigate", {"url": url})
        self.until("document.readyState === 'complete'")

    def size(self, width, height, is_phone=False):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 2 if is_phone else 1, "mobile": is_phone})

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def value(self, expression):
        result = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails'].get('exception', result['exceptionDetails'])}")
        return result["result"].get("value")

    def until(self, expression, seconds=20):
        """Waits until the expression holds; what it was last, if it never does."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = self.value(expression)
            except RuntimeError as problem:
                found = str(problem) if time.monotonic() > end else None
                if found:
                    return False
            if found:
                return found
            if time.monotonic() > end:
                return False
            time.sleep(0.05)

    def click(self, selector):
        place = self.value(
            "(() => { const node = document.querySelector(%s); if (!node) return null; node.scrollIntoView({block: 'center'});"
            " const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
            % json.dumps(selector))
        if not place:
            raise RuntimeError(f"Nothing is at {selector}.")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent",
                      {"type": kind, "x": place[0], "y": place[1], "button": "none" if kind == "mouseMoved" else "left", "clickCount": 1})

    def key(self, name):
        code, text = KEYS.get(name, (ord(name.upper()[0]), name))
        event = {"key": name, "windowsVirtualKeyCode": code}
        if text:
            event["text"] = text
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def picture(self, file):
        time.sleep(0.4)
        data = self.call("Page.captureScreenshot", {"format": "png"})["data"]
        file.write_bytes(base64.b64decode(data))

    def complaints(self):
        """What the browser logged as an error, and requests that left this machine's address."""
        found = []
        self.value("1")
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            if event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error" \
                    and parameters["entry"]["source"] not in ("network",):
                found.append(parameters["entry"]["text"])
            if event["method"] == "Network.requestWillBeSent" \
                    and not parameters["request"]["url"].startswith(("http://127.0.0.1:", "data:")):
                found.append("requested " + parameters["request"]["url"])
        return found
