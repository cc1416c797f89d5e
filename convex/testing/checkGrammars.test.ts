import { afterEach, beforeEach, expect, it } from "vitest";
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
  replaysOf,
  takeReplay,
} from "./checks.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

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

afterEach(closeWorld);

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
