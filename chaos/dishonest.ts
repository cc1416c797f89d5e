import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeClient } from "../launch/farm/ask.ts";
import { type Farm, startFarm } from "../launch/farm/farm.ts";
import { demoPrompts } from "../launch/farm/prompts.ts";
import { Admin } from "./dishonest/admin.ts";
import { canaryPrompt, Cheats, names } from "./dishonest/cheats.ts";
import { foundByReplays, honestNames, verdict } from "./dishonest/verdict.ts";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "500" },
    temperature: { type: "string", default: "1" },
    minutes: { type: "string", default: "30" },
    short: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

/** Answers of honest donors. */
const wanted = values.short ? 40 : Number(values.jobs);
/** Jobs at once. */
const perRound = 12;
/** Between rounds. */
const pauseMs = values.short ? 500 : 4_000;
/** Between looks at what the backend has found. */
const lookMs = 3_000;
const mostWaitMs = 10 * 60_000;
/** For the honest donors to load the model and to answer. */
const mostStartMs = 5 * 60_000;
/** Of a cheat, to find it by. */
const enoughAnswers = 4;

const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      description: "Returns the weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

const say = (line: string): void => {
  if (!values.json) console.log(`  ${line}`);
};

/**
 * Three honest donors answer `--jobs` jobs beside devices that name the same model: one answers noise, one runs another model, one runs the
 * model with 4 bits. Then another one joins that answers only requests with tools, by nothing: no replay can test that, so it gets a canary.
 * Checks that all but the one with 4 bits are found and paid nothing, that no honest donor is accused, and that the ledger adds up. Prints
 * how each device stands. `--minutes` is the longest time for the first part. `--short` asks fewer jobs, and leaves the 4 bits out.
 */
async function main(): Promise<number> {
  // At the lowest priority other programs could stop the runners of cheats.
  process.env["GLEANER_TEST_PRIORITY"] = "normal";
  const startedAt = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "gleaner-dishonest-"));
  const farm = await startFarm();
  const cheats = new Cheats(farm, folder, 2 * wanted);
  const until = Date.now() + 60_000 * Number(values.minutes);
  try {
    const admin = await Admin.signIn(farm);
    await Promise.all(honestNames.map(async (name) => await farm.startDonor(name)));
    const load = new Load(farm, admin);
    await load.startHonest();
    await cheats.addNoise();
    await cheats.addModel(names.other);
    if (!values.short) await cheats.addModel(names.coarse);
    while (load.answeredByHonest < wanted && Date.now() < until) {
      await load.send({});
      await load.tell();
      await sleep(pauseMs);
    }
    await load.until(`${foundByReplays.join(" and ")} are out`, async () => {
      const left = await admin.notPaused(foundByReplays);
      // So many answers must suffice.
      if (left.some((name) => admin.answered(name) < enoughAnswers)) await load.send({});
      return left.length === 0 && !(await admin.isBusy());
    });
    // It gives back all jobs without tools. If corrections of earlier answers were left, it would be paused for that before its canary.
    await cheats.addSilent();
    await load.until(`${names.silent} is out`, async () => {
      if (admin.answered(names.silent) < enoughAnswers) await load.send({ tools });
      if (await admin.isUnchecked(names.silent)) await admin.askCanary(canaryPrompt);
      return (await admin.notPaused([names.silent])).length === 0 && !(await admin.isBusy());
    });
    await cheats.stop();
    const { faults: wrong, ...found } = await verdict(farm, admin, load.withTools);
    const faults = [
      ...wrong,
      ...load.waitedInVain,
      ...cheats.failures.map((failure) => `a cheat could not go on: ${String(failure)}`),
    ];
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    if (values.json) console.log(JSON.stringify({ sent: load.sent, seconds, ...found, faults }));
    else print(found);
    for (const fault of faults) console.error(`chaos: ${fault}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await cheats.stop();
    await farm.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asks questions of the demonstration, one round after the other. */
class Load {
  sent = 0;
  /** The jobs of requests with tools. */
  readonly withTools = new Set<string>();
  readonly waitedInVain: string[] = [];
  readonly #farm: Farm;
  readonly #admin: Admin;

  constructor(farm: Farm, admin: Admin) {
    this.#farm = farm;
    this.#admin = admin;
  }

  get answeredByHonest(): number {
    return honestNames.reduce((sum, name) => sum + this.#admin.answered(name), 0);
  }

  /** Asks as many questions at once as a round has. */
  async send(more: { readonly tools?: typeof tools }): Promise<void> {
    const openai = makeClient(this.#farm.backend.siteUrl, this.#farm.organization.apiKey);
    const asked = demoPrompts(this.sent + perRound)
      .slice(this.sent)
      .map(async ({ prompt }) => {
        const { id } = await openai.chat.completions.create({
          model: this.#farm.modelId,
          messages: [{ role: "user", content: prompt }],
          temperature: Number(values.temperature),
          max_completion_tokens: 96,
          ...more,
        });
        if (more.tools !== undefined) this.withTools.add(id.replace(/^chatcmpl-/, ""));
      });
    this.sent += perRound;
    for (const end of await Promise.allSettled(asked)) {
      if (end.status === "rejected") say(`a request failed: ${String(end.reason)}`);
    }
    await this.#admin.look();
  }

  /**
   * Asks until each honest donor has loaded the model and answered: before that, a cheat would be the only device. Throws if one has not
   * in time. Its requests may wait for ever.
   */
  async startHonest(): Promise<void> {
    const silent = (): readonly string[] => honestNames.filter((name) => this.#admin.answered(name) === 0);
    const end = Date.now() + mostStartMs;
    const asked = async (): Promise<void> => {
      while (silent().length > 0 && Date.now() < end) await this.send({});
    };
    await Promise.race([asked(), sleep(mostStartMs, null, { ref: false })]);
    const left = silent();
    if (left.length > 0) {
      const minutes = String(mostStartMs / 60_000);
      throw new Error(`${left.join(", ")}: no answer within ${minutes} minutes. Is the computer very busy?`);
    }
  }

  /** Waits until something is so, but not for ever. Has ended jobs counted meanwhile, so that their checks are chosen. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + mostWaitMs;
    while (!(await isSo())) {
      if (Date.now() >= end) {
        const minutes = String(mostWaitMs / 60_000);
        this.waitedInVain.push(
          `${minutes} minutes were too few until ${what}. Or a job, a check or a correction was still under way`,
        );
        return;
      }
      await this.#admin.count();
      await this.tell();
      await sleep(lookMs);
    }
  }

  async tell(): Promise<void> {
    const cases = (await this.#admin.cases()).map(({ device, state }) => `${device.name} ${state}`);
    const counted = [...new Set(cases)].map(
      (each) => `${each} ${String(cases.filter((other) => other === each).length)}`,
    );
    say(
      `${String(this.sent)} jobs, honest donors answered ${String(this.answeredByHonest)}. Cases: ${counted.join(", ")}`,
    );
  }
}

function print({
  devices,
  canaries,
}: Pick<Awaited<ReturnType<typeof verdict>>, "devices" | "canaries">): void {
  console.table(
    devices.map(({ counts, attempts: _, events: __, ...row }) => ({
      ...row,
      counts: JSON.stringify(counts),
    })),
  );
  console.table(canaries);
  for (const { name, events } of devices)
    for (const { second, detail } of events.filter(({ action }) => action === "device.paused"))
      console.log(`  ${name}, after ${String(second)} s: ${detail}`);
}

process.exitCode = await main();
