import { expect, it } from "vitest";
import { desktopArguments } from "./arguments.ts";

const backend = ["--backend", "http://127.0.0.1:3210"];

it("finds its own among Chromium's", () => {
  const argv = [
    ".",
    "--no-sandbox",
    "--disable-gpu",
    "--remote-debugging-port=0",
    "--data",
    "/d",
    ...backend,
  ];
  const found = desktopArguments([...argv, "--with-parent", "--original-process-start-time=1"], {}, "/user");
  expect(found).toMatchObject({
    hidden: false,
    ownFolder: true,
    parsed: { kind: "ok", value: { data: "/d", backend: "http://127.0.0.1:3210", withParent: true } },
  });
});

it("keeps its data where the system keeps programs' data, unless told otherwise", () => {
  expect(desktopArguments(backend, {}, "/user")).toMatchObject({
    ownFolder: false,
    parsed: { kind: "ok", value: { data: "/user" } },
  });
  expect(desktopArguments(backend, { GLEANER_DATA: "/e" }, "/user")).toMatchObject({
    ownFolder: true,
    parsed: { kind: "ok", value: { data: "/e" } },
  });
});

it("starts in the tray alone when asked to", () => {
  expect(desktopArguments(["--hidden", ...backend], {}, "/user").hidden).toBe(true);
});

it.each([
  ["no backend", []],
  ["a backend that is no address", ["--backend", "x"]],
  ["an option without its value", ["--backend"]],
])("says what is wrong: %s", (_what, argv) => {
  expect(desktopArguments(argv, {}, "/user").parsed).toMatchObject({ kind: "invalid" });
});
