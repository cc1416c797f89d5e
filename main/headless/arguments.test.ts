import { describe, expect, it } from "vitest";
import { parseArguments } from "./arguments.ts";

const required = ["--data", "/tmp/d", "--backend", "http://127.0.0.1:3210"];

describe("headless arguments", () => {
  it("requires a folder and a backend, and has defaults for the rest", () => {
    expect(parseArguments(required, {})).toMatchObject({
      kind: "ok",
      value: {
        data: "/tmp/d",
        backend: "http://127.0.0.1:3210",
        unattended: false,
        withParent: false,
        model: [],
      },
    });
    expect(parseArguments([], {})).toMatchObject({ kind: "invalid" });
  });

  it("accepts a backend address with a slash at its end", () => {
    expect(parseArguments(["--data", "/tmp/d", "--backend", "https://b.example/"], {})).toMatchObject({
      value: { backend: "https://b.example" },
    });
  });

  it("reads the environment, and prefers flags", () => {
    const env = { GLEANER_DATA: "/tmp/e", GLEANER_BACKEND: "https://b.example", GLEANER_CODE: "GLN-AAAA" };
    expect(parseArguments(["--data", "/tmp/d"], env)).toMatchObject({
      kind: "ok",
      value: { data: "/tmp/d", backend: "https://b.example", code: "GLN-AAAA" },
    });
  });

  it("reads the ports of the panel in order", () => {
    expect(parseArguments(required, {})).toMatchObject({ value: { panelPort: [], rejoin: false } });
    const ports = ["--panel-port", "3212", "--panel-port", "0", "--rejoin"];
    expect(parseArguments([...required, ...ports], {})).toMatchObject({
      value: { panelPort: [3212, 0], rejoin: true },
    });
  });

  it("reads a pin and the permission for plain HTTP", () => {
    const pin = `sha256:${"a".repeat(64)}`;
    const value = { pin, insecureHttp: true };
    expect(parseArguments([...required, "--pin", pin, "--insecure-http"], {})).toMatchObject({ value });
    const env = { GLEANER_PIN: pin, GLEANER_INSECURE_HTTP: "1" };
    expect(parseArguments(required, env)).toMatchObject({ value });
    expect(parseArguments(required, {})).toMatchObject({ value: { insecureHttp: false } });
  });

  it("says what an enrollment code looks like", () => {
    expect(parseArguments([...required, "--code", "abc"], {})).toEqual({
      kind: "invalid",
      reason: "--code: is no enrollment code, such as GLN-7K2M-9QXD-4WHT",
    });
  });

  it.each([
    [["--pin", "sha256:12"]],
    [["--backend", "ftp://x"]],
    [["--panel-port", "99999"]],
    [["--panel-port", "x"]],
    [["--donate-now", "0"]],
    [["--name", " "]],
    [["--unknown"]],
    [["stray"]],
  ])("refuses the arguments %j with a reason", (extra) => {
    const parsed = parseArguments([...required, ...extra], {});
    if (parsed.kind !== "invalid") throw new Error("taken");
    expect(parsed.reason).not.toBe("");
  });
});
