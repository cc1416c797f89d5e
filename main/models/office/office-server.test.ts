import { randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../log.ts";
import { bitsOf } from "../download/piece-layout.ts";
import { OfficeClient, type PeerAddress } from "./office-client.ts";
import { OfficeServer } from "./office-server.ts";
import { officeKeys } from "./secrets.ts";
import type { SharedFiles } from "./shared-files.ts";

const pieceBytes = 65_536;
const sha256 = "a".repeat(64);
const pieces = [randomBytes(pieceBytes), randomBytes(100)];
const file = { sha256, sizeBytes: pieceBytes + 100, pieceBytes };
const signal = new AbortController().signal;

let server: OfficeServer;
let client: OfficeClient;
let port: number;
let open: boolean;
let asked: unknown[];
let keys: ReturnType<typeof officeKeys>;

const shared: SharedFiles = {
  isOpen: () => open,
  have: (...what) => {
    asked.push(what);
    if (what[0] !== sha256) return null;
    return { done: bitsOf(new Set([0]), 2), fetching: bitsOf(new Set([1]), 2), held: 1 };
  },
  piece: async (...what) => {
    asked.push(what);
    return what[0] === sha256 ? (pieces[what[2]] ?? null) : null;
  },
  pace: async () => undefined,
};

beforeEach(async () => {
  open = true;
  asked = [];
  keys = officeKeys({ secret: "now", previous: "before" });
  server = new OfficeServer(() => keys, shared, silentLog);
  client = new OfficeClient();
  port = await server.listen("127.0.0.1", 0);
});
afterEach(() => {
  client.close();
  server.close();
});

const at = (secret: string): PeerAddress => ({
  address: "127.0.0.1",
  port,
  key: officeKeys({ secret, previous: null })[0]!,
});

describe("the office server", () => {
  it.each(["now", "before"])("sends its pieces to a device with the secret %j", async (secret) => {
    expect(await client.have(at(secret), file, signal)).toEqual({
      done: new Set([0]),
      fetching: new Set([1]),
      held: 1,
    });
    expect(await client.piece(at(secret), file, 0, signal)).toEqual(pieces[0]);
    expect(await client.piece(at(secret), file, 1, signal)).toEqual(pieces[1]);
  });

  it("sends nothing to a device with another or an expired secret", async () => {
    expect(await client.have(at("another"), file, signal)).toBeNull();
    // The tag is of no use without the key.
    const key = { ...keys[0]!, psk: Buffer.alloc(32, 1) };
    expect(await client.piece({ ...at("now"), key }, file, 0, signal)).toBeNull();
    keys = officeKeys({ secret: "now", previous: null });
    expect(await client.have(at("before"), file, signal)).toBeNull();
    expect(asked).toEqual([]);
  });

  it("sends nothing over plain HTTP or to a client without the pre-shared key", async () => {
    const failure = (get: typeof http.get | typeof https.get, protocol: string): Promise<unknown> =>
      new Promise((resolve) => {
        const address = `${protocol}://127.0.0.1:${port}/1/have/${sha256}/${pieceBytes}`;
        get(address, { rejectUnauthorized: false }, resolve).on("error", () => resolve("failed"));
      });
    expect(await failure(http.get, "http")).toBe("failed");
    expect(await failure(https.get, "https")).toBe("failed");
    expect(asked).toEqual([]);
  });

  it("sends nothing while sharing is not allowed", async () => {
    open = false;
    expect(await client.have(at("now"), file, signal)).toBeNull();
    expect(await client.piece(at("now"), file, 0, signal)).toBeNull();
    expect(asked).toEqual([]);
  });

  it("finds files only by their hash, and has no list of them", async () => {
    const other = { ...file, sha256: "b".repeat(64) };
    expect(await client.have(at("now"), other, signal)).toBeNull();
    expect(await client.piece(at("now"), other, 0, signal)).toBeNull();
    expect(await client.piece(at("now"), file, 2, signal)).toBeNull();
    asked = [];
    for (const bad of ["../../etc/passwd", "", "a", `${sha256}/..`, sha256.toUpperCase(), "%2e%2e"]) {
      expect(await client.have(at("now"), { ...file, sha256: bad }, signal)).toBeNull();
      expect(await client.piece(at("now"), { ...file, sha256: bad }, 0, signal)).toBeNull();
    }
    for (const size of [1, 2 ** 30]) {
      expect(await client.have(at("now"), { ...file, pieceBytes: size }, signal)).toBeNull();
    }
    expect(asked).toEqual([]);
  });

  it("keeps at most four connections from one address", async () => {
    const sockets = Array.from({ length: 8 }, () => connect(port, "127.0.0.1"));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of sockets) socket.on("error", () => undefined);
    await Promise.all(closed.slice(4));
    expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(4);
    for (const socket of sockets) socket.destroy();
  });
});
