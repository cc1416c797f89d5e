import { expect, it } from "vitest";
import { endedUnexpectedly, explain, LaunchError } from "./launch-error.ts";

it("explains a problem and its remedy in two lines", () => {
  expect(explain(new LaunchError("It is broken.", "Mend it."))).toBe(
    "gleaner: It is broken.\n         Mend it.",
  );
});

it("says that the disk is full instead of showing a stack", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(explain(full)).toBe("gleaner: The disk is full.\n         Free some space, and start again.");
  const named = Object.assign(new Error("EDQUOT"), { code: "EDQUOT", path: "/data/installation.json" });
  expect(explain(named)).toContain("The disk of /data/installation.json is full.");
});

it("shows the stack of every other error", () => {
  expect(explain(new Error("a bug"))).toMatch(/^gleaner: Error: a bug\n +at /);
});

it("shows the last error of a part that ended, without its stack", () => {
  const output = [
    "2026-11-27T06:59:40.065Z info  backend.started url=http://127.0.0.1:3210",
    "2026-11-27T06:59:40.117Z error backend.failed: EngineFailedError: The database file could not be written.",
    "        at #fail (committer.ts:304:19)",
  ].join("\n");
  expect(explain(endedUnexpectedly("backend", output, "/logs/backend.log"))).toBe(
    "gleaner: The backend ended unexpectedly.\n         The database file could not be written.\n         Its log: /logs/backend.log",
  );
  expect(endedUnexpectedly("backend", "", "/logs/backend.log").message).toBe(
    "The backend ended unexpectedly.",
  );
});
