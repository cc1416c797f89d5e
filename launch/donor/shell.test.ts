import { expect, it } from "vitest";
import { chooseShell } from "./shell.ts";

const nowhere = { ELECTRON_OVERRIDE_DIST_PATH: "/nowhere" };

it("assumes that nobody uses a machine without a display", () => {
  expect(chooseShell(nowhere, "linux")).toMatchObject({ kind: "headless", attended: false });
});

it.each([
  [{ ...nowhere, DISPLAY: ":0" }, "linux"],
  [{ ...nowhere, WAYLAND_DISPLAY: "wayland-0" }, "linux"],
  [nowhere, "darwin"],
  [nowhere, "win32"],
] as const)(
  "assumes that somebody uses a machine with a display, with or without Electron: %j, %s",
  (env, platform) => {
    expect(chooseShell(env, platform)).toMatchObject({ kind: "headless", attended: true });
  },
);
