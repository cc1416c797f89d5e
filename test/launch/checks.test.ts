import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomWords } from "../../chaos/malicious/lies.ts";
import { MaliciousDevice } from "../../chaos/malicious/malicious-device.ts";
import { api } from "../../convex/_generated/api.js";
import { makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";

/** Checks of answers with real donors: two with the demo model, and a third one that answers noise in its name. */
let farm: Farm;
let convex: ConvexHttpClient;
let session: string;
let liar: MaliciousDevice | null = null;

const liarName = "liar";
const honestNames = ["honest-one", "honest-two"];

beforeAll(async () => {
  farm = await startFarm();
  convex = new ConvexHttpClient(farm.backend.url, { logger: false });
  session = makeSecret("gs_");
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await convex.mutation(api.console.account.signIn, { token, session });
  await convex.mutation(api.console.fleet.checks.setMode, { session, mode: "act" });
  for (const name of honestNames) await farm.startDonor(name);
  // Both have loaded the model once they have answered.
  while (new Set((await jobRows()).flatMap(answeredBy)).size < honestNames.length) await askSome(2);
}, 900_000);
afterAll(async () => {
  liar?.stop();
  await farm.close();
});

const questions = [
  "What is the capital of Norway?",
  "Write a short email to Karen about the invoice.",
  "What is the capital of Austria?",
  "Write a short email to Tom about the meeting.",
];

async function askSome(count: number): Promise<void> {
  const openai = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  const asked = Array.from({ length: count }, async (_, index) => {
    const content = questions[index % questions.length] ?? "";
    const messages = [{ role: "user" as const, content }];
    await openai.chat.completions.create({ model: farm.modelId, messages, max_completion_tokens: 48 });
  });
  // On a busy computer a call may end before its answer. The checks below wait for what they need.
  await Promise.allSettled(asked);
}

const firstPage = { paginationOpts: { numItems: 50, cursor: null } };

async function jobRows() {
  return (await convex.query(api.console.jobs.list, { session, ...firstPage })).page;
}

type JobRow = Awaited<ReturnType<typeof jobRows>>[number];

const answeredBy = ({ attempts }: JobRow): string[] =>
  attempts.flatMap(({ status, deviceName }) => (status === "succeeded" ? [deviceName] : []));

async function cases() {
  return (await convex.query(api.console.fleet.checks.cases, { session, ...firstPage })).page;
}

async function checks() {
  return (await convex.query(api.console.fleet.checks.recent, { session, ...firstPage })).page;
}

/** Waits for something that the backend does within some minutes. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(1_000);
}

test("answers of honest devices are checked by each other, and fit", async () => {
  await askSome(4);
  await until(async () => (await checks()).filter(({ state }) => state === "done").length >= 3);
  for (const { device, voice } of (await checks()).filter(({ state }) => state === "done")) {
    expect(voice).toMatchObject({ verdict: "fits" });
    expect(voice?.checker.name).not.toBe(device.name);
  }
  expect(await cases()).toEqual([]);
}, 900_000);

test("a device that answers noise is found by two others, is not paid, and is paused", async () => {
  const device = await MaliciousDevice.enroll(farm, liarName, () => randomWords(24));
  liar = device;
  const work = device.work();
  while (device.given === 0) await askSome(6);
  await until(async () => (await cases()).some(({ state }) => state === "wrong"));
  const found = (await cases()).filter(({ state }) => state === "wrong");
  for (const { device: accused, voices } of found) {
    expect(accused.name).toBe(liarName);
    expect(voices.map(({ checker }) => checker.name).toSorted()).toEqual(honestNames);
    for (const { verdict, misses } of voices) {
      expect(verdict).toBe("mismatch");
      expect(misses).toBeGreaterThan(5);
    }
  }
  // A paused device gets no more jobs, so its work ends.
  await work;
  const deviceId = found[0]!.device.deviceId;
  const row = await convex.query(api.console.devices.get, { session, deviceId });
  expect(row).toMatchObject({ status: "paused", pause: { cause: "wrong" } });
  expect(row.earnedMicro).toBe(0n);
  const standing = await convex.query(api.console.fleet.checks.standings, {
    session,
    deviceId,
    now: Date.now(),
  });
  expect(standing.heldMicro).toBe(0n);
}, 900_000);

test("no honest device is accused, and the books are in order", async () => {
  await askSome(6);
  expect((await cases()).map(({ device }) => device.name)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^honest/)]),
  );
  const devices = await convex.query(api.console.devices.list, { session, ...firstPage });
  for (const { name, state } of devices.page) if (name !== liarName) expect(state).not.toBe("paused");
  expect(await farm.setup.ledgerCheck()).toMatchObject({ sum: 0n, jobs: { settledTwice: 0 } });
});
