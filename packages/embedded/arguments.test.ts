import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseArguments, usage } from "./arguments.ts";

const needed = ["--convex", "convex", "--data", "data.sqlite3"];

test("the defaults are loopback and Convex's own ports", () => {
  expect(parseArguments(needed)).toEqual({
    kind: "ok",
    value: {
      convex: "convex",
      data: "data.sqlite3",
      host: "127.0.0.1",
      port: 3210,
      sitePort: 3211,
      static: [],
      allowHost: [],
      passEnv: [],
      onStart: [],
      maxFileMib: 2048,
      logLevel: "info",
      logRefusals: false,
      readLatencyMs: 0,
      commitLatencyMs: 0,
      withParent: false,
    },
  });
});

test("the site's port follows the API's; port 0 picks free ports for both", () => {
  expect(parseArguments([...needed, "--port", "4000"])).toMatchObject({ value: { sitePort: 4001 } });
  expect(parseArguments([...needed, "--port", "0"])).toMatchObject({ value: { sitePort: 0 } });
});

test("static folders are named by path and folder", () => {
  expect(
    parseArguments([...needed, "--static", "/console=out/a=b", "--static", "/panel=out/p"]),
  ).toMatchObject({
    value: {
      static: [
        { path: "/console", dir: "out/a=b" },
        { path: "/panel", dir: "out/p" },
      ],
    },
  });
});

test("public URLs are kept as origins", () => {
  expect(
    parseArguments([
      ...[...needed, "--public-url", "https://API.example.org/"],
      ...["--public-site-url", "http://[2001:db8::1]:8080"],
    ]),
  ).toMatchObject({
    value: { publicUrl: "https://api.example.org", publicSiteUrl: "http://[2001:db8::1]:8080" },
  });
});

test.each([
  [[]],
  [["--convex", "convex"]],
  [[...needed, "--port", "70000"]],
  [[...needed, "--port", "http"]],
  [[...needed, "--static", "console"]],
  [[...needed, "--public-url", "example.org"]],
  [[...needed, "--public-url", "ftp://example.org"]],
  [[...needed, "--public-url", "https://example.org/api"]],
  [[...needed, "--public-site-url", "https://me:secret@example.org"]],
  [[...needed, "--max-file-mib", "0"]],
  [[...needed, "--color"]],
  [[...needed, "surplus"]],
])("the arguments %j are refused", (argv) => {
  expect(parseArguments(argv).kind).toBe("invalid");
});

test("log and latency options are parsed", () => {
  const given = ["--log-format", "json", "--log-level", "debug", "--read-latency-ms", "2.5"];
  expect(parseArguments([...needed, ...given])).toMatchObject({
    value: { logFormat: "json", logLevel: "debug", readLatencyMs: 2.5, commitLatencyMs: 0 },
  });
  expect(parseArguments([...needed, "--log-format", "xml"])).toMatchObject({ kind: "invalid" });
  expect(parseArguments([...needed, "--read-latency-ms", "-1"])).toMatchObject({ kind: "invalid" });
});

test("--help wins over missing arguments", () => {
  expect(parseArguments(["--help"])).toEqual({ kind: "help" });
});

test("the README lists every option of --help", () => {
  const readme = readFileSync(new URL("./README.md", import.meta.url), "utf8");
  const options = usage.match(/^ {2}--[a-z-]+/gm) ?? [];
  expect(options.length).toBeGreaterThan(10);
  for (const option of options) expect(readme).toContain(`\`${option.trim()}`);
});

test("takes a certificate only with its key", () => {
  expect(parseArguments([...needed, "--tls-cert", "c.pem", "--tls-key", "k.pem"])).toMatchObject({
    kind: "ok",
    value: { tlsCert: "c.pem", tlsKey: "k.pem" },
  });
  expect(parseArguments([...needed, "--tls-cert", "c.pem"])).toMatchObject({
    kind: "invalid",
    reason: expect.stringContaining("--tls-key") as string,
  });
});
