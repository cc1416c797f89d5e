import { expect, it } from "vitest";
import { desktopArguments } from "./arguments.ts";

const backend = ["--backend", "http://127.0.0.1:3210"];

it("finds Gleaner's arguments among Chromium's", () => {
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

it("keeps its data in the system's folder for program data by default", () => {
  expect(desktopArguments(backend, {}, "/user")).toMatchObject({
    ownFolder: false,
    parsed: { kind: "ok", value: { data: "/user" } },
  });
  expect(desktopArguments(backend, { GLEANER_DATA: "/e" }, "/user")).toMatchObject({
    ownFolder: true,
    parsed: { kind: "ok", value: { data: "/e" } },
  });
});

it("needs no backend: the first start asks for one", () => {
  expect(desktopArguments([], {}, "/user").parsed).toMatchObject({ kind: "ok", value: { data: "/user" } });
});

it("starts without a window with --hidden", () => {
  expect(desktopArguments(["--hidden", ...backend], {}, "/user").hidden).toBe(true);
});

it.each([
  ["a backend that is not a URL", ["--backend", "x"]],
  ["an option without its value", ["--backend"]],
])("refuses %s", (_what, argv) => {
  expect(desktopArguments(argv, {}, "/user").parsed).toMatchObject({ kind: "invalid" });
});
