import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hourOf } from "../../app/comfort/hour.ts";
import { api } from "../../convex/_generated/api.js";
import { cuttableLine } from "../../packages/queue/worker/cuttable-line.fixture.ts";
import { type Deployment, type DonorProcess, startDeployment } from "../deployment.fixture.ts";
import { chat, endless } from "../runner/runner.fixture.ts";
import { dataNames } from "../store/data-names.ts";
import { sayingsOf, tracesIn } from "../traces.fixture.ts";
import { comfortFile } from "./comfort/comfort.ts";

const away = 9_999;
/** About 1,500 tokens to read and 300 to write, which takes the slow model some seconds. */
const long = chat("a b c ".repeat(250), { maxTokens: 300 });
const forbidden = "zanzibar-of-the-test";

describe("a donor on a real backend, with the real runner and the demo model", () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startDeployment("demo");
  });
  afterEach(() => deployment.clear());
  afterAll(() => deployment.stop(), 30_000);

  it("enrolls, takes a job, answers it and is paid", async () => {
    const donor = await deployment.startDonor("alone", away);
    const jobId = await deployment.submit(chat("What is the capital of Norway?"));
    const job = await deployment.until(jobId, ({ status }) => status === "succeeded");
    expect(job).toMatchObject({ resultText: "The capital of Norway is Oslo.", attempts: 1 });
    const { sum } = (await deployment.admin("setup:ledgerCheck", {})) as { sum: bigint };
    expect(sum).toBe(0n);
    await end(donor);
  });

  it("has its model in memory before the first job, and loads it no second time", async () => {
    const donor = await deployment.startDonor("ready", away);
    const { attemptId } = (await untilLogged(donor, "model.loaded")) as { attemptId: string };
    expect(attemptId).toMatch(/^warm-/);
    const jobId = await deployment.submit(chat("What is the capital of Norway?"));
    await deployment.until(jobId, ({ status }) => status === "succeeded");
    expect(donor.lines.filter((line) => line.includes('"model.loaded"'))).toHaveLength(1);
    await donor.setIdle(0);
    await untilLogged(donor, "donor.yielded");
    await end(donor);
  });

  it("shows that it was retired, calls no more, and works again after it is reinstated", async () => {
    const donor = await deployment.startDonor("retiree", away);
    const client = new ConvexHttpClient(deployment.url, { logger: false });
    const [token, session] = ["gs_token", "gs_session"].map((name) => name.padEnd(46, "0")) as [
      string,
      string,
    ];
    const tokenHash = createHash("sha256").update(token).digest("hex");
    await deployment.admin("setup:signInLink", { tokenHash });
    await client.mutation(api.console.account.signIn, { token, session });
    const first = await deployment.submit(chat("First", { maxTokens: 5 }));
    await deployment.until(first, ({ status }) => status === "succeeded");
    const paginationOpts = { numItems: 10, cursor: null };
    const { page } = await client.query(api.console.devices.list, { session, paginationOpts });
    const { deviceId } = page.find(({ name }) => name === "retiree")!;

    await client.mutation(api.console.devices.retire, { session, deviceId });
    await until(() => lastActivity(donor)?.reason === "retired");
    // Each call is refused once. A loop would have repeated them by now.
    await sleep(5_000);
    const refused = donor.lines.filter((line) => /"(hello|report|model-report)\.refused"/.test(line));
    expect(refused.length).toBeLessThanOrEqual(3);
    expect(lastActivity(donor)).toMatchObject({ kind: "standby", reason: "retired" });

    const jobId = await deployment.submit(chat("Again", { maxTokens: 5 }));
    await client.mutation(api.console.devices.reinstate, { session, deviceId });
    expect(await deployment.until(jobId, ({ status }) => status === "succeeded")).toMatchObject({
      attempts: 1,
    });
    await end(donor);
  });

  it("writes no prompt and no answer to disk or log", async () => {
    const donor = await deployment.startDonor("discreet", away);
    const asked = `What is the capital of Norway? ${forbidden}`;
    for (const prompt of [asked, "What is the capital of Norway?"]) {
      const jobId = await deployment.submit(chat(prompt), true);
      const { resultText } = await deployment.until(jobId, ({ status }) => status === "succeeded");
      expect(resultText).not.toBe("");
      if (prompt !== asked) expect(resultText).toBe("The capital of Norway is Oslo.");
    }
    await end(donor);
    const log = sayingsOf(donor.lines);
    // Otherwise the log would be empty and prove nothing.
    expect(log).toContain("worker.wake");
    const secrets = [forbidden, "Norway", "Oslo"];
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
    expect(await tracesIn(donor.dataDir, secrets)).toEqual([]);
    const { deviceKey } = JSON.parse(await readFile(join(donor.dataDir, "device.json"), "utf8")) as {
      deviceKey: string;
    };
    expect(donor.lines.join("\n")).not.toContain(deviceKey);
  });
});

