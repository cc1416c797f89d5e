import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { equalPrices } from "../../app/jobs/priority.ts";
import type { PriceFactors } from "../../app/money/price-list.ts";
import { api } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { asMutable } from "../model/mutable.ts";
import {
  addDevice,
  chat,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  modelId,
  pass,
  price,
  submit,
  submitWork,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const hourMs = 3_600_000;
const dear = { promptMicro: 20n, completionMicro: 60n };
const usual: PriceFactors = { ...equalPrices, text: 100, embedding: 100, hours: null };

const ofModel = async (from: number | null, of = dear, why: string | null = "A new budget") =>
  await t.mutation(api.console.money.prices.ofModel, { session, modelId, price: of, from, why });

const ofAll = async (factors: PriceFactors, from: number | null = null) =>
  await t.mutation(api.console.money.prices.ofAll, {
    session,
    factors: asMutable(factors),
    from,
    why: null,
  });

const history = async () => await t.query(api.console.money.prices.history, { session });

async function orderOf(jobId: string): Promise<Doc<"orders">> {
  const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  return orders.find((each) => each.jobId === jobId)!;
}

const priced = async (jobId: string) => {
  const { price: of, pricePercent = 100, priceVersion } = await orderOf(jobId);
  return { of, pricePercent, priceVersion };
};

const embed = async () =>
  await submitWork(t, acme.apiKey, { kind: "embedding", request: { inputs: ["Hi"] } });

describe("a price", () => {
  it("has a version from the start, which jobs and the ledger name", async () => {
    expect(await history()).toMatchObject([{ version: 1, modelId, price, canceledAt: null }]);
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    expect(await priced(jobId)).toEqual({ of: price, pricePercent: 100, priceVersion: "1.0" });
    await complete(t, device, await claim(t, device, jobId));
    const entries = await t.run(async (ctx) => await ctx.db.query("ledgerEntries").collect());
    const ofJob = entries.filter((entry) => entry.jobId === jobId);
    expect(ofJob.map(({ kind, priceVersion }) => [kind, priceVersion])).toEqual([
      ...Array.from({ length: 2 }, () => ["reserve", "1.0"]),
      ...Array.from({ length: 3 }, () => ["settle", "1.0"]),
    ]);
  });

  it("that is scheduled counts for jobs that are submitted from its moment on", async () => {
    const from = Date.now() + hourMs;
    expect(await ofModel(from)).toBe(2);
    const before = await submit(t, acme);
    await pass(t, hourMs - 1 - (Date.now() - (from - hourMs)));
    expect(await priced(await submit(t, acme))).toMatchObject({ of: price, priceVersion: "1.0" });
    await pass(t, 1);
    const after = await submit(t, acme);
    expect(await priced(after)).toMatchObject({ of: dear, priceVersion: "2.0" });
    const device = await addDevice(t, acme);
    for (const [jobId, of] of [
      [before, price],
      [after, dear],
    ] as const) {
      await complete(t, device, await claim(t, device, jobId));
      const priceMicro = 10n * of.promptMicro + 3n * of.completionMicro;
      expect(await orderOf(jobId)).toMatchObject({ priceMicro });
    }
    const [model] = await t.query(api.console.models.list, { session });
    expect(model?.price).toEqual(dear);
  });

  it("tells who set it, when and why, and is in the audit trail", async () => {
    await ofModel(Date.now() + hourMs);
    expect(await history()).toMatchObject([
      { version: 2, price: dear, why: "A new budget", by: expect.any(String), at: Date.now() },
      { version: 1 },
    ]);
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 1, cursor: null },
    });
    expect(page[0]).toMatchObject({ action: "prices.scheduled", subject: modelId });
    expect(page[0]?.detail).toMatch(/^version 2 from .*: 0.02 \+ 0.06 per 1,000 tokens \(A new budget\)$/);
  });

  it("that is scheduled can be canceled until it begins", async () => {
    const from = Date.now() + hourMs;
    const version = await ofModel(from);
    await t.mutation(api.console.money.prices.cancel, { session, version });
    expect((await history())[0]).toMatchObject({ version, canceledAt: expect.any(Number) });
    const cancel = t.mutation(api.console.money.prices.cancel, { session, version });
    await expectRefusal(cancel, "conflict");
    await pass(t, 2 * hourMs);
    expect(await priced(await submit(t, acme))).toMatchObject({ of: price, priceVersion: "1.0" });
    const begun = t.mutation(api.console.money.prices.cancel, { session, version: 1 });
    await expectRefusal(begun, "conflict");
    const unknown = t.mutation(api.console.money.prices.cancel, { session, version: 9 });
    await expectRefusal(unknown, "not_found");
  });

  it("that begins now leaves those that come", async () => {
    await ofModel(Date.now() + hourMs);
    await ofModel(null, { promptMicro: 7n, completionMicro: 7n });
    expect((await orderOf(await submit(t, acme))).priceVersion).toBe("3.0");
    await pass(t, hourMs);
    expect((await orderOf(await submit(t, acme))).priceVersion).toBe("2.0");
  });

  it("is a new version when the model is changed, and none when only something else is", async () => {
    const change = { source: "https://models.example.org/demo.gguf" };
    await t.mutation(api.console.models.change, { session, modelId, change });
    expect(await history()).toHaveLength(1);
    await t.mutation(api.console.models.change, { session, modelId, change: { price: dear } });
    expect(await history()).toMatchObject([{ version: 2, price: dear }, { version: 1 }]);
    expect((await orderOf(await submit(t, acme))).priceVersion).toBe("2.0");
  });

  it("is checked", async () => {
    await expectRefusal(ofModel(Date.now() - 1), "invalid");
    await expectRefusal(ofModel(Date.now() + 800 * 24 * hourMs), "invalid");
    await expectRefusal(ofModel(null, { promptMicro: -1n, completionMicro: 1n }), "invalid");
    const from = Date.now() + hourMs;
    await ofModel(from);
    await expectRefusal(ofModel(from), "conflict");
    for (let i = 1; i < 10; i += 1) await ofModel(from + i);
    await expectRefusal(ofModel(from + 99), "conflict");
    const missing = { session, modelId: "none", price, from: null, why: null };
    await expectRefusal(t.mutation(api.console.money.prices.ofModel, missing), "not_found");
  });
});

