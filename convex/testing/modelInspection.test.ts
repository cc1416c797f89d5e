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
