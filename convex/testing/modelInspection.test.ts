import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "../_generated/api.js";
import { addDevice, addOrganization, expectRefusal, pass, signIn } from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;
const demo = readFileSync(new URL("../../resources/demo-model/gleaner-demo-q8.gguf", import.meta.url));
const sha256 = "ab".repeat(32);
let called: string[];

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  called = [];
  vi.stubGlobal("fetch", async (url: string) => {
    called.push(url);
    const headers = {
      "content-range": `bytes 0-262143/${String(demo.length)}`,
      "x-linked-etag": `"${sha256}"`,
    };
    return await Promise.resolve(new Response(demo.subarray(0, 262_144), { status: 206, headers }));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  closeWorld();
});

const link = "Gleaner/Demo-GGUF/Gleaner-Demo.Q8_0.gguf";
const inspect = async (typed = link) => {
  await t.mutation(api.console.models.inspect, { session, link: typed });
  await pass(t, 0);
  return await t.query(api.console.models.inspection, { session });
};

it("reads a model's facts from its file, and counts the devices with enough memory", async () => {
  await addDevice(t, acme, "first");
  await addDevice(t, acme, "second");
  const inspection = await inspect();
  expect(inspection).toMatchObject({
    link,
    outcome: {
      kind: "read",
      modelId: "gleaner-demo.q8_0",
      source: `hf:${link}`,
      sizeBytes: demo.length,
      sha256,
      contextTokens: 1_024,
      hasTemplate: true,
      architecture: "llama",
      devices: 2,
      fitting: 2,
    },
  });
  const needsBytes = inspection?.outcome?.kind === "read" ? inspection.outcome.needsBytes : 0;
  expect(needsBytes).toBeGreaterThan(400 * 2 ** 20);
  expect(called).toEqual([`https://huggingface.co/Gleaner/Demo-GGUF/resolve/main/Gleaner-Demo.Q8_0.gguf`]);
});

it("counts devices in service, as far as their limits allow, and the list finds the same ones", async () => {
  const { deviceId } = await addDevice(t, acme, "limited");
  await t.mutation(api.console.devices.limit, { session, deviceId, limits: { memoryMb: 100 } });
  const retired = await addDevice(t, acme, "retired");
  await t.mutation(api.console.devices.retire, { session, deviceId: retired.deviceId });
  await addDevice(t, acme, "able");
  const { outcome } = (await inspect()) ?? {};
  expect(outcome).toMatchObject({ devices: 2, fitting: 1 });
  const gigabytes = outcome?.kind === "read" ? outcome.needsBytes / 1e9 : 0;
  const named = async (filters: object) => {
    const paginationOpts = { numItems: 10, cursor: null };
    const { page } = await t.query(api.console.devices.list, { session, ...filters, paginationOpts });
    return page.map(({ name }) => name);
  };
  expect(await named({ fitsGb: gigabytes })).toEqual(["able"]);
  expect(await named({ lacksGb: gigabytes })).toEqual(["limited"]);
});

it("counts every device of a large fleet", async () => {
  const { deviceId } = await addDevice(t, acme, "first");
  await t.run(async (ctx) => {
    const row = await ctx.db.query("deviceListings").first();
    if (row === null) throw new Error("nothing is listed");
    const { _id, _creationTime, ...listing } = row;
    for (let at = 1; at < 1_300; at += 1)
      await ctx.db.insert("deviceListings", {
        ...listing,
        deviceId,
        jobMemoryMb: at % 13 === 0 ? 64 : 8_192,
      });
  });
  expect((await inspect())?.outcome).toMatchObject({ devices: 1_300, fitting: 1_300 - 99 });
});

it("gives an entry that the catalog accepts", async () => {
  const outcome = (await inspect())?.outcome;
  if (outcome?.kind !== "read" || outcome.sha256 === null) throw new Error("not read");
  const { modelId, source, sizeBytes, contextTokens, licence } = outcome;
  const entry = {
    modelId,
    source,
    sizeBytes,
    sha256: outcome.sha256,
    contextTokens,
    licence,
    template: null,
    pieces: null,
  };
  const price = { promptMicro: 1n, completionMicro: 2n };
  await t.mutation(api.console.models.add, { session, entry, price });
  const models = await t.query(api.console.models.list, { session });
  expect(models.map((model) => model.modelId)).toContain("gleaner-demo.q8_0");
});

it("calls only the hosts that the operator allows", async () => {
  expect(await inspect("https://10.0.0.1/x.gguf")).toMatchObject({ outcome: { kind: "failed" } });
  vi.stubEnv("MODEL_HOSTS", "models.example.org");
  expect(await inspect()).toMatchObject({ outcome: { kind: "failed" } });
  expect(called).toEqual([]);
  expect(await inspect("https://models.example.org/x.gguf")).toMatchObject({ outcome: { kind: "read" } });
});

it("refuses what is no link, and shows an inspection to its member only", async () => {
  await expectRefusal(t.mutation(api.console.models.inspect, { session, link: "ftp://x" }), "invalid");
  await inspect();
  const rival = await signIn(t, await addOrganization(t, { name: "Rival" }));
  expect(await t.query(api.console.models.inspection, { session: rival })).toBeNull();
});

it("lists the files of a repository, and reads the one that is chosen", async () => {
  const files = [
    { type: "directory", path: "old" },
    { type: "file", path: "README.md", size: 10 },
    { type: "file", path: "large-Q8_0.gguf", size: 8_000_000_000 },
    { type: "file", path: "small-Q4_K_M.gguf", size: 2_500_000_000 },
    { type: "file", path: "huge-00001-of-00002.gguf", size: 1 },
    { type: "file", path: "mmproj-F16.gguf", size: 1 },
  ];
  vi.stubGlobal("fetch", async (url: string) => {
    called.push(url);
    return await Promise.resolve(Response.json(files));
  });
  for (const typed of [
    "acme/Small-GGUF",
    "https://huggingface.co/acme/Small-GGUF",
    "https://huggingface.co/acme/Small-GGUF/tree/main",
  ]) {
    expect((await inspect(typed))?.outcome).toEqual({
      kind: "files",
      files: [
        { link: "acme/Small-GGUF/small-Q4_K_M.gguf", file: "small-Q4_K_M.gguf", sizeBytes: 2_500_000_000 },
        { link: "acme/Small-GGUF/large-Q8_0.gguf", file: "large-Q8_0.gguf", sizeBytes: 8_000_000_000 },
      ],
    });
  }
  expect(new Set(called)).toEqual(
    new Set(["https://huggingface.co/api/models/acme/Small-GGUF/tree/main?recursive=true"]),
  );
});

it.each([
  ["another kind of list", () => Response.json({ error: "x" }), "The server's list of files cannot be read."],
  ["no such file", () => Response.json([{ type: "file", path: "a.bin", size: 1 }]), "no GGUF file"],
  ["no such repository", () => new Response(null, { status: 404 }), "There is no such file."],
])("says why a repository offers nothing: %s", async (_, answer, why) => {
  vi.stubGlobal("fetch", async () => await Promise.resolve(answer()));
  expect((await inspect("acme/Small-GGUF"))?.outcome).toMatchObject({
    kind: "failed",
    why: expect.stringContaining(why) as string,
  });
});
