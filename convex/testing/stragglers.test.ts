import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import {
  answer,
  answerMicro,
  claim,
  complete,
  completeWith,
  type Device,
  greeting,
  jobOf,
  modelId,
  pass,
  price,
  statusOf,
  submit,
  take,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { closePair, openPair, type Pair } from "./pair.fixture.ts";

let { t, acme, bad, good, session, statusOfDevice, passAlive } = {} as Pair;

/** Says that a device reads 100 tokens a second and writes 10. It then runs one job at a time. */
async function sayFast({ key }: Device): Promise<void> {
  const { capabilities, ...said } = greeting([modelId]);
  const speeds = [{ of: modelId, inputPerSecond: 100, outputPerSecond: 10 }];
  await t.mutation(api.work.hello, {
    key,
    ...said,
    capabilities: { ...capabilities, concurrency: 1, speeds },
  });
}

beforeEach(async () => {
  ({ t, acme, bad, good, session, statusOfDevice, passAlive } = await openPair());
  for (const { attemptId } of await take(t, good)) await complete(t, good, attemptId);
  for (const device of [bad, good]) await sayFast(device);
});
afterEach(async () => await closePair({ t }));

/** A job that the bad device has had for too long, and its attempts. The good device was handed it, too. */
async function straggle(stream = false) {
  const jobId = await submit(t, acme, { stream });
  const slow = await claim(t, bad, jobId);
  await take(t, good);
  // At most 64 tokens of an answer take 6.4 s, and the prompt about one. A model may take 20 s to load.
  for (let seconds = 0; seconds < 33; seconds += 1) await pass(t, 1_000);
  const [handed] = await t.query(api.work.handed, { key: good.key });
  if (handed?.jobId !== jobId) throw new Error("not handed over");
  return { jobId, slow, fast: handed.attemptId };
}

const write = async ({ key }: Device, attemptId: string, text: string) =>
  await t.mutation(api.work.append, { key, attemptId, seq: 0, text });

const newest = async ({ key }: Device) =>
  (await t.query(api.devices.history, { key, paginationOpts: { numItems: 1, cursor: null } })).page[0];

const spent = async () => (await t.query(api.console.overview.summary, { session })).money!.spentMicro;

describe("a request whose device takes too long", () => {
  it("is answered by another device, which is paid once; the first one earns nothing for its time", async () => {
    const before = await spent();
    const { jobId, slow, fast } = await straggle();
    expect(await complete(t, good, fast)).toMatchObject({
      kind: "completed",
      reply: { earnedMicro: answerMicro },
    });
    expect(await complete(t, bad, slow)).toMatchObject({ kind: "fenced" });
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
    expect(await newest(bad)).toMatchObject({
      status: "outrun",
      earnedMicro: "0",
      explanation: "It took too long, and another device finished first",
    });
    expect((await spent()) - before).toBe(answerMicro);
    const attempts = (await jobOf(t, acme, jobId)).attempts;
    expect(attempts).toBe(2);
  });

  it("pays the first device for what it had written of the answer, at most half of its price", async () => {
    const text = "One, two, three, four.";
    const formula = (tokens: number): string =>
      `2 tokens in × 0.002 + ${String(tokens)} out × 0.006 credits per 1,000 (price version 1.0)`;
    for (const [written, share, why] of [
      ["One, two", 8 / 22, formula(8)],
      ["One, two, three, four", 21 / 22, `${formula(21)}, limited to half of the answer’s price`],
    ] as const) {
      const before = await spent();
      const { slow, fast } = await straggle();
      await write(bad, slow, written);
      const usage = { promptTokens: 2, completionTokens: 22 };
      await completeWith(t, good, fast, answer(text, usage));
      const whole = 2n * price.promptMicro + 22n * price.completionMicro;
      const part = 2n * price.promptMicro + BigInt(Math.floor(22 * share)) * price.completionMicro;
      const paid = part < whole / 2n ? part : whole / 2n;
      expect(await newest(bad)).toMatchObject({
        status: "outrun",
        earnedMicro: String(paid),
        explanation: `It took too long, and another device finished first. Paid for the part that it had written: ${why}`,
      });
      expect((await spent()) - before).toBe(whole + paid);
      await take(t, bad);
    }
  });

  it("pays nothing for a text that the answer does not begin with", async () => {
    const { slow, fast } = await straggle(true);
    await write(bad, slow, "Something else");
    await completeWith(t, good, fast, answer("One, two."));
    expect(await newest(bad)).toMatchObject({ status: "outrun", earnedMicro: "0" });
  });

  it("never costs more than was reserved", async () => {
    const { slow, fast } = await straggle();
    const text = "word ".repeat(60).trim();
    await write(bad, slow, "word ".repeat(50));
    const usage = { promptTokens: 98, completionTokens: 64 };
    await completeWith(t, good, fast, answer(text, usage));
    const paginationOpts = { numItems: 1, cursor: null };
    const [row] = (await t.query(api.console.jobs.list, { session, paginationOpts })).page;
    // The prompt and the answer have as many tokens as were reserved.
    expect(row?.priceMicro).toBe(98n * price.promptMicro + 64n * price.completionMicro);
    expect(await newest(bad)).toMatchObject({ status: "outrun", earnedMicro: "0" });
  });

  it("pays the second device for what it had written, if the first one ends after all", async () => {
    const { slow, fast } = await straggle();
    await write(good, fast, "One, two");
    const usage = { promptTokens: 2, completionTokens: 22 };
    await completeWith(t, bad, slow, answer("One, two, three, four.", usage));
    expect(await newest(good)).toMatchObject({
      status: "outrun",
      explanation: expect.stringMatching(/^Another/),
    });
    expect(BigInt((await newest(good))!.earnedMicro)).toBeGreaterThan(0n);
    expect(await newest(bad)).toMatchObject({ status: "succeeded" });
  });
});

describe("a device that holds its jobs with heartbeats alone", () => {
  it("is paused within 20 jobs, and the devices that help are not", async () => {
    let jobs = 0;
    while (jobs < 20 && (await statusOfDevice(bad)) === "active") {
      const { fast } = await straggle();
      await complete(t, good, fast);
      jobs += 1;
      await passAlive(1_000);
    }
    expect(await statusOfDevice(bad)).toBe("paused");
    expect(await statusOfDevice(good)).toBe("active");
    const devices = await listDevices(t, session);
    expect(devices.find(({ name }) => name === "bad")?.pause).toMatchObject({ cause: "slow" });
  });

  it("a device that was asked to help and came second is not blamed", async () => {
    for (let jobs = 0; jobs < 18; jobs += 1) {
      const { slow } = await straggle();
      await complete(t, bad, slow);
      await pass(t, 1_000);
    }
    expect(await statusOfDevice(good)).toBe("active");
  });
});
