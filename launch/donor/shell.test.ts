import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { chooseShell, electronFailure, electronFile } from "./shell.ts";

const nowhere = { ELECTRON_OVERRIDE_DIST_PATH: "/nowhere", GLEANER_ELECTRON_ARGS: "--no-sandbox" };

it("assumes that nobody uses a machine without a display", () => {
  expect(chooseShell(nowhere, "linux")).toMatchObject({ kind: "headless", attended: false });
});

describe.each([
  [{ DISPLAY: ":0" }, "linux"],
  [{ WAYLAND_DISPLAY: "wayland-0" }, "linux"],
  [{}, "darwin"],
  [{}, "win32"],
] as const)("with a display: %j, %s", (display, platform) => {
  it("assumes that somebody uses the machine, and names the folder that has no Electron", () => {
    const shell = chooseShell({ ...nowhere, ...display }, platform);
    expect(shell).toMatchObject({
      kind: "headless",
      attended: true,
      because: expect.stringContaining("/nowhere") as string,
    });
  });
});

it("never asks for Electron where it could not run", () => {
  const env = { DISPLAY: ":0", GLEANER_ELECTRON_ARGS: "" };
  const isRoot = process.getuid?.() === 0;
  expect(chooseShell(env, "linux").kind).not.toBe(isRoot ? "lacks-electron" : "headless");
  expect(chooseShell({}, "linux").kind).toBe("headless");
});

it("asks for Electron where only it lacks", () => {
  const env = { DISPLAY: ":0", GLEANER_ELECTRON_ARGS: "--no-sandbox" };
  const isThere = existsSync(electronFile(env, "linux"));
  expect(chooseShell(env, "linux").kind).toBe(isThere ? "desktop" : "lacks-electron");
});

it.each([
  [
    "[41:1130/120000.1:ERROR:bus.cc(408)] Failed to connect to the bus\n[41:1130/120000.1:FATAL:setuid_sandbox_host.cc(163)] The SUID sandbox helper binary is not configured correctly.\nTrace/breakpoint trap",
    "The SUID sandbox helper binary is not configured correctly",
  ],
  [
    "electron: error while loading shared libraries: libgtk-3.so.0: cannot open shared object file\n",
    "electron: error while loading shared libraries: libgtk-3.so.0: cannot open shared object file",
  ],
  ["\n", null],
])("finds in the output of an Electron that does not start why: %j", (output, why) => {
  expect(electronFailure(output)).toBe(why);
});
