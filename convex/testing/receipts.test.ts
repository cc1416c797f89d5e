import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chainProblem, readReceipt, receiptProblem } from "../../app/receipts/check-receipt.ts";
import type { Receipt } from "../../app/receipts/receipt.ts";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  answer,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  type Organization,
  pass,
  payloadOf,
  signIn,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { answerForReceipt, modelHash, receiptCrypto } from "./receipts.fixture.ts";
import { signedForReceipt } from "./signing.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date"], shouldAdvanceTime: true });
  vi.stubEnv("GLEANER_SIGNING_KEY", Buffer.alloc(32, 7).toString("base64url"));
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const energy = { microWh: 2_083, source: "measured" as const };

async function send(jobId: string, more: object = { energy }, text?: string) {
  return await answerForReceipt(t, device, jobId, more, text);
}

async function answered(text?: string): Promise<string> {
  const jobId = await submit(t, acme);
  expect(await send(jobId, undefined, text)).toMatchObject({ kind: "completed" });
  return jobId;
}

async function seal(): Promise<void> {
  await pass(t, 40_000);
  await t.mutation(internal.maintenance.sealReceiptsOf, { organizationId: acme.organizationId });
  await t.finishInProgressScheduledFunctions();
}

async function call(path: string): Promise<Response> {
  return await t.fetch(path, { headers: { authorization: `Bearer ${acme.apiKey}` } });
}

async function receiptOf(jobId: string): Promise<Receipt> {
  const read = readReceipt(await (await call(`/v1/jobs/${jobId}/receipt`)).json());
  if (read.kind === "wrong") throw new Error(read.why);
  return read.receipt;
}

