import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ConvexHttpClient } from "convex/browser";
import { alteredModel, BenchRunner } from "../bench/trust/answers.ts";
import { api } from "../convex/_generated/api.js";
import { makeClient } from "../launch/farm/ask.ts";
import { type Farm, startFarm } from "../launch/farm/farm.ts";
import { ledgerFaults } from "../launch/farm/ledger-faults.ts";
import { demoPrompts } from "../launch/farm/prompts.ts";
import { listDevices } from "../launch/farm/watcher.ts";
import { makeSecret } from "../launch/organization/secrets.ts";
import { demoModel } from "../main/runner/runner.fixture.ts";
import { withFewerBits, withNoise } from "../scripts/demo-model/gguf/altered-models.ts";
import { randomWords } from "./malicious/lies.ts";
import { type Conduct, MaliciousDevice } from "./malicious/malicious-device.ts";
import { withOtherModel } from "./malicious/other-model.ts";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "500" },
    temperature: { type: "string", default: "1" },
    minutes: { type: "string", default: "30" },
    json: { type: "boolean", default: false },
  },
});

const honestNames = ["honest-1", "honest-2", "honest-3"];

/** Devices that name the demo model, and have to be found. */
const mustBeFound = ["noise", "another model"];

/** Jobs at once. */
const perRound = 12;
/** Between rounds. The backend chooses up to a minute after an answer whether it is replayed. */
const pauseMs = 4_000;
const chosenWithinMs = 100_000;

const say = (line: string): void => {
  if (!values.json) console.log(line);
};

/**
 * Three honest donors answer `--jobs` jobs beside three devices that name the same model: one answers noise, one runs another
 * model, one runs the model with 4 bits. Checks that the first two are found and paid nothing, that no honest donor is accused, and
 * that the ledger adds up. Prints how each device stands.
 */
