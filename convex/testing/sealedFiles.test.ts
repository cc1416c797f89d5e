import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  complete,
  type Device,
  modelId,
  type Organization,
  pass,
  signIn,
  take,
} from "./backend.fixture.ts";
import { ask, collectEnds, line, runDue, uploadFile } from "./batchFile.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const masterKey = "A".repeat(43);
const marker = "quokka";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

beforeEach(async () => {
  vi.stubEnv("GLEANER_DATA_KEY", masterKey);
  ({ t, acme, session } = await openWorld());
  await pass(t, 1);
  device = await addDevice(t, acme);
});
afterEach(() => {
  closeWorld();
  vi.unstubAllEnvs();
});

type Init = { readonly method?: string; readonly body?: string; readonly range?: string };

async function call(path: string, { range, ...init }: Init = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${acme.apiKey}`, ...(range === undefined ? {} : { range }) };
  return await t.fetch(path, { ...init, headers });
}

const upload = async (content: string): Promise<string> => await uploadFile(t, acme.apiKey, content);
const read = async (id: string | null, init: Init = {}) =>
  await call(`/v1/files/${String(id)}/content`, init);
const textOf = async (id: string | null): Promise<string> => await (await read(id)).text();
const destroy = async () => {
  await t.action(api.console.data.keys.destroy, { session });
  await pass(t, 1);
};

async function create(fileId: string): Promise<Response> {
  const body = { input_file_id: fileId, endpoint: "/v1/chat/completions", completion_window: "24h" };
  return await call("/v1/batches", { method: "POST", body: JSON.stringify(body) });
}

type Batch = {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
};

async function start(content: string): Promise<Batch> {
  const batch = (await (await create(await upload(content))).json()) as Batch;
  await runDue(t);
  return batch;
}

const get = async ({ id }: Batch): Promise<Batch> =>
  (await (await call(`/v1/batches/${id}`)).json()) as Batch;

async function answer(text: string): Promise<void> {
  const [job] = await take(t, device);
  await complete(t, device, job?.attemptId ?? "", { text });
}

/** Everything in the file storage, as it is stored. */
async function stored(): Promise<string[]> {
  return await t.run(async (ctx) => {
    const files = await ctx.db.system.query("_storage").collect();
    return await Promise.all(
      files.map(async ({ _id }) => (await (await ctx.storage.get(_id))?.text()) ?? ""),
    );
  });
}

type Part = Doc<"files">["parts"][number];

async function partsOf(id: string): Promise<Part[]> {
  return await t.run(async (ctx) => (await ctx.db.get("files", fileIdOf(id)))?.parts ?? []);
}

const fileIdOf = (id: string) => id.slice("file-".length) as Id<"files">;

/** Writes into the storage as somebody with the disk could: the content of a file's first part. */
async function tamper(id: string, change: (sealed: Uint8Array) => Uint8Array): Promise<void> {
  await t.run(async (ctx) => {
    const [part] = (await ctx.db.get("files", fileIdOf(id)))!.parts;
    const blob = await ctx.storage.get(part!.storageId);
    const sealed = change(new Uint8Array(await blob!.arrayBuffer()));
    const storageId = await ctx.storage.store(new Blob([sealed as Uint8Array<ArrayBuffer>]));
    await ctx.db.patch("files", fileIdOf(id), { parts: [{ ...part!, storageId }] });
  });
}

/** Content of several frames, of which no two are equal. */
const long = Array.from({ length: 20_000 }, (_, n) => `${marker} ${String(n)}`).join("\n");
const sealedFrame = 64 * 1024 + 16;

describe("a file of an organization with a data key", () => {
  it("is stored sealed, and read as it was sent, in parts too", async () => {
    const id = await upload(long);
    expect((await stored()).join("")).not.toContain(marker);
    expect(await (await call(`/v1/files/${id}`)).json()).toMatchObject({ bytes: long.length });
    expect(await textOf(id)).toBe(long);
    for (const [from, to] of [
      [0, 1],
      [65_530, 65_540],
      [100_000, 200_000],
      [131_072, 131_073],
    ] as const) {
      const part = await read(id, { range: `bytes=${String(from)}-${String(to - 1)}` });
      expect([part.status, await part.text()]).toEqual([206, long.slice(from, to)]);
    }
    const head = await read(id, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(long.length)]);
  });

  it("may be empty", async () => {
    const id = await upload("");
    expect(await textOf(id)).toBe("");
  });

  it("may come in parts, which are sealed one by one", async () => {
    await runDue(t);
    const announced = { filename: "a", bytes: long.length, purpose: "batch", mime_type: "application/jsonl" };
    const created = await call("/v1/uploads", { method: "POST", body: JSON.stringify(announced) });
    const { id } = (await created.json()) as { id: string };
    const partIds: string[] = [];
    for (const piece of [long.slice(0, 70_000), long.slice(70_000)]) {
      const form = new FormData();
      form.set("data", new File([piece], "part"));
      const headers = { authorization: `Bearer ${acme.apiKey}` };
      const added = await t.fetch(`/v1/uploads/${id}/parts`, { method: "POST", body: form, headers });
      partIds.push(((await added.json()) as { id: string }).id);
    }
    const body = JSON.stringify({ part_ids: partIds });
    const completed = await call(`/v1/uploads/${id}/complete`, { method: "POST", body });
    const { file } = (await completed.json()) as { file: { id: string; bytes: number } };
    expect(file.bytes).toBe(long.length);
    expect((await stored()).join("")).not.toContain(marker);
    expect(await (await read(file.id, { range: "bytes=69990-70009" })).text()).toBe(
      long.slice(69_990, 70_010),
    );
    expect(new Set((await partsOf(file.id)).map(({ seal }) => seal?.salt)).size).toBe(2);
  });

  it("cannot be read with another organization's key", async () => {
    const id = await upload("x");
    const other = await addOrganization(t, { name: "Other" });
    await pass(t, 1);
    const of = (await t.run(async (ctx) => await ctx.db.query("dataKeys").collect())).find(
      ({ organizationId }) => organizationId === other.organizationId,
    );
    const [part] = await partsOf(id);
    const moved = { ...part!, seal: { ...part!.seal!, keyId: of!._id } };
    await t.run(async (ctx) => await ctx.db.patch("files", fileIdOf(id), { parts: [moved] }));
    expect((await read(id)).status).toBe(500);
  });

  it.each([
    ["a changed byte", (sealed: Uint8Array) => sealed.map((byte, at) => (at === 9 ? byte ^ 1 : byte))],
    ["frames in another order", swapped],
    ["an end that was cut off", (sealed: Uint8Array) => sealed.slice(0, 2 * sealedFrame)],
  ])("is refused with %s", async (_what, change) => {
    const id = await upload(long);
    await tamper(id, change);
    await expectError(await read(id), 500, {});
    expect((await create(id)).status).toBe(200);
    await runDue(t);
    expect(await t.run(async (ctx) => await ctx.db.query("orders").collect())).toEqual([]);
  });

  it("does not end as if it were whole when a later frame was changed", async () => {
    const id = await upload("x".repeat(700_000));
    await tamper(id, (sealed) => sealed.map((byte, at) => (at === 600_000 ? byte ^ 1 : byte)));
    const response = await read(id);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("invalid tag");
  });

  it("is refused with the content of another file of the same length", async () => {
    const [id, other] = [await upload("one"), await upload("two")];
    const [[part], [otherPart]] = [await partsOf(id), await partsOf(other)];
    const moved = { ...part!, storageId: otherPart!.storageId };
    await t.run(async (ctx) => await ctx.db.patch("files", fileIdOf(id), { parts: [moved] }));
    expect((await read(id)).status).toBe(500);
    expect(await textOf(other)).toBe("two");
  });
});

function swapped(sealed: Uint8Array): Uint8Array {
  const copy = sealed.slice();
  copy.set(sealed.subarray(0, sealedFrame), sealedFrame);
  copy.set(sealed.subarray(sealedFrame, 2 * sealedFrame), 0);
  return copy;
}

describe("a batch of an organization with a data key", () => {
  const twoLines = [line("a", ask(`A ${marker}.`)), line("b", ask(`Another ${marker}.`))].join("\n");

  it("has its requests, its answers and its errors sealed, also while they grow", async () => {
    const wrong = line("c", { ...ask(`${marker}?`), stream: true });
    const batch = await start(`${twoLines}\n${wrong}`);
    await answer(`First ${marker}`);
    await collectEnds(t);
    const { output_file_id: output } = await get(batch);
    expect(await textOf(output)).toContain(`First ${marker}`);
    await answer(`Second ${marker}`);
    await collectEnds(t);
    const ended = await get(batch);
    expect(ended.status).toBe("completed");
    const answers = await textOf(output);
    expect(answers.split("\n")).toHaveLength(3);
    expect(answers).toMatch(/First quokka[^]*Second quokka/);
    expect(await textOf(ended.error_file_id)).toContain("cannot be streamed");
    expect((await stored()).join("")).not.toMatch(/quokka|be streamed/);
    const bytes = new TextEncoder().encode(answers).length;
    expect(await (await call(`/v1/files/${String(output)}`)).json()).toMatchObject({ bytes });
  });

  it("goes on in the middle of its sealed file after a crash", async () => {
    const all = Array.from({ length: 40 }, (_, n) =>
      line(`q${String(n)}`, ask(`${String(n)} ${marker.repeat(600)}`)),
    );
    const { id } = (await (await create(await upload(all.join("\n")))).json()) as Batch;
    const batchId = await t.run(async (ctx) => ctx.db.normalizeId("batches", id.slice("batch_".length))!);
    // The first lines were submitted, which end behind the first frame. Then the backend was killed.
    const checked = {
      total: 40,
      jobs: 40,
      mistakes: [],
      model: modelId,
      isHigh: false,
      forecast: null,
      workHours: null,
    };
    await t.mutation(internal.batches.start, { batchId, ...checked });
    const failure = { kind: "dropped" as const, why: "batch_expired" as const };
    const requests = Array.from({ length: 25 }, (_, n) => ({
      line: n + 1,
      customId: `q${String(n)}`,
      end: all.slice(0, n + 1).join("\n").length + 1,
      asked: { kind: "failure" as const, failure },
    }));
    expect(requests.at(-1)!.end).toBeGreaterThan(sealedFrame);
    await t.mutation(internal.batches.addPiece, { batchId, from: 0, requests, isLast: false });
    vi.advanceTimersByTime(4 * 60_000);
    await t.mutation(internal.batches.resume, {});
    await runDue(t);
    const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    const customIds = orders.map(({ batchLine }) => batchLine?.customId);
    expect(customIds.sort()).toEqual(Array.from({ length: 15 }, (_, n) => `q${String(n + 25)}`));
  });

  it("is estimated from its sealed file", async () => {
    const body = {
      input_file_id: await upload(twoLines),
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    };
    const estimated = await call("/v1/batches/estimate", { method: "POST", body: JSON.stringify(body) });
    expect(await estimated.json()).toMatchObject({ requests: { total: 2, is_exact: true } });
  });
});

describe("a file that was stored as it is", () => {
  it("stays readable, and its lines are sealed once more are added", async () => {
    vi.stubEnv("GLEANER_DATA_KEY", "");
    await t.run(async (ctx) => {
      for (const { _id } of await ctx.db.query("dataKeys").collect()) await ctx.db.delete("dataKeys", _id);
    });
    const batch = await start([line("a"), line("b")].join("\n"));
    await answer(`First ${marker}`);
    await collectEnds(t);
    const { output_file_id: output } = await get(batch);
    expect((await stored()).join("")).toContain(`First ${marker}`);
    expect((await partsOf(output!)).map(({ seal }) => seal)).toEqual([undefined]);

    vi.stubEnv("GLEANER_DATA_KEY", masterKey);
    await t.mutation(internal.data.keys.keep, {});
    await pass(t, 1);
    expect(await textOf(output)).toContain(`First ${marker}`);
    await answer(`Second ${marker}`);
    await collectEnds(t);
    expect(await textOf(output)).toMatch(/First quokka[^]*Second quokka/);
    expect((await partsOf(output!)).map(({ seal }) => seal)).toEqual([expect.anything()]);
    expect((await stored()).join("")).not.toContain("Second");
  });
});

describe("a destroyed data key", () => {
  it("deletes the content of files, and says so", async () => {
    const id = await upload(line("a"));
    await destroy();
    await expectError(await read(id), 410, { code: "content_deleted" });
    await expectError(await read(id, { range: "bytes=0-1" }), 410, { code: "content_deleted" });
    expect((await read(id, { method: "HEAD" })).status).toBe(410);
    expect((await call(`/v1/files/${id}`)).status).toBe(200);
    await expectError(await create(id), 400, { code: "invalid_value" });
    const body = JSON.stringify({
      input_file_id: id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
    expect((await call("/v1/batches/estimate", { method: "POST", body })).status).toBe(400);
    expect((await call(`/v1/files/${id}`, { method: "DELETE" })).status).toBe(200);
    expect(await stored()).toEqual([]);
    // Later files have a new key.
    expect(await textOf(await upload("later"))).toBe("later");
  });

  it("cancels batches, also one whose requests are not all known yet", async () => {
    const [cut, uncut] = [await start(line("a")), await start([line("b"), line("c")].join("\n"))];
    await t.run(async (ctx) => {
      const row = (await ctx.db.query("batches").collect()).at(-1)!;
      await ctx.db.patch("batches", row._id, { isCut: false });
    });
    // Only what began before the destruction is canceled.
    await pass(t, 1);
    await destroy();
    await runDue(t);
    await collectEnds(t);
    expect((await get(cut)).status).toBe("cancelled");
    await pass(t, 2 * 60_000 + 1);
    await t.mutation(internal.batches.resume, {});
    await collectEnds(t);
    expect(await get(uncut)).toMatchObject({
      status: "cancelled",
      errors: { data: [{ code: "file_unreadable" }] },
    });
  });

  it("leaves the files of other organizations alone", async () => {
    const id = await upload("ours");
    const other = await addOrganization(t, { name: "Other" });
    await pass(t, 1);
    await t.action(api.console.data.keys.destroy, { session: await signIn(t, other) });
    expect(await textOf(id)).toBe("ours");
  });
});

describe("a missing master key", () => {
  it("delays reading, and stores nothing as it is", async () => {
    const id = await upload("x");
    const count = (await stored()).length;
    vi.stubEnv("GLEANER_DATA_KEY", "");
    const locked = await read(id);
    expect([locked.status, locked.headers.get("retry-after")]).toEqual([503, "60"]);
    const form = new FormData();
    form.set("purpose", "batch");
    form.set("file", new File(["y"], "y"));
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const refused = await t.fetch("/v1/files", { method: "POST", body: form, headers });
    expect(refused.status).toBe(503);
    expect(await stored()).toHaveLength(count);
    expect((await call(`/v1/files/${id}`)).status).toBe(200);
    vi.stubEnv("GLEANER_DATA_KEY", masterKey);
    expect(await textOf(id)).toBe("x");
  });
});
