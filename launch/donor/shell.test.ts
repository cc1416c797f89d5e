import { expect, it } from "vitest";
import { chooseShell } from "./shell.ts";

const nowhere = { ELECTRON_OVERRIDE_DIST_PATH: "/nowhere" };

it("takes nobody to sit at a machine without a display", () => {
  expect(chooseShell(nowhere, "linux")).toMatchObject({ kind: "headless", attended: false });
});

it.each([
  [{ ...nowhere, DISPLAY: ":0" }, "linux"],
  [{ ...nowhere, WAYLAND_DISPLAY: "wayland-0" }, "linux"],
  [nowhere, "darwin"],
  [nowhere, "win32"],
] as const)("takes somebody to sit at one with a display, Electron or not: %j, %s", (env, platform) => {
  expect(chooseShell(env, platform)).toMatchObject({ kind: "headless", attended: true });
});
