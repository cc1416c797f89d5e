import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { known, unknownComputer } from "../../app/facts/facts.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { type Release, releaseStatement } from "../../app/signatures/release.ts";
import { createSnapshotStore, type SnapshotStore } from "../face/snapshot-store.ts";
import { silentLog } from "../log.ts";
import { UpdateStore } from "./update-state.ts";
import { Updates, type UpdatesDeps } from "./updates.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = publicKey.export({ format: "jwk" }).x ?? "";
const target = { platform: "linux", arch: "x64" } as const;
const away = { ...unknownComputer, idleSeconds: known(600) };
const work = {
  attemptId: "a",
  kind: "chat",
  modelId: "m",
  startedAt: 0,
  phase: "writing",
  writtenChars: 1,
} as const;

let folder: string;
let snapshot: SnapshotStore;
/** The releases of the server, by their file's name. */
let served: Map<string, string>;
let asked: string[];
let downloads: string[];
let installs: { readonly version: string; readonly byPerson: boolean }[];
let updates: Updates;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-updates-"));
  served = new Map();
  [asked, downloads, installs] = [[], [], []];
  snapshot = createSnapshotStore({
    rules: defaultRules,
    facts: away,
    work: null,
    organization: { name: "Acme" },
  } as unknown as DonorSnapshot);
});
afterEach(async () => {
  updates.stop();
  await rm(folder, { recursive: true, force: true });
});

function release(version: string, channel: Release["channel"] = "stable", percent = 100): void {
  const file = { name: `Gleaner-${version}.AppImage`, sha512: `${"A".repeat(86)}==`, sizeBytes: 1 };
  const statement = releaseStatement({ ...target, channel, version, percent, file });
  const signature = sign(null, Buffer.from(statement), privateKey).toString("base64url");
  served.set(`${channel}-linux-x64.json`, JSON.stringify({ statement, signature }));
}

async function start(changed: Partial<UpdatesDeps> = {}): Promise<void> {
  updates = new Updates({
    source: { server: "https://example.org/", key, lookEverySeconds: 0.05 },
    target,
    version: "1.2.3",
    canRollBack: true,
    store: await UpdateStore.open(folder),
    snapshot,
    refreshFacts: () => Promise.resolve(),
    fetchFile: (url) => {
      const name = new URL(url).pathname.slice(1);
      asked.push(name);
      const text = served.get(name);
      return Promise.resolve(new Response(text ?? "", { status: text === undefined ? 404 : 200 }));
    },
    download: ({ version }) => {
      downloads.push(version);
      return Promise.resolve();
    },
    install: (version, byPerson) => installs.push({ version, byPerson }),
    log: silentLog,
    ...changed,
  });
  updates.start();
}

/** Waits until it has looked twice more. */
async function looks(): Promise<void> {
  const before = asked.length;
  await expect.poll(() => asked.length).toBeGreaterThan(before + 2);
}

const view = () => snapshot.get().updates;

it("downloads a new version once, and installs it at a moment that disturbs nobody", async () => {
  release("1.3.0");
  snapshot.update({ work });
  await start();
  await expect.poll(view).toMatchObject({ kind: "on", next: { version: "1.3.0", state: "ready" } });
  await looks();
  expect({ downloads, installs }).toEqual({ downloads: ["1.3.0"], installs: [] });
  snapshot.update({ work: null });
  await expect.poll(() => installs).toEqual([{ version: "1.3.0", byPerson: false }]);
});

it("sees a presentation that no rule asks for", async () => {
  release("1.3.0");
  const refreshFacts = (): Promise<void> => {
    snapshot.update({ facts: { ...away, fullScreen: known(true) } });
    return Promise.resolve();
  };
  await start({ refreshFacts });
  await expect.poll(view).toMatchObject({ next: { state: "ready" } });
  await looks();
  expect(installs).toEqual([]);
});

it("installs during a job if its person wants that, and once", async () => {
  release("1.3.0");
  snapshot.update({ work });
  await start();
  expect(updates.restart()).toMatchObject({ kind: "refused" });
  await expect.poll(view).toMatchObject({ next: { state: "ready" } });
  expect(updates.restart()).toMatchObject({ kind: "ok" });
  snapshot.update({ work: null });
  expect(installs).toEqual([{ version: "1.3.0", byPerson: true }]);
});

it("installs nothing by itself where the former version cannot come back", async () => {
  release("1.3.0");
  await start({ canRollBack: false });
  await expect.poll(view).toMatchObject({ byItself: false, next: { state: "ready" } });
  await looks();
  expect(installs).toEqual([]);
});

it("drops a version that its makers withdraw", async () => {
  release("1.3.0");
  snapshot.update({ work });
  await start();
  await expect.poll(view).toMatchObject({ next: { state: "ready" } });
  release("1.3.0", "stable", 0);
  await expect.poll(view).toMatchObject({ next: null });
  snapshot.update({ work: null });
  await looks();
  expect(installs).toEqual([]);
});

it("waits with the download on battery, and while it fails", async () => {
  release("1.3.0");
  snapshot.update({ work, facts: { ...away, power: known("battery") } });
  let fails = true;
  const download = ({ version }: Release): Promise<void> => {
    downloads.push(version);
    return fails ? Promise.reject(new Error("cut off")) : Promise.resolve();
  };
  await start({ download });
  await looks();
  expect(downloads).toEqual([]);
  snapshot.update({ facts: away });
  await expect.poll(view).toMatchObject({ problem: "not-downloaded", next: null });
  fails = false;
  await expect.poll(view).toMatchObject({ problem: null, next: { state: "ready" } });
});

it("looks at once for the version that the organization asks for, whatever its stage", async () => {
  release("1.3.0", "stable", 0);
  snapshot.update({ work });
  await start();
  await looks();
  expect(downloads).toEqual([]);
  snapshot.update({ organization: { name: "Acme", askedVersion: "1.3.0" } });
  await expect.poll(() => downloads).toEqual(["1.3.0"]);
});

describe("the rules", () => {
  it("switch the updates off and on", async () => {
    release("1.3.0");
    snapshot.update({ rules: { ...defaultRules, autoUpdate: false } });
    await start();
    expect(view()).toEqual({ kind: "off", why: "rule" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(asked).toEqual([]);
    snapshot.update({ rules: defaultRules });
    await expect.poll(() => installs).toHaveLength(1);
  });

  it("choose the early channel, which contains the stable one", async () => {
    release("1.3.0");
    release("1.4.0-beta.1", "early");
    snapshot.update({ work });
    await start();
    await expect.poll(view).toMatchObject({ channel: "stable", next: { version: "1.3.0" } });
    snapshot.update({ rules: { ...defaultRules, earlyUpdates: true } });
    await expect.poll(view).toMatchObject({ channel: "early", next: { version: "1.4.0-beta.1" } });
    release("1.5.0");
    await expect.poll(view).toMatchObject({ channel: "early", next: { version: "1.5.0" } });
  });
});

it("says that the server cannot be reached, and keeps the version that is ready", async () => {
  release("1.3.0");
  snapshot.update({ work });
  let isDown = false;
  const fetchFile = (): Promise<Response> =>
    isDown
      ? Promise.reject(new Error("connection refused"))
      : Promise.resolve(new Response(served.get("stable-linux-x64.json")));
  await start({ fetchFile });
  await expect.poll(view).toMatchObject({ next: { state: "ready" } });
  isDown = true;
  await expect.poll(view).toMatchObject({ problem: "unreachable", next: { state: "ready" } });
});
