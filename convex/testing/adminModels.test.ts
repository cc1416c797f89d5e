import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { DeviceModel } from "../model/validators/devices.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  modelId,
  type Organization,
  secret,
  signIn,
  statusOf,
  submit,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
const price = { promptMicro: 3n, completionMicro: 9n };
const sha256 = "cd".repeat(32);
const mebibyte = 2 ** 20;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
});

afterEach(closeWorld);

function entry(over: Record<string, unknown> = {}) {
  return {
    modelId: "qwen3-4b",
    source: "hf:Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
    sha256,
    sizeBytes: 10 * mebibyte,
    licence: "Apache-2.0",
    contextTokens: 32_768,
    template: null,
    pieces: null as { pieceBytes: number; pieceHashes: string[] } | null,
    ...over,
  };
}

const pieces = { pieceBytes: 4 * mebibyte, pieceHashes: ["11", "22", "33"].map((each) => each.repeat(32)) };
const add = async (over: Record<string, unknown> = {}) =>
  await t.mutation(api.console.models.add, { session, entry: entry(over), price });
const list = async () => await t.query(api.console.models.list, { session });
const row = async (id = "qwen3-4b") => (await list()).find((each) => each.modelId === id);
const told = async (models: DeviceModel[], { key }: Device = device) =>
  await t.mutation(api.devices.reportModels, { key, models });
const me = async ({ key }: Device = device) => await t.query(api.devices.me, { key });

describe("the catalog", () => {
  it("shows the first model and an added one to admins, devices and requesters", async () => {
    await add({ pieces });
    expect((await list()).map((each) => each.modelId)).toEqual([modelId, "qwen3-4b"]);
    expect(await row()).toMatchObject({ retired: false, pieceCount: 3, price, licence: "Apache-2.0" });
    const { pieces: _pieces, ...offered } = entry();
    expect((await me()).models).toContainEqual(expect.objectContaining(offered));
    const { models } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    expect(models.map((each) => each.modelId)).toEqual([modelId, "qwen3-4b"]);
  });

  it("returns the hashes of a model's pieces", async () => {
    await add({ pieces });
    const { key } = device;
    expect(await t.query(api.devices.modelPieces, { key, sha256 })).toEqual(pieces);
    expect(await t.query(api.devices.modelPieces, { key, sha256: "00".repeat(32) })).toBeNull();
  });

  it("stores a large model's pieces within the bounds of a document", async () => {
    const pieceHashes = Array.from({ length: 4_096 }, () => "ef".repeat(32));
    const large = { pieceBytes: 16 * mebibyte, pieceHashes };
    await add({ sizeBytes: 4_096 * 16 * mebibyte, pieces: large });
    const stored = await t.query(api.devices.modelPieces, { key: device.key, sha256 });
    expect(stored?.pieceHashes).toHaveLength(4_096);
    expect(JSON.stringify(stored).length).toBeLessThan(2 ** 20);
  });

  it.each([
    ["source", "http://example.org/model.gguf"],
    ["source", "file:///etc/passwd"],
    ["source", "hf:user/repo/../../secret"],
    ["sha256", "CD".repeat(32)],
    ["sizeBytes", 0],
    ["sizeBytes", 1.5],
    ["contextTokens", -1],
    ["modelId", ""],
    ["licence", "x".repeat(201)],
    ["template", "x".repeat(65_537)],
    ["pieces", { pieceBytes: 4 * mebibyte, pieceHashes: ["11".repeat(32)] }],
    ["pieces", { pieceBytes: 1, pieceHashes: ["11".repeat(32)] }],
    ["pieces", { pieceBytes: 16 * mebibyte, pieceHashes: ["11"] }],
  ])("refuses a model whose %s is %j", async (field, value) => {
    await expectRefusal(add({ [field]: value }), "invalid");
    expect(await row()).toBeUndefined();
  });

  it("refuses a wrong field by name, a price out of bounds, and a taken name", async () => {
    await expect(add({ sha256: "12" })).rejects.toThrow(/sha256: has to be a SHA-256/);
    await expect(add({ contextTokens: 1e308 })).rejects.toThrow(
      /contextTokens: must be at most 9007199254740991/,
    );
    await expect(add({ modelId: "" })).rejects.toThrow(/modelId: must not be empty/);
    const wrong = { session, entry: entry(), price: { promptMicro: -1n, completionMicro: 0n } };
    await expectRefusal(t.mutation(api.console.models.add, wrong), "invalid");
    await add();
    await expectRefusal(add({ sha256: "ee".repeat(32) }), "conflict");
  });

  it("bounds the number of models in a catalog", async () => {
    for (let at = 1; at < 200; at += 1) await add({ modelId: `m${String(at)}` });
    await expectRefusal(add({ modelId: "one more" }), "conflict");
  });

  it("changes a model's price, source and use, but not its file", async () => {
    await add();
    const change = { source: "https://models.example.org/qwen.gguf", template: "{{ messages }}", price };
    await t.mutation(api.console.models.change, { session, modelId: "qwen3-4b", change });
    expect(await row()).toMatchObject({ ...change, sha256 });
    const cheaper = { template: null, price: { promptMicro: 1n, completionMicro: 2n } };
    await t.mutation(api.console.models.change, { session, modelId: "qwen3-4b", change: cheaper });
    expect(await row()).toMatchObject({ ...cheaper, source: change.source });
    const wrong = { session, modelId: "qwen3-4b", change: { source: "ftp://x/y" } };
    await expectRefusal(t.mutation(api.console.models.change, wrong), "invalid");
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 2, cursor: null },
    });
    expect(page.map(({ action, detail }) => [action, detail])).toEqual([
      ["model.changed", "price per 1,000 tokens: 0.003 + 0.009 → 0.001 + 0.002; template: own → the file's"],
      ["model.changed", `source: ${entry().source} → ${change.source}; template: the file's → own`],
    ]);
  });

  it("offers a retired model to nobody until it is reinstated", async () => {
    await t.mutation(api.console.models.retire, { session, modelId });
    expect((await me()).models).toEqual([]);
    await expectRefusal(submit(t, acme), "model_not_found");
    expect(await row(modelId)).toMatchObject({ retired: true });
    await t.mutation(api.console.models.reinstate, { session, modelId });
    expect((await me()).models).toHaveLength(1);
    expect(await statusOf(t, acme, await submit(t, acme))).toBe("ready");
    await expectRefusal(t.mutation(api.console.models.retire, { session, modelId: "nothing" }), "not_found");
  });
});

