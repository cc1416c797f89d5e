import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Release, releaseStatement } from "../../app/signatures/release.ts";
import { lookForRelease } from "./look.ts";

const target = { channel: "stable", platform: "linux", arch: "x64" } as const;
const release: Release = {
  ...target,
  version: "1.3.0",
  percent: 100,
  file: { name: "Gleaner-1.3.0.AppImage", sha512: `${"A".repeat(86)}==`, sizeBytes: 1 },
};
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = publicKey.export({ format: "jwk" }).x ?? "";

let served: { readonly status: number; readonly text: string };
let asked: string | undefined;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked = request.url;
    response.writeHead(served.status).end(served.text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  served = { status: 200, text: signed(releaseStatement(release)) };
});

function signed(statement: string, by: KeyObject = privateKey): string {
  const signature = sign(null, Buffer.from(statement), by).toString("base64url");
  return JSON.stringify({ statement, signature });
}

const look = () => lookForRelease(fetch, { server: url, key }, target);

it("finds a release that the key signed", async () => {
  expect(await look()).toEqual({ kind: "found", release });
  expect(asked).toBe("/releases/stable-linux-x64.json");
});

it("finds nothing where the channel has no release", async () => {
  served = { status: 404, text: "" };
  expect(await look()).toEqual({ kind: "nothing" });
});

const unsigned: readonly (readonly [string, () => string])[] = [
  ["no JSON", () => "<html>"],
  ["no signature", () => JSON.stringify({ statement: releaseStatement(release) })],
  [
    "the signature of another key",
    () => signed(releaseStatement(release), generateKeyPairSync("ed25519").privateKey),
  ],
  ["a changed text", () => signed(releaseStatement(release)).replace("1.3.0", "1.3.1")],
  ["a release of another channel", () => signed(releaseStatement({ ...release, channel: "early" }))],
  ["a release for other processors", () => signed(releaseStatement({ ...release, arch: "arm64" }))],
  ["a release for another system", () => signed(releaseStatement({ ...release, platform: "win32" }))],
  [
    "a signature for another purpose",
    () => signed(releaseStatement(release).replace("gleaner.release", "gleaner.result")),
  ],
  [
    "a file elsewhere",
    () => signed(releaseStatement({ ...release, file: { ...release.file, name: "../Gleaner.AppImage" } })),
  ],
];

it.each(unsigned)("does not take %s", async (_what, text) => {
  served = { status: 200, text: text() };
  expect(await look()).toMatchObject({ kind: "failed", problem: "not-signed" });
});

it.each([
  ["an error of the server", { status: 500, text: "" }],
  ["a file that is too large", { status: 200, text: "x".repeat(20_000) }],
])("says that it found no server for %s", async (_what, answer) => {
  served = answer;
  expect(await look()).toMatchObject({ kind: "failed", problem: "unreachable" });
});

it("says that a server cannot be reached", async () => {
  const nowhere = await lookForRelease(fetch, { server: "http://127.0.0.1:1/", key }, target);
  expect(nowhere).toMatchObject({ kind: "failed", problem: "unreachable" });
});