describe("a donor in the middle of a long job", { timeout: 300_000 }, () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startDeployment("slow");
  });
  afterEach(() => deployment.clear());
  afterAll(() => deployment.stop(), 30_000);

  it("streams the text of a watched job", async () => {
    const donor = await deployment.startDonor("streamer", away);
    const jobId = await deployment.submit(chat("Talk", { maxTokens: 700, temperature: 1, seed: 3 }), true);
    const seen = await deployment.until(jobId, ({ status, text }) => status === "running" && text !== "");
    const job = await deployment.until(jobId, ({ status }) => status === "succeeded");
    expect(job.resultText?.startsWith(seen.text)).toBe(true);
    expect(job.text).toBe(job.resultText);
    await end(donor);
  });

  it("releases a job when the person returns, measures that, and finishes it when they are away again", async () => {
    const startedAt = Date.now();
    const donor = await deployment.startDonor("interrupted", away);
    const jobId = await deployment.submit(long);
    await atWork(deployment, jobId);
    const returnedAt = Date.now();
    await donor.setIdle(0);
    await deployment.until(jobId, ({ status }) => status === "queued");
    const yielded = await untilLogged(donor, "donor.yielded");
    console.log(`given back ${Date.now() - returnedAt} ms after the input; the runner stopped in`, yielded);
    expect(yielded).toMatchObject({ reason: "in-use" });
    await donor.setIdle(away);
    const job = await deployment.until(jobId, ({ status }) => status === "succeeded");
    expect(job.attempts).toBe(2);
    await end(donor);
    const text = await readFile(join(donor.dataDir, dataNames.comfort), "utf8");
    const { open } = comfortFile.parse(JSON.parse(text));
    const isOneHour = hourOf(startedAt) === hourOf(Date.now());
    expect(open?.yieldMs.length).toBeGreaterThanOrEqual(isOneHour ? 1 : 0);
    expect(open?.donatedMs).toBeGreaterThan(0);
  });

  it("rests while somebody types on a computer in use, and releases the job if they keep typing", async () => {
    const donor = await deployment.startDonor("limited", 15, undefined, {
      rules: { inUse: { mode: "limited", threads: 1, gpu: false, memoryMb: 4_096 } },
    });
    const jobId = await deployment.submit(endless("Talk"), true);
    await atWork(deployment, jobId);
    await donor.setIdle(0);
    const settled = await settledText(deployment, jobId);
    await donor.setIdle(5);
    await deployment.until(jobId, ({ text }) => text.length > settled.length);
    await donor.setIdle(0);
    await settledText(deployment, jobId);
    expect(await deployment.until(jobId, ({ status }) => status === "queued")).toMatchObject({ attempts: 1 });
    expect(await untilLogged(donor, "donor.yielded")).toMatchObject({ reason: "in-use" });
    await deployment.cancel(jobId);
    await end(donor);
  });

  it("stops a job that its requester cancels, and takes the next", async () => {
    const donor = await deployment.startDonor("canceled", away);
    const jobId = await deployment.submit(endless("Talk"));
    await atWork(deployment, jobId);
    await deployment.cancel(jobId);
    const next = await deployment.submit(chat("Next", { maxTokens: 5 }));
    expect(await deployment.until(next, ({ status }) => status === "succeeded")).toMatchObject({
      attempts: 1,
    });
    await untilLogged(donor, "attempt.completed");
    expect(await deployment.until(jobId, ({ status }) => status !== "running")).toMatchObject({
      status: "canceled",
      resultText: null,
    });
    await end(donor);
  });

  it("releases its job and says goodbye on SIGTERM before the job ends", async () => {
    const donor = await deployment.startDonor("leaver", away);
    const jobId = await deployment.submit(long);
    await atWork(deployment, jobId);
    donor.process.kill("SIGTERM");
    expect(await donor.exited).toBe(0);
    await deployment.until(jobId, ({ status }) => status === "queued");
    const other = await deployment.startDonor("successor", away);
    expect(await deployment.until(jobId, ({ status }) => status === "succeeded")).toMatchObject({
      attempts: 2,
    });
    await end(other);
  });

  it("keeps its job while the network is interrupted", async () => {
    const line = await cuttableLine(new URL(deployment.url));
    const donor = await deployment.startDonor("cut-off", away, line.url);
    const jobId = await deployment.submit(long);
    await atWork(deployment, jobId);
    line.cut();
    await sleep(2_000);
    line.restore();
    const job = await deployment.until(jobId, ({ status }) => status === "succeeded");
    expect(job.attempts).toBe(1);
    expect(donor.lines.filter((text) => text.includes('"attempt.released"'))).toEqual([]);
    await end(donor);
    await line.close();
  });

  it("loses no job when a donor is killed, because another finishes it", async () => {
    const victim = await deployment.startDonor("victim", away);
    const heir = await deployment.startDonor("heir", 0);
    const jobId = await deployment.submit(long);
    await atWork(deployment, jobId);
    const runner = ((await untilLogged(victim, "runner.spawned")) as { pid: number }).pid;
    victim.process.kill("SIGKILL");
    // It has the lowest priority, so on a busy machine it may end late.
    await goneWithin(runner, 30_000);
    await heir.setIdle(away);
    const job = await deployment.until(jobId, ({ status }) => status === "succeeded", 200_000);
    expect(job.attempts).toBe(2);
    await end(heir);
  });
});

