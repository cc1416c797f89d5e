import { afterEach, beforeEach, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import { addDevice, type Backend, greeting, type Organization, price } from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const offer = async () => await t.query(api.console.models.offer, { session });
const show = async (isShown: boolean) => await t.mutation(api.console.models.showOffer, { session, isShown });

it("offers a new organization one model, with its size, its memory and the devices that could run it", async () => {
  expect(await offer()).toMatchObject({ name: "Qwen3 4B", devices: 0, fitting: 0 });
  await addDevice(t, acme, "small");
  const { key } = await addDevice(t, acme, "large");
  const { capabilities, ...call } = greeting();
  await t.mutation(api.work.hello, { key, ...call, capabilities: { ...capabilities, memoryMb: 16_000 } });
  expect(await offer()).toEqual({
    name: "Qwen3 8B",
    link: "Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf",
    downloadGb: 5,
    memoryGb: 16,
    devices: 2,
    fitting: 1,
  });
});

it("reads no devices of a large fleet, so that their changes do not run it again", async () => {
  await addDevice(t, acme);
  await t.run(async (ctx) => {
    const counts = await ctx.db.query("deviceCounts").first();
    const states = { donating: 41, standby: 0, paused: 0, outdated: 0, offline: 0, pending: 0, retired: 0 };
    const row = { organizationId: acme.organizationId, states, facets: [], readTo: 0 };
    if (counts === null) await ctx.db.insert("deviceCounts", row);
    else await ctx.db.patch("deviceCounts", counts._id, row);
  });
  expect(await offer()).toMatchObject({ name: "Qwen3 4B", devices: 41, fitting: null });
});

it("offers nothing once the organization has a model of its own", async () => {
  const entry = {
    modelId: "own",
    source: "hf:Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
    sha256: "cd".repeat(32),
    sizeBytes: 10,
    licence: "",
    contextTokens: 512,
    template: null,
    pieces: null,
  };
  await t.mutation(api.console.models.add, { session, entry, price });
  expect(await offer()).toBeNull();
});

it("can be dismissed and shown again, and the trail says so", async () => {
  await show(false);
  await show(false);
  expect(await offer()).toBeNull();
  await show(true);
  expect(await offer()).not.toBeNull();
  const rows = await t.run(async (ctx) => await ctx.db.query("audit").collect());
  expect(rows.map(({ action }) => action).filter((action) => action.startsWith("model-offer"))).toEqual([
    "model-offer.dismissed",
    "model-offer.restored",
  ]);
});
