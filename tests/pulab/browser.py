"""A page in headless Chromium, driven by the DevTools protocol over a web socket."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --remote-debugging-port=0"
)

#: Codes of keys, and what they write.
KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, ""), "/": (191, "/")}


def find_chromium() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One tab; everything that the page asks for and complains of is kept in ``requests`` and ``complaints``."""

    def __init__(self, chromium: str, folder: Path, patience: float = 90) -> None:
        import websocket

        command = [chromium, *OPTIONS.split(), f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._patience = patience
        try:
            port = self._wait_for(folder / "DevToolsActivePort")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=patience) as answer:
                tab = next(t for t in json.load(answer) if t["type"] == "page")
            self._socket = websocket.create_connection(
                tab["webSocketDebuggerUrl"], timeout=patience, suppress_origin=True, http_no_proxy=["127.0.0.1"]
            )
        except BaseException:
            self.close()
            raise
        self._numbers = itertools.count(1)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = False
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def _wait_for(self, file: Path) -> str:
        end = time.monotonic() + self._patience
        while time.monotonic() < end and self._process.poll() is None:
            if file.is_file() and (lines := file.read_text().splitlines()):
                return lines[0]
            time.sleep(0.1)
        raise TimeoutError(f"Chromium did not start within {self._patience} seconds (exit status {self._process.poll()})")

    def call(self, method: str, **parameters) -> dict:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note(message)

    def _note(self, message: dict) -> None:
        event, data = message.get("method"), message.get("params", {})
        if event == "Network.requestWillBeSent":
            self.requests.append(data["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(data["exceptionDetails"].get("text", "exception"))
        elif event == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.complaints.append(data["entry"]["text"])
        elif event == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(data["args"]))
        elif event == "Page.loadEventFired":
            self._loaded = True

    def open(self, url: str, width: int, height: int = 900) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self._loaded = False
        self.call("Page.navigate", url=url)
        while not self._loaded:
            self._note(json.loads(self._socket.recv()))

    def ask(self, expression: str):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key of :data:`KEYS`, as a person presses it."""
        code, text = KEYS[key]
        for event in ("rawKeyDown", "char", "keyUp"):
            if text or event != "char":
                typed = text if event == "char" else ""
                self.call("Input.dispatchKeyEvent", type=event, key=key, windowsVirtualKeyCode=code, text=typed)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def screenshot(self, file: Path, y: int = 0, height: int = 900) -> None:
        width = self.ask("window.innerWidth")
        clip = {"x": 0, "y": y, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        if hasattr(self, "_socket"):
            self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