describe("the receipt of a job", () => {
  it("has the device's claim and the organization's facts, and is sealed within two minutes", async () => {
    const jobId = await answered();
    const young = await receiptOf(jobId);
    expect(young.seal).toBeNull();
    expect(await receiptProblem(young, receiptCrypto, null)).toMatch(/not sealed yet/);
    await seal();
    const receipt = await receiptOf(jobId);
    expect(receipt).toMatchObject({
      claim: {
        jobId,
        deviceId: device.deviceId,
        answerHash: createHash("sha256").update("Hello.").digest("hex"),
        report: { model: modelHash, energy, usage: { promptTokens: 10, completionTokens: 3 } },
      },
      device: { key: device.signingKey.publicKey },
      settled: { jobId, organizationId: acme.organizationId, priceMicro: String(answerMicro), policy: [] },
      seal: { number: 1, count: 1 },
    });
    expect(await receiptProblem(receipt, receiptCrypto, null)).toBeNull();
    expect(await receiptProblem(receipt, receiptCrypto, "another key")).toMatch(/another key/);
    await expectBooksInOrder(t);
  });

  it("proves each of several jobs in one seal, and links the seals", async () => {
    const first = [await answered("One."), await answered("Two."), await answered("Three.")];
    await seal();
    const second = await answered("Four.");
    await seal();
    const receipts = await Promise.all([...first, second].map(receiptOf));
    for (const receipt of receipts) expect(await receiptProblem(receipt, receiptCrypto, null)).toBeNull();
    expect(receipts.map((receipt) => receipt.seal?.number)).toEqual([1, 1, 1, 2]);
    expect(receipts[3]?.seal?.previous).toBe(receipts[0]?.seal?.hash);
    expect(chainProblem(receipts)).toBeNull();
  });

  it("is in the list of the key's receipts, which leaves out jobs without one", async () => {
    const first = await answered("One.");
    await submit(t, acme);
    const second = await answered("Two.");
    await seal();
    const list = async (query: string) =>
      (await (await call(`/v1/receipts${query}`)).json()) as {
        data: unknown[];
        last_id: string;
        has_more: boolean;
      };
    const all = await list("");
    expect(all).toMatchObject({ object: "list", has_more: false, last_id: first });
    const read = all.data.map(readReceipt);
    expect(read).toMatchObject([
      { receipt: { claim: { jobId: second } } },
      { receipt: { claim: { jobId: first } } },
    ]);
    for (const each of read)
      expect(each.kind === "receipt" && (await receiptProblem(each.receipt, receiptCrypto, null))).toBeNull();
    expect(await list("?limit=1")).toMatchObject({ data: [{ claim: { jobId: second } }], has_more: true });
    expect((await list(`?after=${second}`)).data).toMatchObject([{ claim: { jobId: first } }]);
    const tooMany = await call("/v1/receipts?limit=51");
    expect(tooMany.status).toBe(400);
    expect(await tooMany.json()).toMatchObject({ error: { param: "limit" } });
  });

  it("is in a page that reads ten seals at most, and goes on behind them", async () => {
    const jobIds: string[] = [];
    for (let at = 0; at < 11; at++) {
      jobIds.unshift(await answered());
      await seal();
    }
    type Page = { data: { claim: { jobId: string } }[]; last_id: string; has_more: boolean };
    const list = async (query: string) =>
      (await (await call(`/v1/receipts?limit=50${query}`)).json()) as Page;
    const first = await list("");
    expect(first.data.map(({ claim }) => claim.jobId)).toEqual(jobIds.slice(0, 10));
    expect(first).toMatchObject({ last_id: jobIds[9], has_more: true });
    const rest = await list(`&after=${first.last_id}`);
    expect(rest.data.map(({ claim }) => claim.jobId)).toEqual(jobIds.slice(10));
    expect(rest.has_more).toBe(false);
  });

  it("costs a page of one seal one tree", async () => {
    for (let at = 0; at < 16; at++) await answered();
    await seal();
    const digest = vi.spyOn(globalThis.crypto.subtle, "digest");
    expect(((await (await call("/v1/receipts")).json()) as { data: [] }).data).toHaveLength(16);
    // A tree of 16 leaves has 31 hashes, and the call needs a few of its own.
    expect(digest.mock.calls.length).toBeGreaterThanOrEqual(31);
    expect(digest.mock.calls.length).toBeLessThan(2 * 31);
    digest.mockRestore();
  });

  it("seals nothing twice", async () => {
    const jobId = await answered();
    await seal();
    await seal();
    await answered();
    await seal();
    const seals = await t.run(async (ctx) => await ctx.db.query("receiptSeals").collect());
    expect(seals.map(({ number, count }) => [number, count])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect((await receiptOf(jobId)).seal?.number).toBe(1);
  });

  it("names the versions of the rules for the device when the job ended", async () => {
    const session = await signIn(t, acme);
    const rules = { values: { minFreeMemoryMb: 512 }, locked: [] };
    await t.mutation(api.console.policy.save, { session, group: "", rules, baseVersion: 0 });
    expect((await receiptOf(await answered())).settled.policy).toEqual([{ group: "", version: 1 }]);
  });

  it("is not signed by the organization if the deployment has no key, and then proves nothing", async () => {
    vi.stubEnv("GLEANER_SIGNING_KEY", "");
    const jobId = await answered();
    await seal();
    expect(await receiptProblem(await receiptOf(jobId), receiptCrypto, null)).toMatch(/had no signing key/);
  });

  it("is missing for a job without an answer, and for a device that signs as earlier versions do", async () => {
    const open = await call(`/v1/jobs/${await submit(t, acme)}/receipt`);
    expect(open.status).toBe(404);
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    const old = await call(`/v1/jobs/${jobId}/receipt`);
    expect(old.status).toBe(404);
    expect(await old.text()).toMatch(/no receipt/);
  });

  it("is another organization's secret", async () => {
    const jobId = await answered();
    const beta = await addOrganization(t, { name: "Beta" });
    const headers = { authorization: `Bearer ${beta.apiKey}` };
    expect((await t.fetch(`/v1/jobs/${jobId}/receipt`, { headers })).status).toBe(404);
    const session = await signIn(t, beta);
    await expectRefusal(t.query(api.console.jobs.receipt, { session, jobId }), "not_found");
  });

  it("is in the console for those who may look at the answer, whose hash it has", async () => {
    const jobId = await answered();
    const session = await signIn(t, acme);
    const receiptIn = async () => await t.query(api.console.jobs.receipt, { session, jobId });
    const detail = async () => await t.query(api.console.jobs.get, { session, jobId });
    expect(await detail()).toMatchObject({ receipt: false, energy });
    await expectRefusal(receiptIn(), "forbidden");
    await t.mutation(api.console.payloads.setAccess, { session, ownersMayLook: true });
    expect(await detail()).toMatchObject({ receipt: true });
    expect(JSON.parse(await receiptIn())).toMatchObject({ object: "receipt", claim: { jobId } });
    const auditor = await joinAs(t, session, { name: "Ann", roles: ["auditor"] });
    await expectRefusal(t.query(api.console.jobs.receipt, { session: auditor.session, jobId }), "forbidden");
  });
});

describe("a claim that a device signs for a receipt", () => {
  it("is refused with another file than the model's", async () => {
    const refused = await send(await submit(t, acme), { model: "cd".repeat(32) });
    expect(refused).toMatchObject({ kind: "refused", why: expect.stringMatching(/another file/) as string });
  });

  it.each([-1, 0.5, 1e12])("is refused with an energy of %d", async (microWh) => {
    const refused = await send(await submit(t, acme), { energy: { ...energy, microWh } });
    expect(refused).toMatchObject({ kind: "refused", why: expect.stringMatching(/energy/) as string });
    await expectBooksInOrder(t);
  });

  it("is refused if the result is another one", async () => {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    const { deviceId, key, signingKey } = device;
    const payload = await payloadOf(t, key, attemptId);
    const { result, report } = answer();
    const attempt = { deviceId, attemptId, jobId, payload };
    const signed = signedForReceipt(signingKey, attempt, { result, report: { ...report, model: modelHash } });
    const changed = { ...signed, result: { ...result, finishReason: "length" as const } };
    const sent = await t.mutation(api.work.complete, { key, attemptId, ...changed, demand: { jobs: 0 } });
    expect(sent).toMatchObject({ kind: "refused", why: expect.stringMatching(/signature/) as string });
  });
});

describe("the energy of a job", () => {
  it("is in the job, in the headers of its result, and in the usage", async () => {
    const jobId = await answered();
    const job = await (await call(`/v1/jobs/${jobId}`)).json();
    expect(job).toMatchObject({
      energy: { watt_hours: 0.002083, source: "measured" },
      receipt_url: `/v1/jobs/${jobId}/receipt`,
    });
    const { headers } = await call(`/v1/jobs/${jobId}/result`);
    expect(headers.get("x-gleaner-energy-wh")).toBe("0.002083");
    expect(headers.get("x-gleaner-energy-source")).toBe("measured");
  });

  it("is unknown for a device that tells none", async () => {
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    expect(await (await call(`/v1/jobs/${jobId}`)).json()).toMatchObject({ energy: null });
    expect((await call(`/v1/jobs/${jobId}/result`)).headers.get("x-gleaner-energy-wh")).toBeNull();
  });
});
