import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isKnownGrammar, isOldGrammar } from "../../app/grammar-version.ts";
import { drawCanary } from "../../app/trust/canaries.ts";
import { internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { present } from "../model/refuse.ts";
import { type Backend, chat, type Device, type Organization, submitWork } from "./backend.fixture.ts";
import {
  addChecker,
  answerJob,
  casesOf,
  check,
  choose,
  chooseMode,
  completeJob,
  fitting,
  noise,
  odd,
  replaysOf,
  standingOf,
  takeReplay,
} from "./checks.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

vi.mock("../../app/trust/canaries.ts", { spy: true });
vi.mock("../../app/grammar-version.ts", { spy: true });

let t: Backend;
let acme: Organization;
let author: Device;
let newer: Device;

beforeEach(async () => {
  ({ t, acme } = await openWorld());
  author = await addChecker(t, acme, "author", "grammar:1");
  newer = await addChecker(t, acme, "newer", "grammar:2");
  await chooseMode(t, acme, "act");
});

afterEach(() => {
  closeWorld();
  vi.restoreAllMocks();
});

/** Asks for an answer in a format, and has the author answer. */
async function answerInFormat(): Promise<void> {
  const request = { ...chat(), format: { kind: "json" as const } };
  const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
  await completeJob(t, author, jobId, { text: '{"city":"Vienna"}' });
  await choose(t);
}

it("an answer in a format is read by a device with the same grammars, if one is online", async () => {
  const equal = await addChecker(t, acme, "equal", "grammar:1");
  await answerInFormat();
  expect(await takeReplay(t, newer)).toBeNull();
  await check(t, equal, noise);
  expect(await casesOf(t)).toHaveLength(1);
});

it("another answer is read by any device", async () => {
  await addChecker(t, acme, "equal", "grammar:1");
  await answerJob(t, acme, author);
  await choose(t);
  await check(t, newer, fitting);
  expect((await replaysOf(t)).map(({ voice }) => voice?.verdict)).toEqual(["fits"]);
});

it("a device with other grammars reads it if no other is online, and accuses nobody", async () => {
  for (let each = 0; each < 4; each += 1) {
    await answerInFormat();
    await check(t, newer, noise);
  }
  expect(await casesOf(t)).toEqual([]);
  expect((await replaysOf(t)).map(({ voice }) => voice?.verdict)).toEqual(Array(4).fill("unclear"));
  const standings = await t.run(async ({ db }) => await db.query("standings").collect());
  expect(standings.map(({ standing: { drift, counts } }) => [drift, counts])).toEqual([[0, { unclear: 4 }]]);
  expect(await t.run(async ({ db }) => await db.query("honestReplays").collect())).toEqual([]);

  await answerInFormat();
  await check(t, newer, fitting);
  expect((await replaysOf(t)).at(-1)?.voice?.verdict).toBe("fits");
});

it("devices with a version that nobody knows are not the only ones that read each other’s answers", async () => {
  author = await addChecker(t, acme, "one of a pair", "grammar:99");
  await addChecker(t, acme, "the other", "grammar:99");
  await answerInFormat();
  expect(await takeReplay(t, newer)).not.toBeNull();
});

it("devices with the same version that nobody knows do not clear each other, and teach no limit", async () => {
  author = await addChecker(t, acme, "one of a pair", "grammar:99");
  const friend = await addChecker(t, acme, "the other", "grammar:99");
  await answerInFormat();
  await check(t, newer, noise);
  await answerInFormat();
  await check(t, friend, fitting);
  expect(await standingOf(t, author)).toMatchObject({ oddFormat: true });
  expect(await t.run(async ({ db }) => await db.query("honestReplays").collect())).toEqual([]);
});

it("an answer of a version that nobody knows is not held against its device, but needs a canary if it looks odd", async () => {
  author = await addChecker(t, acme, "updated first", "grammar:99");
  await answerInFormat();
  await check(t, newer, noise);
  expect((await replaysOf(t)).map(({ voice }) => voice?.verdict)).toEqual(["unclear"]);
  expect(await standingOf(t, author)).toMatchObject({ oddFormat: true, standing: { bad: 0, counts: {} } });
  await answerInFormat();
  await check(t, newer, fitting);
  expect(await standingOf(t, author)).toMatchObject({ oddFormat: true, standing: { bad: 0, passed: 0 } });
});

it("a friend does not release the held pay of a version that nobody knows after an odd reading by another device", async () => {
  author = await addChecker(t, acme, "cheats", "grammar:99");
  const friend = await addChecker(t, acme, "friend", "grammar:2");
  await answerInFormat();
  await check(t, friend, fitting);
  expect(await standingOf(t, author)).toMatchObject({ standing: { counts: { fits: 1 } } });
  await answerInFormat();
  await check(t, newer, noise);
  for (let each = 0; each < 7; each += 1) {
    await answerInFormat();
    await check(t, friend, fitting);
  }
  expect(await standingOf(t, author)).toMatchObject({ standing: { counts: { fits: 1 } } });
  const held = await t.run(async ({ db }) => await db.query("heldPays").collect());
  expect(held.filter(({ deviceId }) => deviceId === author.deviceId)).toHaveLength(9);
});

describe("two devices with an old version of the grammars", () => {
  let friend: Device;

  beforeEach(async () => {
    vi.mocked(isKnownGrammar).mockImplementation((tag) => ["grammar:1", "grammar:2"].includes(tag));
    vi.mocked(isOldGrammar).mockImplementation((tag) => tag === "grammar:1");
    friend = await addChecker(t, acme, "friend", "grammar:1");
  });

  afterEach(() => {
    vi.mocked(isKnownGrammar).mockReset();
    vi.mocked(isOldGrammar).mockReset();
  });

  /** Whether other devices may read the next answer is drawn. Of a new device each answer is replayed. */
  const draw = (number: number): void => void vi.spyOn(Math, "random").mockReturnValue(number);

  it("mostly read each other’s answers, and sometimes any device may", async () => {
    draw(0.6);
    await answerInFormat();
    expect(await takeReplay(t, newer)).toBeNull();
    await check(t, friend, fitting);
    draw(0.4);
    await answerInFormat();
    await check(t, newer, noise);
    expect((await replaysOf(t)).map(({ voice }) => voice?.verdict)).toEqual(["fits", "unclear"]);
    expect(await standingOf(t, author)).toMatchObject({ oddFormat: true });
  });

  it("do not end a doubt of the others by their own word, but find each other wrong", async () => {
    draw(0.4);
    await answerInFormat();
    await check(t, newer, noise);
    draw(0.6);
    await answerInFormat();
    await check(t, friend, fitting);
    expect(await standingOf(t, author)).toMatchObject({ oddFormat: true });
    await answerInFormat();
    await check(t, friend, noise);
    expect(await casesOf(t)).toHaveLength(1);
  });

  it("do not release each other’s held pay after an odd reading by another device", async () => {
    draw(0.4);
    await answerInFormat();
    await check(t, newer, noise);
    draw(0.6);
    // The last one gets a replay only if the device is still new.
    for (let each = 0; each < 7; each += 1) {
      await answerInFormat();
      await check(t, friend, fitting);
    }
    expect(await standingOf(t, author)).toMatchObject({ standing: { passed: 0, counts: { unclear: 1 } } });
    const held = await t.run(async ({ db }) => await db.query("heldPays").collect());
    expect(held.filter(({ deviceId }) => deviceId === author.deviceId)).toHaveLength(8);
  });

  it("pass each other’s replays only after another device found an answer right", async () => {
    draw(0.6);
    // The last one gets a replay only if the device is still new.
    for (let each = 0; each < 7; each += 1) {
      await answerInFormat();
      await check(t, friend, fitting);
    }
    expect(await standingOf(t, author)).toMatchObject({ standing: { passed: 0, counts: {} } });
    const held = await t.run(async ({ db }) => await db.query("heldPays").collect());
    expect(held.filter(({ deviceId }) => deviceId === author.deviceId)).toHaveLength(7);
    draw(0.4);
    await answerInFormat();
    await check(t, newer, fitting);
    draw(0.6);
    await answerInFormat();
    await check(t, friend, fitting);
    expect(await standingOf(t, author)).toMatchObject({
      oddFormat: false,
      standing: { counts: { fits: 2 } },
    });
  });
});

describe("a device whose answers in formats only devices with other grammars find odd", () => {
  let third: Device;

  beforeEach(async () => {
    third = await addChecker(t, acme, "third", "grammar:2");
    vi.mocked(drawCanary).mockReturnValue({
      messages: [{ role: "user", content: "Name a city as JSON." }],
      maxTokens: 64,
      temperature: 0,
      topP: 1,
      seed: 7,
      stop: [],
      format: { kind: "json" },
    });
  });

  const ask = async (): Promise<boolean> =>
    await t.mutation(internal.trust.canaries.ask, { organizationId: acme.organizationId });
  const canaries = async (): Promise<readonly Doc<"canaries">[]> =>
    await t.run(async ({ db }) => await db.query("canaries").collect());
  const devices = (): readonly Device[] => [author, newer, third];

  /** Asks a canary of the author, and has both devices answer. */
  async function answerCanary(tested: string, other: string): Promise<void> {
    expect(await ask()).toBe(true);
    const { deviceIds, jobIds } = present((await canaries()).at(-1) ?? null, "canary");
    expect(deviceIds[0]).toBe(author.deviceId);
    for (const [place, text] of [tested, other].entries()) {
      const device = devices().find(({ deviceId }) => deviceId === deviceIds[place]);
      const jobId = present(jobIds[place] ?? null, "job of a canary");
      await completeJob(t, present(device ?? null, "device"), jobId, { text });
    }
    await choose(t);
  }

  async function findOdd(): Promise<void> {
    await answerInFormat();
    await check(t, newer, noise);
    expect(await standingOf(t, author)).toMatchObject({ oddFormat: true });
  }

  /** A device that knows the canary may answer others oddly, so it passes no more replays by it. */
  const cleared = { standing: { passed: 0, counts: { unclear: 1 } } };

  it("gets a canary in a format, which each device reads, and is out if that is wrong", async () => {
    expect(await ask()).toBe(false);
    await findOdd();
    await answerCanary('{"city":"Vienna"}', '{"city":"Graz"}');
    expect(vi.mocked(drawCanary).mock.lastCall?.[1]).toBe(true);
    for (const checker of [newer, third]) await check(t, checker, noise);
    expect((await canaries()).map(({ state }) => state)).toEqual(["mismatch"]);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong", deviceId: author.deviceId }]);
    const device = await t.run(async ({ db }) => await db.get("devices", author.deviceId));
    expect(device?.pause?.cause).toBe("wrong");
  });

  it("is cleared by a canary in a format that fits, which counts for nothing else, and gets no more", async () => {
    await findOdd();
    await answerCanary('{"city":"Vienna"}', '{"city":"Graz"}');
    await check(t, third, fitting);
    expect((await canaries()).map(({ state }) => state)).toEqual(["fits"]);
    expect(await standingOf(t, author)).toMatchObject(cleared);
    expect(await standingOf(t, author)).not.toHaveProperty("oddFormat");
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    expect(await ask()).toBe(false);
  });

  it("is cleared by the same long answer of another device", async () => {
    await findOdd();
    const long = JSON.stringify({ cities: Array.from({ length: 20 }, (_, at) => `city ${String(at)}`) });
    await answerCanary(long, long);
    expect((await canaries()).map(({ state }) => state)).toEqual(["fits"]);
    expect(await standingOf(t, author)).toMatchObject(cleared);
    expect(await standingOf(t, author)).not.toHaveProperty("oddFormat");
  });

  it("is cleared by a device with the same grammars", async () => {
    await findOdd();
    const equal = await addChecker(t, acme, "equal", "grammar:1");
    await answerInFormat();
    await check(t, equal, fitting);
    expect(await standingOf(t, author)).toMatchObject({ oddFormat: false });
  });

  it("gets none for other answers that do not fit", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, newer, odd);
    expect((await standingOf(t, author))?.oddFormat ?? false).toBe(false);
    expect(await ask()).toBe(false);
  });
});
