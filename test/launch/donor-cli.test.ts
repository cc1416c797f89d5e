import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import { type CallAnswer, calls } from "../../app/contract/donor-calls.ts";
import { type Explanation, explanation } from "../../app/contract/explanation.ts";
import type { Child } from "../../launch/core/child.ts";
import { makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/** The real commands, as processes, against a real donor without a window, on a real backend. */
const root = resolve(import.meta.dirname, "../..");
const hour = 3_600_000;

type Ran = { readonly code: number; readonly out: string; readonly err: string };

function gleaner(...args: readonly string[]): Promise<Ran> {
  return new Promise((done) => {
    const command = [join(root, "cli/gleaner.ts"), ...args];
    const env = { ...process.env, GLEANER_DATA: undefined };
    execFile(process.execPath, command, { env, timeout: 240_000 }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

let farm: Farm;
let donor: Child;
let folder: string;

/** The donor ignores the load of other programs, because other tests run on the same machine. */
async function startDonor(name: string): Promise<{ readonly child: Child; readonly folder: string }> {
  const own = join(farm.folder.donorFolder, name);
  await mkdir(own, { recursive: true });
  const rules = { maxOtherCpuLoad: 1 };
  const settings = { version: 1, pause: null, donateNowUntil: null, rules };
  await writeFile(join(own, "settings.json"), JSON.stringify(settings));
  return { child: await farm.startDonor(name, { donateNowMinutes: null }), folder: own };
}

beforeAll(async () => {
  farm = await startFarm();
  ({ child: donor, folder } = await startDonor("told"));
});
afterAll(() => farm.close());

async function json<Schema extends z.ZodType>(
  schema: Schema,
  ...args: readonly string[]
): Promise<z.output<Schema>> {
  const { code, out, err } = await gleaner(...args, "--json", "--data", folder);
  expect({ code, err, out: code === 0 ? "" : out }).toEqual({ code: 0, err: "", out: "" });
  return schema.parse(JSON.parse(out));
}

const statusOf = (...args: readonly string[]): Promise<CallAnswer<"status">> =>
  json(calls.status.answer, ...args);

const explained = (...args: readonly string[]): Promise<Explanation> => json(explanation, "explain", ...args);

/** Ends any pause of an earlier test. */
async function donating(): Promise<void> {
  await statusOf("resume");
  await untilDonating();
}

async function untilDonating(): Promise<void> {
  const look = async (): Promise<string> => (await statusOf("status")).activity.kind;
  await expect.poll(look, { interval: 500 }).toBe("donating");
}

describe("a donor that runs", () => {
  test("status says what a running donor does and why, in words and as JSON", async () => {
    await donating();
    const status = await statusOf("status");
    expect(status).toMatchObject({
      shell: "headless",
      organization: "Demo organization",
      device: "told",
      pause: null,
      activity: {
        kind: "donating",
        reason: "unattended",
        gives: expect.stringMatching(/^May use .*graphics card/),
      },
    });
    const { code, out } = await gleaner("status", "--data", folder);
    expect(code).toBe(0);
    for (const said of [status.activity.sentence, status.activity.gives ?? "?"]) expect(out).toContain(said);
    expect(out).toContain("Demo organization, as told; online.");
    expect(status.comfort).toEqual({ hours: 0, keptHours: 0 });
    expect(out).toContain("Comfort: No hour of donation was measured in the last seven days.");
  });

  test("pause lasts until resumed, for a time, or until a moment", async () => {
    const paused = await statusOf("pause");
    expect(paused).toMatchObject({ activity: { reason: "paused-by-you" }, pause: { until: null } });
    const before = Date.now();
    const forTwo = await statusOf("pause", "--for", "2h");
    expect(forTwo.pause?.until).toBeGreaterThanOrEqual(before + 2 * hour);
    expect(forTwo.pause?.until).toBeLessThanOrEqual(Date.now() + 2 * hour);
    const moment = new Date((await statusOf("pause", "--until", "17:30")).pause?.until ?? 0);
    expect([moment.getHours(), moment.getMinutes()]).toEqual([17, 30]);
    expect(moment.getTime()).toBeGreaterThan(Date.now());
    expect(await statusOf("resume")).toMatchObject({ pause: null });
  });

  test("snooze pauses for an hour, and ends by itself", async () => {
    await donating();
    const before = Date.now();
    expect((await statusOf("snooze")).pause?.until).toBeGreaterThanOrEqual(before + hour);
    await statusOf("snooze", "--for", "1s");
    await untilDonating();
  });

  test("donate-now donates for the given time", async () => {
    await statusOf("pause");
    const before = Date.now();
    const told = await statusOf("donate-now", "--for", "90m");
    expect(told).toMatchObject({ pause: null, activity: { reason: "donate-now" } });
    expect(told.donateNowUntil).toBeGreaterThanOrEqual(before + 1.5 * hour);
    expect(await statusOf("resume")).toMatchObject({ donateNowUntil: null });
  });

  test("rules lists the rules, sets one, and resets it to its default", async () => {
    const ruleOf = async (name: string, ...args: readonly string[]) => {
      const { rules } = await json(calls.rules.answer, "rules", ...args);
      return rules.find((rule) => rule.name === name);
    };
    expect(await ruleOf("maxOtherCpuLoad")).toMatchObject({ value: 1, from: "donor", locked: false });
    expect(await ruleOf("quiet", "quiet", "true")).toMatchObject({
      value: true,
      words: "yes",
      from: "donor",
    });
    expect(await ruleOf("excludedPrograms", "excludedPrograms", "obs,zoom")).toMatchObject({
      value: ["obs", "zoom"],
      words: "obs, zoom",
    });
    expect(await ruleOf("maxTemperatureC", "maxTemperatureC", "null")).toMatchObject({ words: "no limit" });
    const { out } = await gleaner("rules", "--data", folder);
    expect(out).toMatch(/^quiet +yes +you$/m);
    for (const name of ["quiet", "excludedPrograms", "maxTemperatureC"]) {
      expect(await ruleOf(name, name, "default")).toMatchObject({ from: "default" });
    }
  });

  test("a pause lasts over a restart of the donor", async () => {
    const { until } = (await statusOf("pause", "--for", "3h")).pause ?? {};
    const { child, folder: other } = await startDonor("restarted");
    await gleaner("pause", "--data", other);
    await child.stop();
    expect((await gleaner("status", "--data", other)).code).toBe(3);
    const again = await farm.startDonor("restarted", { donateNowMinutes: null });
    expect((await gleaner("status", "--data", other)).out).toContain("Paused until you run `gleaner resume`");
    await again.stop();
    expect((await statusOf("status")).pause?.until).toBe(until);
  });

  test("facts shows each fact with its source and age", async () => {
    const { facts } = await json(calls.facts.answer, "facts");
    const power = facts.find(({ name }) => name === "power");
    expect(power?.source).toBeTruthy();
    for (const { at } of facts) expect(at ?? 0).toBeLessThanOrEqual(Date.now());
    expect(facts.filter(({ fact }) => fact.known).length).toBeGreaterThanOrEqual(3);
    const { out } = await gleaner("facts", "--data", folder);
    const [table, confinement] = out.trim().split("\n\n");
    expect(table?.split("\n")).toHaveLength(facts.length + 1);
    expect(confinement).toMatch(/^Confinement of the model's process/);
    expect(out).toContain("Other programs");
  });

  test("downloads lists the models, and says which one it cannot remove", async () => {
    const { models } = await json(calls.models.answer, "downloads");
    expect(models).toMatchObject([{ modelId: farm.modelId, state: "ready" }]);
    const refused = await gleaner("downloads", "remove", farm.modelId, "--data", folder);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).not.toBe("");
    expect((await gleaner("downloads", "fetch", "no-such-model", "--data", folder)).code).toBe(1);
  });

  test("finish lets the running job end, then pauses", async () => {
    await donating();
    await statusOf("finish");
    const look = async (): Promise<CallAnswer<"status">> => statusOf("status");
    await expect.poll(look).toMatchObject({
      pause: { until: null },
      finishing: false,
      job: null,
      activity: { reason: "paused-by-you" },
    });
  });

  test("bench measures the models while the donor is paused", async () => {
    await gleaner("pause", "--data", folder);
    const { out } = await gleaner("bench", "--json", "--data", folder);
    const measured = calls.bench.answer.parse(JSON.parse(out)).models;
    expect(measured).toMatchObject([{ kind: "measured", modelId: farm.modelId, backend: "cpu", threads: 1 }]);
    const { models } = await json(calls.models.answer, "downloads");
    expect(models[0]?.speed?.prefill).toBeGreaterThan(0);
    expect(models[0]?.speed?.generate).toBeGreaterThan(0);
    expect(await gleaner("bench", "no-such-model", "--data", folder)).toMatchObject({ code: 1, out: "" });
  }, 300_000);

  test("explain covers the time since the start and counts the jobs, without their text", async () => {
    await donating();
    const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
    const messages = [{ role: "user" as const, content: "What is the capital of Norway?" }];
    const { choices } = await client.chat.completions.create({
      model: farm.modelId,
      messages,
      temperature: 0,
      max_completion_tokens: 30,
    });
    expect(choices[0]?.message.content).toContain("Oslo");
    const succeeded = async () => (await explained("--since", "1h")).jobs.succeeded;
    await expect.poll(succeeded).toBeGreaterThan(0);
    const told = await explained("--since", "1h");
    expect(told.jobs.completionTokens).toBeGreaterThan(0);
    expect(told.totals.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(["not-recorded", "unattended", "paused-by-you"]),
    );
    expect(told.spans.at(-1)).toMatchObject({ kind: "donating", reason: "unattended" });
    const { out } = await gleaner("explain", "--data", folder);
    expect(out).toContain("Paused by you");
    const journal = await readFile(join(folder, "journal.jsonl"), "utf8");
    expect(journal).toContain('"succeeded"');
    for (const said of ["Norway", "Oslo", "capital"]) expect(journal).not.toContain(said);
  });

  test("only its user can control a donor, and only one donor can use a folder", async () => {
    expect((await stat(join(folder, "control.sock"))).mode & 0o777).toBe(0o600);
    await expect(farm.startDonor("told")).rejects.toThrow(/Another Gleaner already uses this folder/);
    expect((await gleaner("status", "--data", folder)).code).toBe(0);
  });
});

test("donate in the foreground prints where the panel is, and reports that the donor ended by itself", async () => {
  const data = join(farm.folder.donorFolder, "foreground");
  // Folders that others can read, as an administrator's script may have made them.
  for (const name of ["donor", "logs"]) await mkdir(join(data, name), { recursive: true, mode: 0o755 });
  const args = ["donate", "--headless", "--panel-port", "0", "--backend", farm.backend.url, "--data", data];
  const ended = gleaner(...args, "--json");
  const look = async (): Promise<number> => (await gleaner("status", "--data", data)).code;
  await expect.poll(look, { interval: 500 }).toBe(0);
  const status = await gleaner("status", "--json", "--data", data);
  process.kill(calls.status.answer.parse(JSON.parse(status.out)).pid, "SIGKILL");
  const { code, out, err } = await ended;
  expect({ code, started: JSON.parse(out) as unknown }).toEqual({
    code: 1,
    started: { shell: "headless", panelUrl: null, panelLinkFile: expect.stringContaining(data), data },
  });
  // The output of a pipe may be a log, so the link is in a file of its owner.
  const { panelLinkFile } = JSON.parse(out) as { panelLinkFile: string };
  expect(await readFile(panelLinkFile, "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect((await stat(panelLinkFile)).mode & 0o077).toBe(0);
  for (const name of ["donor", "logs"]) expect((await stat(join(data, name))).mode & 0o077).toBe(0);
  expect(err).toContain("ended by itself (SIGKILL)");
});

describe("a donor that does not run", () => {
  test("every command says that no donor runs and what to do, and explain still works", async () => {
    await donating();
    donor.kill();
    await donor.ended;
    expect(await readdir(folder)).toContain("control.sock");
    for (const verb of [
      "status",
      "pause",
      "snooze",
      "resume",
      "finish",
      "rules",
      "facts",
      "downloads",
      "bench",
    ]) {
      const { code, out, err } = await gleaner(verb, "--data", folder);
      expect({ verb, code, out }).toEqual({ verb, code: 3, out: "" });
      expect(err).toMatch(/gleaner donate/);
    }
    expect((await explained()).spans.at(-1)).toMatchObject({ kind: "not-running", reason: "cut-off" });
  });

  test("a crashed donor can start again in its folder, and explain says when it was stopped", async () => {
    const again = await farm.startDonor("told", { donateNowMinutes: null });
    expect((await gleaner("status", "--data", folder)).code).toBe(0);
    await again.stop();
    expect(await readdir(folder)).not.toContain("control.sock");
    expect((await explained()).spans.at(-1)).toMatchObject({ kind: "not-running", reason: "stopped" });
  });
});

test.each([
  ["quiet", "5", "Use true or false."],
  ["idleAfterSeconds", "12.5", "Use a whole number from 10 to 86400."],
])("a refused value for the rule %s is answered with the allowed values", async (name, value, allowed) => {
  const { code, err } = await gleaner("rules", name, value);
  expect(code).toBe(2);
  expect(err).toContain(`${name} cannot be ${value}. ${allowed}`);
});

test.each([
  ["status", "--frob"],
  ["pause", "--for", "soon"],
  ["pause", "--for", "1h", "--until", "17:30"],
  ["snooze", "--until", "2020-01-01"],
  ["explain", "--since", "tomorrow 8:00"],
  ["downloads", "explode"],
  ["downloads", "remove"],
  ["resume", "now"],
  ["donate-now", "--for", "2d"],
  ["rules", "quiet"],
  ["rules", "quiet", "maybe"],
  ["rules", "no-such-rule", "1"],
  ["donate", "--backend", "nowhere"],
  ["dance"],
])("wrong arguments are refused: %s %s %s", async (...args) => {
  const { code, out, err } = await gleaner(...args.filter((each) => typeof each === "string"));
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("gleaner");
});

test.each([
  ...["donate", "donate-now", "status", "pause", "snooze", "finish", "resume"],
  ...["explain", "rules", "facts", "downloads", "bench"],
])("%s --help prints the usage and the exit codes", async (verb) => {
  const { code, out } = await gleaner(verb, "--help");
  expect(code).toBe(0);
  expect(out).toContain(`gleaner ${verb}`);
  expect(out).toContain("Exit codes");
});

test("the bundled command finds the program's folder, and prints its version", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const printed = await new Promise((done) => {
    execFile(process.execPath, [join(root, "out/headless/gleaner.js"), "--version"], (_, out) => done(out));
  });
  expect(printed).toBe(`${version}\n`);
});
