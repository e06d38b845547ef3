"""A headless Chromium without a network, driven through a pipe by the DevTools protocol."""

import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
LONGEST_S = 120
"""Seconds without an answer after which the browser is called gone."""
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
)  # fmt: skip
PRELUDE = """
window.faults = [];
addEventListener("error", event => faults.push(String(event.message || event.target.src)), true);
addEventListener("unhandledrejection", event => faults.push(String(event.reason)));
for (const name of ["error", "warn"]) console[name] = (...said) => faults.push(said.join(" "));
"""


def executable() -> str | None:
    """The browser of this machine, if it has one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a browser; `faults` and `requests` are what it complained of and asked for."""

    def __init__(self, executable: str, profile: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        words = " ".join(f"'{word}'" for word in (executable, *OPTIONS))
        self._process = subprocess.Popen(
            f"exec {words} '--user-data-dir={profile}' 3<&{to_browser} 4>&{from_browser}",
            shell=True, executable="/bin/bash", pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._waiting, self._number = b"", 0
        self._events: list[dict[str, Any]] = []
        self._session: str | None = None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")
        self("Page.addScriptToEvaluateOnNewDocument", source=PRELUDE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._write)
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._read)

    def __call__(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._read], [], [], LONGEST_S)
            more = os.read(self._read, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError("the browser has gone")
            self._waiting += more
        message, _, self._waiting = self._waiting.partition(b"\0")
        read: dict[str, Any] = json.loads(message)
        return read

    def open(self, page: Path, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Load a file in a window of so many pixels, and wait until it is there."""
        self("Emulation.setDeviceMetricsOverride",
             width=width, height=height, deviceScaleFactor=1, mobile=False)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])
        self.go(page.as_uri())

    def go(self, address: str) -> None:
        self._events.clear()
        self("Page.navigate", url=address)
        while all(event["method"] != "Page.loadEventFired" for event in self._events):
            self._events.append(self._next())

    def run(self, script: str) -> Any:
        done = self(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )  # fmt: skip
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, condition: str, seconds: float = 60) -> None:
        """Wait until an expression is true, at most so long."""
        script = (
            f"new Promise(done => {{ const end = Date.now() + {1000 * seconds};"
            f"const look = () => {{ const met = {condition};"
            "if (met || Date.now() > end) done(met); else setTimeout(look, 10); }; look(); })"
        )
        assert self.run(script), condition

    def press(self, key: str) -> None:
        codes = {"Enter": 13, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9}
        named = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        self("Input.dispatchKeyEvent", type="keyDown", **named, **text)
        self("Input.dispatchKeyEvent", type="keyUp", **named)

    def click(self, selector: str) -> None:
        self._mouse("mousePressed", *self._middle(selector), button="left", clickCount=1)
        self._mouse("mouseReleased", *self._middle(selector), button="left", clickCount=1)

    def hover(self, selector: str) -> None:
        self._mouse("mouseMoved", *self._middle(selector))

    def _mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def _middle(self, selector: str) -> tuple[float, float]:
        x, y = self.run(
            f"(() => {{ const it = document.querySelector({json.dumps(selector)});"
            "it.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const box = it.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        return x, y

    @property
    def faults(self) -> list[str]:
        """Errors of scripts, and what the console was told."""
        logged = [
            e["params"]["entry"]["text"] for e in self._events if e["method"] == "Log.entryAdded"
        ]
        return [*self.run("faults"), *logged]

    @property
    def requests(self) -> list[str]:
        sent = [e for e in self._events if e["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]