describe("a device's report of its models", () => {
  const downloading = (downloadedBytes: number): DeviceModel => ({
    modelId: "qwen3-4b",
    state: "downloading",
    downloadedBytes,
  });
  const ready = (generate: number): DeviceModel => ({
    modelId: "qwen3-4b",
    state: "ready",
    speed: { prefill: generate * 10, generate, backend: "cpu" },
  });

  it("counts a model over the fleet, with median speeds, and lists it by device", async () => {
    await add();
    const others = [
      await addDevice(t, acme, "b"),
      await addDevice(t, acme, "c"),
      await addDevice(t, acme, "d"),
    ];
    await told([downloading(4_000_000)]);
    await told([ready(10)], others[0]);
    await told([ready(30.04)], others[1]);
    await told([{ modelId: "qwen3-4b", state: "waiting", why: "metered", downloadedBytes: 1 }], others[2]);
    expect((await row())?.fleet).toEqual({
      of: null,
      missing: 0,
      waiting: 1,
      downloading: 1,
      verifying: 0,
      ready: 2,
      corrupt: 0,
      downloadedBytes: 4_000_001,
      prefill: 300.4,
      generate: 30,
    });
    const devices = await t.query(api.console.models.devices, { session, modelId: "qwen3-4b" });
    expect(devices.map(({ name, model }) => [name, model.state])).toEqual([
      ["laptop", "downloading"],
      ["d", "waiting"],
      ["b", "ready"],
      ["c", "ready"],
    ]);
    const rows = await listDevices(t, session);
    expect(rows.find(({ name }) => name === "b")?.models).toEqual([ready(10)]);
  });

  it("says of a large fleet how many devices it looked at, and counts all that are ready", async () => {
    await add();
    await told([downloading(4_000_000)]);
    await t.run(async (ctx) => {
      const report = await ctx.db.query("deviceModels").first();
      const counts = await ctx.db.query("deviceCounts").first();
      if (report === null || counts === null) throw new Error("nothing is counted");
      const { _id, _creationTime, ...copy } = report;
      for (let at = 0; at < 260; at += 1) await ctx.db.insert("deviceModels", copy);
      const facets = [{ of: "model" as const, name: "qwen3-4b", devices: 9_120 }];
      await ctx.db.patch("deviceCounts", counts._id, { facets });
    });
    expect((await row())?.fleet).toMatchObject({ of: 250, downloading: 250, ready: 9_120 });
  });

  it("writes a device's models on transitions, and twice a minute during a download", async () => {
    const stored = async () =>
      await t.run(async (ctx) => (await ctx.db.query("deviceModels").first())?.models[0]?.downloadedBytes);
    await told([downloading(1)]);
    vi.setSystemTime(Date.now() + 10_000);
    await told([downloading(2)]);
    expect(await stored()).toBe(1);
    vi.setSystemTime(Date.now() + 20_000);
    await told([downloading(3)]);
    expect(await stored()).toBe(3);
    await told([{ ...downloading(4), state: "waiting", why: "in-use" }]);
    expect(await stored()).toBe(4);
  });

  it("refuses a device's report of its models that is out of bounds", async () => {
    const wrong: readonly DeviceModel[] = [
      downloading(-1),
      downloading(0.5),
      { ...ready(1), why: "x".repeat(201) },
      ready(Number.NaN),
      ready(-1),
      { modelId: "", state: "ready" },
    ];
    for (const model of wrong) await expectRefusal(told([model]), "invalid");
    const many = Array.from({ length: 201 }, (_, at) => ({ ...ready(1), modelId: `m${String(at)}` }));
    await expectRefusal(told(many), "invalid");
  });

  it("deletes the models of a retired device, and refuses its reports", async () => {
    await add();
    await told([downloading(1)]);
    await t.mutation(api.console.devices.retire, { session, deviceId: device.deviceId });
    await expectRefusal(told([downloading(1)]), "retired");
    expect((await row())?.fleet).toMatchObject({ downloading: 0 });
  });
});

