import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../log.ts";
import { answerCalls } from "../answer-call.ts";
import { fakeHandlers } from "../handlers.fixture.ts";
import { socketAddress } from "./address.ts";
import { callDonor } from "./client.ts";
import { type LocalSocket, serveLocalSocket } from "./server.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-control-"));
});
afterEach(() => rm(folder, { recursive: true }));

const handlers = fakeHandlers({
  facts: () => ({ kind: "ok", value: { facts: [] } }),
  pause: (length) => ({ kind: "refused", message: `until ${"until" in length ? length.until : null}` }),
  resume: () => Promise.reject(new Error("zanzibar")),
  models: () => ({ kind: "ok", value: { models: "none" } }) as never,
  getSnapshot: () => ({ kind: "ok", value: {} }) as never,
});

async function serve(where = folder): Promise<LocalSocket> {
  const server = await serveLocalSocket(where, answerCalls("terminal", handlers, silentLog), silentLog);
  onTestFinished(() => server.close());
  return server;
}

describe("the local socket", () => {
  it("carries an argument to the donor and an answer back", async () => {
    await serve();
    expect(await callDonor(folder, "facts", null)).toEqual({ kind: "ok", value: { facts: [] } });
    expect(await callDonor(folder, "pause", { until: 5 })).toEqual({ kind: "refused", message: "until 5" });
  });

  it("refuses an unknown call, a bad argument and a failed one in words, without details of the failure", async () => {
    await serve();
    expect(await callDonor(folder, "dance" as never, null as never)).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("dance"),
    });
    // Only the panel may call this, because it reveals a job's text.
    expect(await callDonor(folder, "getSnapshot" as never, null as never)).toMatchObject({ kind: "refused" });
    for (const bad of [{ until: -1 }, { until: "soon" }, null]) {
      expect(await callDonor(folder, "pause", bad as never)).toMatchObject({ kind: "refused" });
    }
    const failed = await callDonor(folder, "resume", null);
    expect(failed).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(failed)).not.toContain("zanzibar");
  });

  it("reports an answer that does not fit this version", async () => {
    await serve();
    expect(await callDonor(folder, "models", null)).toMatchObject({ kind: "failed" });
  });

  it("says that no donor runs, if none ever did or it has stopped", async () => {
    expect(await callDonor(folder, "facts", null)).toEqual({ kind: "not-running" });
    const server = await serve();
    await server.close();
    expect(await readdir(folder)).toEqual([]);
    expect(await callDonor(folder, "facts", null)).toEqual({ kind: "not-running" });
  });

  it.skipIf(process.platform === "win32")("opens the socket only to its user", async () => {
    await serve();
    const { mode } = await stat(socketAddress(folder).path);
    expect(mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === "win32")("replaces a socket that a crash left behind", async () => {
    await writeFile(socketAddress(folder).path, "");
    await serve();
    expect(await callDonor(folder, "facts", null)).toMatchObject({ kind: "ok" });
  });

  it.skipIf(process.platform === "win32")(
    "uses another folder if the path is too long for a socket",
    async () => {
      const deep = join(folder, "a".repeat(60), "b".repeat(60));
      await mkdir(deep, { recursive: true });
      expect(socketAddress(deep)).toMatchObject({ kind: "socket", folder: "private" });
      await serve(deep);
      expect(await callDonor(deep, "facts", null)).toMatchObject({ kind: "ok" });
    },
  );

  it("answers several calls of a connection, and ends it at a line that is too long or no call", async () => {
    await serve();
    const requests = [
      { id: 1, call: "facts", argument: null },
      { id: 2, call: "dance", argument: null },
    ];
    const said = await converse(`${requests.map((each) => JSON.stringify(each)).join("\n")}\n`, 2);
    expect(said).toContain('"id":2');
    expect(said).toContain('"id":1');
    expect(await converse("x".repeat(70_000))).toBe("");
    expect(await converse(`nonsense\n${JSON.stringify(requests[0])}\n`)).toBe("");
    expect(await callDonor(folder, "facts", null)).toMatchObject({ kind: "ok" });
  });
});

/** Everything received until the server ends the connection. Sends nonsense after this many lines. */
function converse(text: string, lines = 0): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(socketAddress(folder).path);
    socket.on("data", (data: Buffer) => {
      said += data.toString();
      if (said.split("\n").length > lines) socket.write("nonsense\n");
    });
    socket.on("error", () => undefined).on("close", () => resolve(said));
    socket.write(text);
  });
}

describe("a donor's address", () => {
  it("never makes a socket path longer than the system allows", () => {
    const long = `/home/somebody/${"x".repeat(200)}`;
    for (const [platform, limit] of [
      ["linux", 107],
      ["darwin", 103],
    ] as const) {
      for (let length = 1; length < 200; length++) {
        const { path } = socketAddress(long.slice(0, 15 + length), platform, 1_000);
        expect(Buffer.byteLength(path)).toBeLessThanOrEqual(limit);
      }
      expect(socketAddress(long, platform, 1_000)).toEqual(socketAddress(`${long}/`, platform, 1_000));
    }
  });

  it("uses a pipe named after the folder on Windows", () => {
    const { kind, path } = socketAddress("/home/a", "win32");
    expect(kind).toBe("pipe");
    expect(path).toMatch(/^\\\\\.\\pipe\\gleaner-[0-9a-f]{32}$/);
    expect(socketAddress("/home/b", "win32").path).not.toBe(path);
  });
});