/** Resolves when the job is claimed and the runner is likely to be reading its prompt. */
async function atWork(deployment: Deployment, jobId: Parameters<Deployment["until"]>[0]): Promise<void> {
  await deployment.until(jobId, ({ status }) => status === "running");
  await sleep(800);
}

/** The text of a running job, once it no longer grows. */
async function settledText(deployment: Deployment, jobId: string): Promise<string> {
  for (let before: string | null = null; ;) {
    const { text } = await deployment.until(jobId, ({ status }) => status === "running");
    if (text === before) return text;
    before = text;
    await sleep(1_500);
  }
}

/** Resolves when the runner has ended. It must not outlive its donor. */
async function goneWithin(pid: number, ms: number): Promise<void> {
  const until = Date.now() + ms;
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    if (Date.now() > until) throw new Error(`the runner ${pid} outlives its donor`);
    await sleep(20);
  }
}

async function end(donor: DonorProcess): Promise<void> {
  donor.process.kill("SIGTERM");
  expect(await donor.exited).toBe(0);
}

/** Polls, because the backend may know an outcome before the donor has logged it. */
async function untilLogged(donor: DonorProcess, event: string): Promise<unknown> {
  for (let i = 0; i < 1_500; i++) {
    const line = logged(donor, event);
    if (line !== null) return line;
    await sleep(20);
  }
  throw new Error(`${event} was never logged`);
}

function lastActivity(donor: DonorProcess): { kind: string; reason: string } | null {
  return logged(donor, "donor.activity") as { kind: string; reason: string } | null;
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1_500 && !holds(); i++) await sleep(20);
  expect(holds()).toBe(true);
}

function logged(donor: DonorProcess, event: string): unknown {
  const lines = donor.lines.filter((line) => line.includes(`"${event}"`));
  return lines.length === 0 ? null : JSON.parse(lines.at(-1) as string);
}
