import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../log.ts";
import { controlAddress } from "./address.ts";
import type { ControlHandlers } from "./calls.ts";
import { callDonor } from "./client.ts";
import { type ControlServer, serveControl } from "./server.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-control-"));
});
afterEach(() => rm(folder, { recursive: true }));

const refusing = { kind: "refused", message: "Not now." } as const;
const handlers: ControlHandlers = {
  status: () => refusing,
  facts: () => ({ kind: "ok", value: { facts: [] } }),
  pause: ({ until }) => ({ kind: "refused", message: `until ${until}` }),
  resume: () => Promise.reject(new Error("zanzibar")),
  donateNow: () => refusing,
  finish: () => refusing,
  rules: () => refusing,
  setRules: () => refusing,
  resetRules: () => refusing,
  explain: () => refusing,
  models: () => ({ kind: "ok", value: { models: "none" } }) as never,
  removeModel: () => refusing,
  fetchModel: () => refusing,
  bench: () => refusing,
};

async function serve(where = folder): Promise<ControlServer> {
  const server = await serveControl(where, handlers, silentLog);
  onTestFinished(() => server.close());
  return server;
}

describe("the control channel", () => {
  it("carries an argument there and an answer back", async () => {
    await serve();
    expect(await callDonor(folder, "facts", null)).toEqual({ kind: "ok", value: { facts: [] } });
    expect(await callDonor(folder, "pause", { until: 5 })).toEqual({ kind: "refused", message: "until 5" });
  });

  it("refuses in words what is no call, no argument, or fails; and says no more of a failure", async () => {
    await serve();
    expect(await callDonor(folder, "dance" as never, null as never)).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("dance"),
    });
    for (const bad of [{ until: -1 }, { until: "soon" }, null]) {
      expect(await callDonor(folder, "pause", bad as never)).toMatchObject({ kind: "refused" });
    }
    const failed = await callDonor(folder, "resume", null);
    expect(failed).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(failed)).not.toContain("zanzibar");
  });

  it("says so when the answer is not one of this version", async () => {
    await serve();
    expect(await callDonor(folder, "models", null)).toMatchObject({ kind: "failed" });
  });

  it("says that no donor runs: none ever, one that stopped, one that crashed", async () => {
    expect(await callDonor(folder, "facts", null)).toEqual({ kind: "not-running" });
    const server = await serve();
    await server.close();
    expect(await readdir(folder)).toEqual([]);
    expect(await callDonor(folder, "facts", null)).toEqual({ kind: "not-running" });
  });

  it.skipIf(process.platform === "win32")("is open to its user alone", async () => {
    await serve();
    const { mode } = await stat(controlAddress(folder).path);
    expect(mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === "win32")("takes the place of what a crash left behind", async () => {
    await writeFile(controlAddress(folder).path, "");
    await serve();
    expect(await callDonor(folder, "facts", null)).toMatchObject({ kind: "ok" });
  });

  it.skipIf(process.platform === "win32")(
    "has an address also where the folder's path is too long",
    async () => {
      const deep = join(folder, "a".repeat(60), "b".repeat(60));
      await mkdir(deep, { recursive: true });
      expect(controlAddress(deep)).toMatchObject({ kind: "socket", folder: "private" });
      await serve(deep);
      expect(await callDonor(deep, "facts", null)).toMatchObject({ kind: "ok" });
    },
  );

  it("answers several requests of a connection, and ends it at what is none or too long", async () => {
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

/** What comes back until the server ends the connection: after so many lines, at a word that is no request. */
function converse(text: string, lines = 0): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(controlAddress(folder).path);
    socket.on("data", (data: Buffer) => {
      said += data.toString();
      if (said.split("\n").length > lines) socket.write("nonsense\n");
    });
    socket.on("error", () => undefined).on("close", () => resolve(said));
    socket.write(text);
  });
}

describe("a donor's address", () => {
  it("fits into what each system takes", () => {
    const long = `/home/somebody/${"x".repeat(200)}`;
    for (const [platform, limit] of [
      ["linux", 107],
      ["darwin", 103],
    ] as const) {
      for (let length = 1; length < 200; length++) {
        const { path } = controlAddress(long.slice(0, 15 + length), platform, 1_000);
        expect(Buffer.byteLength(path)).toBeLessThanOrEqual(limit);
      }
      expect(controlAddress(long, platform, 1_000)).toEqual(controlAddress(`${long}/`, platform, 1_000));
    }
  });

  it("is a pipe of the folder's own on Windows", () => {
    const { kind, path } = controlAddress("/home/a", "win32");
    expect(kind).toBe("pipe");
    expect(path).toMatch(/^\\\\\.\\pipe\\gleaner-[0-9a-f]{32}$/);
    expect(controlAddress("/home/b", "win32").path).not.toBe(path);
  });
});