async function main(): Promise<number> {
  const wanted = Number(values.jobs);
  const folder = await mkdtemp(join(tmpdir(), "gleaner-dishonest-"));
  const farm = await startFarm();
  const runners = [new BenchRunner(), new BenchRunner()] as const;
  try {
    const admin = await Admin.signIn(farm);
    for (const name of honestNames) await farm.startDonor(name);
    let sent = 0;
    // Until each honest donor has loaded the model, a cheat would be the only device.
    while (!honestNames.every((name) => admin.answered(name) > 0)) {
      sent += await send(farm, sent);
      await admin.look();
    }
    const cheats = await enrollCheats(farm, folder, runners);
    const working = Promise.all(cheats.map(async (cheat) => await cheat.work(2 * wanted)));
    const until = Date.now() + 60_000 * Number(values.minutes);
    while (admin.answeredByHonest < wanted && Date.now() < until) {
      sent += await send(farm, sent);
      await admin.look();
      const found = (await admin.cases()).map(({ device, state }) => `${device.name} ${state}`);
      say(
        `  ${String(sent)} jobs, honest donors answered ${String(admin.answeredByHonest)}. Cases: ${found.join(", ")}`,
      );
      await sleep(pauseMs);
    }
    for (const cheat of cheats) cheat.stop();
    await working;
    await sleep(chosenWithinMs);
    await admin.untilChecked(until);
    return await verdict(farm, admin, sent);
  } finally {
    for (const runner of runners) await runner.stop();
    await farm.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function enrollCheats(
  farm: Farm,
  folder: string,
  [first, second]: readonly [BenchRunner, BenchRunner],
): Promise<readonly MaliciousDevice[]> {
  const model = await demoModel();
  const other = await alteredModel(model, folder, "other", (file) => withNoise(file, 1));
  const coarse = await alteredModel(model, folder, "coarse", (file) => withFewerBits(file, 4));
  const noise: Conduct = { kinds: ["chat"], tell: () => randomWords(24) };
  return [
    await MaliciousDevice.enroll(farm, "noise", noise),
    await MaliciousDevice.enroll(farm, "another model", withOtherModel(first, other, model)),
    await MaliciousDevice.enroll(farm, "4 bits", withOtherModel(second, coarse, model)),
  ];
}

/** Asks as many questions at once as a round has. @returns their number. */
async function send(farm: Farm, sent: number): Promise<number> {
  const openai = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  const asked = demoPrompts(sent + perRound)
    .slice(sent)
    .map(async ({ prompt }) => {
      await openai.chat.completions.create({
        model: farm.modelId,
        messages: [{ role: "user", content: prompt }],
        temperature: Number(values.temperature),
        max_completion_tokens: 96,
      });
    });
  for (const end of await Promise.allSettled(asked)) {
    if (end.status === "rejected") say(`  a request failed: ${String(end.reason)}`);
  }
  return perRound;
}

const page = { paginationOpts: { numItems: 100, cursor: null } };

/** An owner, who sees what the console shows. */
class Admin {
  readonly #client: ConvexHttpClient;
  readonly #session: string;
  /** The answers that were seen, by job, with the names of their devices. */
  readonly #seen = new Map<string, string>();

  private constructor(client: ConvexHttpClient, session: string) {
    this.#client = client;
    this.#session = session;
  }

  static async signIn(farm: Farm): Promise<Admin> {
    const client = new ConvexHttpClient(farm.backend.url, { logger: false });
    const session = makeSecret("gs_");
    const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
    await client.mutation(api.console.account.signIn, { token, session });
    await client.mutation(api.console.fleet.checks.setMode, { session, mode: "act" });
    return new Admin(client, session);
  }

  answered(name: string): number {
    return [...this.#seen.values()].filter((answered) => answered === name).length;
  }

  get answeredByHonest(): number {
    return honestNames.reduce((sum, name) => sum + this.answered(name), 0);
  }

  /** Reads the newest jobs. */
  async look(): Promise<void> {
    const jobs = await this.#client.query(api.console.jobs.list, { session: this.#session, ...page });
    for (const { jobId, attempts } of jobs.page) {
      const last = attempts.find(({ status }) => status === "succeeded");
      if (last !== undefined) this.#seen.set(jobId, last.deviceName);
    }
  }

  /** Waits until no check waits and no case is open. */
  async untilChecked(until: number): Promise<void> {
    while (Date.now() < until) {
      const [checks, cases] = await Promise.all([this.checks(), this.cases()]);
      const isOpen =
        checks.some(({ state }) => state === "waiting") || cases.some(({ state }) => state === "open");
      if (!isOpen) return;
      await sleep(2_000);
    }
  }

  async checks() {
    return (await this.#client.query(api.console.fleet.checks.recent, { session: this.#session, ...page }))
      .page;
  }

  async cases() {
    return (await this.#client.query(api.console.fleet.checks.cases, { session: this.#session, ...page }))
      .page;
  }

  async devices() {
    const rows = await listDevices(this.#client, this.#session);
    return await Promise.all(
      rows.map(async ({ deviceId, name, status, earnedMicro }) => {
        const standing = await this.#client.query(api.console.fleet.checks.standings, {
          session: this.#session,
          deviceId,
          now: Date.now(),
        });
        const counts = standing.models[0]?.standing.counts ?? {};
        return { name, status, earnedMicro, answers: this.answered(name), counts };
      }),
    );
  }
}

async function verdict(farm: Farm, admin: Admin, sent: number): Promise<number> {
  const [devices, cases] = await Promise.all([admin.devices(), admin.cases()]);
  const rows = devices.map(({ name, status, earnedMicro, answers, counts }) => {
    const ofDevice = cases.filter(({ device }) => device.name === name);
    const ended = (state: string) => ofDevice.filter((found) => found.state === state).length;
    return {
      name,
      status,
      answers,
      counts,
      earnedMicro: Number(earnedMicro),
      wrong: ended("wrong"),
      right: ended("right"),
      undecided: ended("undecided"),
    };
  });
  const honest = rows.filter(({ name }) => honestNames.includes(name));
  const faults = [
    ...rows
      .filter(({ name, status, earnedMicro }) => {
        const wasFound = status === "paused" && earnedMicro === 0;
        return mustBeFound.includes(name) && !wasFound;
      })
      .map(
        ({ name, status, earnedMicro }) =>
          `the device "${name}" is ${status} and earned ${String(earnedMicro)} micro-credits`,
      ),
    ...honest
      .filter(({ wrong, status }) => wrong > 0 || status === "paused")
      .map(({ name }) => `${name} was accused, and is honest`),
    ...ledgerFaults(await farm.setup.ledgerCheck()),
  ];
  if (values.json) console.log(JSON.stringify({ sent, devices: rows, faults }));
  else console.table(rows.map(({ counts, ...row }) => ({ ...row, counts: JSON.stringify(counts) })));
  for (const fault of faults) console.error(`chaos: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

process.exitCode = await main();
