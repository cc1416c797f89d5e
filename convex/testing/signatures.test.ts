import { ConvexError } from "convex/values";
import { beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  answer,
  type Backend,
  claim,
  complete,
  completeWith,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  greeting,
  type Organization,
  payloadOf,
  secret,
  signed,
  signIn,
  startBackend,
  statusOf,
  submit,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { makeSigningKey, registrationOf, signedAnswer } from "./signing.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

/** Enrolls a device as a program without signatures does. */
async function enrollUnsigned(): Promise<Omit<Device, "signingKey">> {
  const key = secret("gd_");
  const args = { code: acme.code, key, name: "old", platform: "linux-x64" };
  const outcome = await t.mutation(api.devices.enroll, args);
  if (outcome.kind !== "enrolled") throw new Error(outcome.reason);
  return { key, deviceId: outcome.deviceId };
}

type Answered = Parameters<typeof completeWith>[3];
type Sent = Awaited<ReturnType<typeof signed>>;

async function send(attemptId: string, sent: Answered, by: Device = device) {
  return await t.mutation(api.work.complete, { key: by.key, attemptId, ...sent, demand: { jobs: 0 } });
}

describe("the signature of a result", () => {
  it("is required, and the job goes to another device without it", async () => {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    await expectRefused(send(attemptId, answer()));
    expect(await statusOf(t, acme, jobId)).toBe("waiting");
  });

  it("is kept with the attempt and with the job, together with the key's id", async () => {
    const attemptId = await claim(t, device, await submit(t, acme));
    const sent = await signed(t, device, attemptId, answer());
    await send(attemptId, sent);
    const keyId = device.signingKey.publicKey.slice(0, 16);
    const kept = { signature: { ...sent.report.signature, keyId } };
    expect((await allJobs(t, acme))[0]).toMatchObject({ report: kept });
    const attempts = await t.run(
      async (ctx) =>
        await queue.workers.history(ctx, acme.organizationId, {
          workerId: (await ctx.db.get("devices", device.deviceId))?.workerId ?? "",
          paginationOpts: { numItems: 1, cursor: null },
        }),
    );
    expect(attempts.page[0]).toMatchObject({ report: kept });
  });

  it("may be sent again after a lost answer", async () => {
    const attemptId = await claim(t, device, await submit(t, acme));
    const sent = await signed(t, device, attemptId, answer());
    const first = await send(attemptId, sent);
    expect(await send(attemptId, sent)).toMatchObject({ kind: "completed", reply: first["reply" as never] });
    await expectBooksInOrder(t);
  });

  it.each<[string, (sent: Sent) => Answered]>([
    ["the text", (sent) => ({ ...sent, result: { text: "Hello!", finishReason: "stop" } })],
    ["the reason of the end", (sent) => ({ ...sent, result: { text: "Hello.", finishReason: "length" } })],
    [
      "an added tool call",
      (sent) => ({
        ...sent,
        result: {
          text: "Hello.",
          finishReason: "stop",
          toolCalls: [{ id: "call_1", name: "f", arguments: "{}" }],
        },
      }),
    ],
    [
      "the token counts",
      ({ result, report }) => ({
        result,
        report: { ...report, usage: { promptTokens: 10, completionTokens: 4 } },
      }),
    ],
    [
      "the times",
      ({ result, report }) => ({ result, report: { ...report, timing: { prefillMs: 5, generateMs: 21 } } }),
    ],
    ["the job", changed({ jobId: "another" })],
    ["the request's hash", changed({ requestHash: "0".repeat(64) })],
    ["a hash that is none", changed({ requestHash: "x" })],
    ["the signature", changed({ value: "A".repeat(86) })],
    ["a short signature", changed({ value: "AAAA" })],
    ["an empty signature", changed({ value: "" })],
  ])("does not fit after a change of %s", async (_, change) => {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    await expectRefused(send(attemptId, change(await signed(t, device, attemptId, answer()))));
    expect(await statusOf(t, acme, jobId)).not.toBe("running");
    await expectBooksInOrder(t);
  });

  it("does not fit another attempt of the same device", async () => {
    const [first, second] = [await submit(t, acme), await submit(t, acme)];
    const used = await claim(t, device, first);
    const sent = await signed(t, device, used, answer());
    const other = await claim(t, device, second);
    await send(used, sent);
    await expectRefused(send(other, sent));
  });

  it("does not fit another device, even one with the same key", async () => {
    const other = await addDevice(t, acme, "other");
    const attemptId = await claim(t, other, await submit(t, acme));
    const held = (await t.query(api.work.held, { key: other.key }))[0];
    const payload = await payloadOf(t, other.key, attemptId);
    const attempt = { attemptId, jobId: held?.jobId ?? "", payload };
    const mine = signedAnswer(device.signingKey, { ...attempt, deviceId: device.deviceId }, answer());
    await t.run(
      async (ctx) =>
        await ctx.db.patch("devices", other.deviceId, { signingKey: device.signingKey.publicKey }),
    );
    await expectRefused(send(attemptId, mine, other));
  });

  it("does not fit another organization's attempt", async () => {
    const beta = await addOrganization(t, { name: "Beta" });
    const theirs = await addDevice(t, beta);
    const mine = await signed(t, device, await claim(t, device, await submit(t, acme)), answer());
    const attemptId = await claim(t, theirs, await submit(t, beta));
    await expectRefused(send(attemptId, mine, theirs));
  });

  it("does not fit a job that is not the attempt's, although the device signed it", async () => {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    const payload = await payloadOf(t, device.key, attemptId);
    const attempt = { deviceId: device.deviceId, attemptId, jobId: await submit(t, acme), payload };
    await expectRefused(send(attemptId, signedAnswer(device.signingKey, attempt, answer())));
    expect(await statusOf(t, acme, jobId)).not.toBe("running");
    await expectBooksInOrder(t);
  });

  it("does not fit a request that is not the job's, although the device signed it", async () => {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    const payload = await payloadOf(t, device.key, attemptId);
    const changed = { ...(payload as object), seed: 1 };
    const attempt = { deviceId: device.deviceId, attemptId, jobId, payload: changed };
    await expectRefused(send(attemptId, signedAnswer(device.signingKey, attempt, answer())));
    expect(await statusOf(t, acme, jobId)).not.toBe("running");
  });

  it("refuses numbers that JSON does not have", async () => {
    const attemptId = await claim(t, device, await submit(t, acme));
    const { result, report } = answer();
    const logprobs = [{ token: "a", logprob: Number.NaN, top: [] }];
    const outcome = await completeWith(t, device, attemptId, { result: { ...result, logprobs }, report });
    expect(outcome).toMatchObject({ kind: "refused" });
  });
});

/** The attempt has failed, and nothing was paid. */
async function expectRefused(sent: Promise<{ readonly kind: string }>): Promise<void> {
  expect(await sent).toMatchObject({ kind: "refused", why: expect.stringMatching(/sign/) as string });
  await expectBooksInOrder(t);
}

function changed(fields: Partial<Sent["report"]["signature"]>) {
  return ({ result, report }: Sent) => ({
    result,
    report: { ...report, signature: { ...report.signature, ...fields } },
  });
}

describe("a device's signing key", () => {
  it("is registered once by a device that enrolled without one, which gets jobs only then", async () => {
    const old = await enrollUnsigned();
    const { key } = old;
    expect(await t.query(api.devices.me, { key })).toMatchObject({ signingKey: null });

    const signingKey = makeSigningKey();
    const registration = registrationOf(signingKey, key);
    await t.mutation(api.devices.registerSigningKey, { key, signingKey: registration });
    await t.mutation(api.devices.registerSigningKey, { key, signingKey: registration });
    expect(await t.query(api.devices.me, { key })).toMatchObject({ signingKey: signingKey.publicKey });
    await t.mutation(api.work.hello, { key, ...greeting() });
    await complete(t, { ...old, signingKey }, await claim(t, old, await submit(t, acme)));

    const another = registrationOf(makeSigningKey(), key);
    await expectRefusal(t.mutation(api.devices.registerSigningKey, { key, signingKey: another }), "conflict");
    const session = await signIn(t, acme);
    const paginationOpts = { numItems: 50, cursor: null };
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    const rows = page.filter(({ action }) => action === "device.key-registered");
    expect(rows).toMatchObject([{ subject: old.deviceId, actor: "device", detail: signingKey.publicKey }]);
  });

  it("is what a program without signatures lacks: the console says so, and it gets no jobs", async () => {
    const { key, deviceId } = await enrollUnsigned();
    const session = await signIn(t, acme);
    await t.mutation(api.work.hello, { key, ...greeting() });
    await t.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
    await submit(t, acme);
    expect(await t.mutation(api.work.take, { key, demand: { jobs: 1 } })).toMatchObject({ kind: "unable" });
    const rows = await listDevices(t, session);
    expect(rows.find((row) => row.deviceId === deviceId)).toMatchObject({
      status: "outdated",
      version: "0.1.0",
      signs: false,
    });
    const figures = { devicesOnline: 2, devicesDonating: 1 };
    expect(await t.query(api.console.overview.summary, { session })).toMatchObject(figures);
    await t.mutation(api.console.devices.setOldestVersion, { session, version: "0.1.0" });
    expect(await t.query(api.devices.me, { key })).toMatchObject({ status: "outdated" });

    await t.mutation(api.devices.registerSigningKey, {
      key,
      signingKey: registrationOf(makeSigningKey(), key),
    });
    await t.mutation(api.work.hello, { key, ...greeting() });
    expect(await t.query(api.devices.me, { key })).toMatchObject({ status: "active", needsVersion: null });
  });

  it("is not replaced when the device enrolls again", async () => {
    const { key, deviceId, signingKey } = device;
    const args = { code: acme.code, key, name: "again", platform: "linux-x64" };
    const another = registrationOf(makeSigningKey(), key);
    expect(await t.mutation(api.devices.enroll, { ...args, signingKey: another })).toMatchObject({
      deviceId,
    });
    expect(await t.query(api.devices.me, { key })).toMatchObject({ signingKey: signingKey.publicKey });
  });

  it.each([
    ["another device's proof", (own: string) => registrationOf(makeSigningKey(), `${own}x`)],
    [
      "another key's proof",
      (own: string) => ({ ...registrationOf(makeSigningKey(), own), publicKey: makeSigningKey().publicKey }),
    ],
    ["a short key", (own: string) => ({ ...registrationOf(makeSigningKey(), own), publicKey: "AAAA" })],
    ["no proof", (own: string) => ({ ...registrationOf(makeSigningKey(), own), proof: "" })],
    [
      "a proof of zeros",
      (own: string) => ({ ...registrationOf(makeSigningKey(), own), proof: "A".repeat(86) }),
    ],
  ])("is refused with %s", async (_, registrationFor) => {
    const { key } = await enrollUnsigned();
    const signingKey = registrationFor(key);
    await expectRefusal(t.mutation(api.devices.registerSigningKey, { key, signingKey }), "invalid");
    const fresh = secret("gd_");
    const args = { code: acme.code, key: fresh, name: "new", platform: "linux-x64" };
    const refused = t.mutation(api.devices.enroll, { ...args, signingKey: registrationFor(fresh) });
    await expect(refused).rejects.toThrow(ConvexError);
  });
});