describe("access to the catalog", () => {
  it("hides the catalog from another organization, which cannot change it", async () => {
    await add({ pieces });
    await told([{ modelId: "qwen3-4b", state: "ready" }]);
    const rival = await addOrganization(t, { name: "Rival" });
    const theirs = { session: await signIn(t, rival), modelId: "qwen3-4b" };
    const { key } = await addDevice(t, rival);
    expect(await t.query(api.devices.modelPieces, { key, sha256 })).toBeNull();
    expect(await t.query(api.console.models.devices, theirs)).toEqual([]);
    expect(
      (await t.query(api.console.models.list, { session: theirs.session })).map(({ fleet }) => fleet.ready),
    ).toEqual([0]);
    await expectRefusal(t.mutation(api.console.models.retire, theirs), "not_found");
    await expectRefusal(t.mutation(api.console.models.reinstate, theirs), "not_found");
    await expectRefusal(
      t.mutation(api.console.models.change, { ...theirs, change: { licence: "x" } }),
      "not_found",
    );
    expect(await row()).toMatchObject({ retired: false, licence: "Apache-2.0" });
  });

  it("refuses calls without a session or a key", async () => {
    const nobody = secret("gs_");
    await expectRefusal(t.query(api.console.models.list, { session: nobody }), "unauthorized");
    await expectRefusal(t.query(api.console.models.devices, { session: nobody, modelId }), "unauthorized");
    await expectRefusal(
      t.mutation(api.console.models.add, { session: nobody, entry: entry(), price }),
      "unauthorized",
    );
    await expectRefusal(
      t.mutation(api.devices.reportModels, { key: secret("gd_"), models: [] }),
      "unauthorized",
    );
    await expectRefusal(t.query(api.devices.modelPieces, { key: secret("gd_"), sha256 }), "unauthorized");
  });
});