describe("percents of the models' prices", () => {
  it("are by priority, kind of job and hour, at the time of the submission", async () => {
    const hour = new Date().getUTCHours();
    const factors = {
      ...usual,
      low: 50,
      embedding: 40,
      hours: { from: (hour + 1) % 24, to: (hour + 3) % 24, percent: 80 },
    };
    await ofAll(factors);
    expect(await t.query(api.console.money.prices.factors, { session, at: Date.now() })).toEqual(factors);
    expect((await priced(await submit(t, acme, { priority: "low" }))).pricePercent).toBe(50);
    expect(await priced(await embed())).toMatchObject({ pricePercent: 40, priceVersion: "1.2" });
    await pass(t, hourMs);
    expect((await priced(await submit(t, acme, { priority: "low" }))).pricePercent).toBe(40);
    expect((await priced(await embed())).pricePercent).toBe(32);
  });

  it("are named to the device's donor, with the version of the price", async () => {
    const hour = new Date().getUTCHours();
    await ofAll({ ...usual, low: 50, hours: { from: hour, to: (hour + 1) % 24, percent: 80 } });
    const device = await addDevice(t, acme);
    const explained = async (jobId: string): Promise<string | undefined> => {
      await complete(t, device, await claim(t, device, jobId));
      const paginationOpts = { numItems: 1, cursor: null };
      return (await t.query(api.devices.history, { key: device.key, paginationOpts })).page[0]?.explanation;
    };
    const sum = "10 tokens in × 0.002 + 3 out × 0.006 credits per 1,000";
    expect(await explained(await submit(t, acme, { priority: "low" }))).toBe(
      `${sum}, × 50% for its priority, × 80% for its hour (price version 1.2)`,
    );
    expect(await explained(await submit(t, acme))).toBe(`${sum}, × 80% for its hour (price version 1.2)`);
  });

  it("are by data class, which the quote and the job's page name, and devices do not", async () => {
    const rules = { groups: [], keptHours: 24, lookers: "requester" as const };
    const classes = ["internal", "restricted"].map((name) => ({ name, ...rules }));
    await t.mutation(api.console.data.classes.set, { session, classes });
    await ofAll({ ...usual, embedding: 40, classes: [{ name: "restricted", percent: 150 }] });
    const [key] = await listKeys(t, session);
    await t.mutation(api.console.keys.setRights, {
      session,
      keyId: key!.keyId,
      highestDataClass: "restricted",
    });
    const device = await addDevice(t, acme);
    const { deviceId } = device;
    await t.mutation(api.console.devices.label, {
      session,
      deviceId,
      groups: [],
      dataClasses: ["internal", "restricted"],
    });
    const askFor = async (dataClass: string) =>
      await submitWork(t, acme.apiKey, { kind: "chat", request: chat() }, { requires: { dataClass } });
    expect((await priced(await askFor("internal"))).pricePercent).toBe(100);
    const jobId = await askFor("restricted");
    expect(await priced(jobId)).toMatchObject({ pricePercent: 150, priceVersion: "1.2" });

    const quote = async (requires: string): Promise<unknown> => {
      const response = await t.fetch("/v1/estimate/chat/completions", {
        method: "POST",
        headers: { authorization: `Bearer ${acme.apiKey}`, "gleaner-requires": requires },
        body: JSON.stringify({ model: modelId, messages: chat().messages, max_tokens: 64 }),
      });
      return await response.json();
    };
    expect(await quote("data-class=restricted")).toMatchObject({ price: { percent: 150, version: "1.2" } });
    expect(await quote("data-class=internal")).toMatchObject({ price: { percent: 100 } });
    expect(await quote("data-class=secret")).toMatchObject({ error: { code: "requirements_not_allowed" } });

    await complete(t, device, await claim(t, device, jobId));
    const ofApi = await t.fetch(`/v1/jobs/${jobId}`, {
      headers: { authorization: `Bearer ${acme.apiKey}` },
    });
    expect(await ofApi.json()).toMatchObject({
      // (10 × 2 + 3 × 6) × 150 %
      price: { version: "1.2", prompt_micro: "2", completion_micro: "6", percent: 150 },
      usage: { prompt_tokens: 10, completion_tokens: 3 },
      price_micro: "57",
    });
    const detail = await t.query(api.console.jobs.get, { session, jobId });
    expect(detail.cost).toMatchObject({ percent: 150, parts: { kind: 100, dataClass: 150, hour: 100 } });
    const paginationOpts = { numItems: 1, cursor: null };
    const { page } = await t.query(api.devices.history, { key: device.key, paginationOpts });
    expect(page[0]?.explanation).toMatch(/per 1,000, × 150% for its kind \(price version 1\.2\)$/);
  });

  it("have the names of data classes without spaces around them", async () => {
    const withClasses = (...names: string[]) => ({
      ...usual,
      classes: names.map((name) => ({ name, percent: 150 })),
    });
    await ofAll(withClasses(" restricted"));
    const factors = await t.query(api.console.money.prices.factors, { session, at: Date.now() });
    expect(factors).toEqual(withClasses("restricted"));
    await expectRefusal(ofAll(withClasses("a", "a ")), "invalid");
  });

  it("of a data class count at a raise, and stay when priorities change", async () => {
    await ofAll({ ...usual, classes: [{ name: "restricted", percent: 150 }] });
    const [key] = await listKeys(t, session);
    const requirements = { dataClass: "restricted" };
    await t.mutation(api.console.keys.setRights, { session, keyId: key!.keyId, requirements });
    const { deviceId } = await addDevice(t, acme);
    const dataClasses = ["restricted"];
    await t.mutation(api.console.devices.label, { session, deviceId, groups: [], dataClasses });
    const jobId = await submit(t, acme);
    expect((await priced(jobId)).pricePercent).toBe(150);
    await t.mutation(api.console.models.setPriorityPrices, { session, low: 50, normal: 100, high: 200 });
    await t.mutation(api.console.jobs.setPriority, { session, jobId, priority: "high" });
    expect((await priced(jobId)).pricePercent).toBe(300);
  });

  it("of priorities are changed without the others", async () => {
    await ofAll({ ...usual, embedding: 40 });
    await t.mutation(api.console.models.setPriorityPrices, { session, low: 50, normal: 100, high: 200 });
    expect((await history())[0]).toMatchObject({
      version: 3,
      factors: { low: 50, high: 200, embedding: 40 },
    });
    expect(await t.query(api.console.models.priorityPrices, { session })).toMatchObject({ low: 50 });
  });

  it("count at a raise with the version of the raise, which an undo takes back", async () => {
    const jobId = await submit(t, acme);
    await ofAll({ ...usual, high: 300 });
    const raised = await t.mutation(api.console.jobs.setPriority, { session, jobId, priority: "high" });
    expect(await priced(jobId)).toEqual({ of: price, pricePercent: 300, priceVersion: "1.2" });
    if (raised.kind !== "changed") throw new Error(raised.kind);
    await t.mutation(api.console.jobs.undoPriority, { session, jobId, at: raised.at });
    expect(await priced(jobId)).toEqual({ of: price, pricePercent: 100, priceVersion: "1.0" });
  });

  it("are checked", async () => {
    await expectRefusal(ofAll({ ...usual, embedding: 5 }), "invalid");
    await expectRefusal(ofAll({ ...usual, classes: [{ name: "", percent: 50 }] }), "invalid");
    const many = Array.from({ length: 17 }, (_, each) => ({ name: String(each), percent: 50 }));
    await expectRefusal(ofAll({ ...usual, classes: many }), "invalid");
    await expectRefusal(ofAll({ ...usual, hours: { from: 1, to: 1, percent: 50 } }), "invalid");
  });
});
