import { alteredModel, BenchRunner } from "../../bench/trust/answers.ts";
import type { Farm } from "../../launch/farm/farm.ts";
import { demoModel } from "../../main/runner/runner.fixture.ts";
import { withFewerBits, withNoise } from "../../scripts/demo-model/gguf/altered-models.ts";
import { nothing, randomWords } from "../malicious/lies.ts";
import { type Conduct, MaliciousDevice } from "../malicious/malicious-device.ts";
import { withOtherModel } from "../malicious/other-model.ts";

export const names = {
  noise: "noise",
  other: "another model",
  coarse: "4 bits",
  silent: "nothing for tools",
} as const;

const noise: Conduct = { kinds: ["chat"], tell: () => randomWords(24) };

const ofCanary = "about the trip to";
/** No question of the demonstration is like it. */
export const canaryPrompt = `Write a short email to {name} ${ofCanary} {city} on day {number}.`;

/**
 * Answers requests with tools by nothing, which no replay can judge, and its canary by noise. It gives others back: corrections of earlier
 * answers, for which a replay would find it.
 */
const silent: Conduct = {
  kinds: ["chat"],
  tell: ({ payload }) => {
    if (Object.hasOwn(payload as object, "tools")) return nothing();
    return JSON.stringify(payload).includes(ofCanary) ? randomWords(24) : { kind: "release", afterMs: 0 };
  },
};

/** Devices that name the demo model and do not run it. They take jobs until `stop`. */
export class Cheats {
  readonly #farm: Farm;
  readonly #folder: string;
  readonly #mostJobs: number;
  readonly #runners: BenchRunner[] = [];
  readonly #devices: MaliciousDevice[] = [];
  readonly #working: Promise<unknown>[] = [];
  readonly failures: unknown[] = [];

  constructor(farm: Farm, folder: string, mostJobs: number) {
    this.#farm = farm;
    this.#folder = folder;
    this.#mostJobs = mostJobs;
  }

  async addNoise(): Promise<void> {
    await this.#add(names.noise, noise);
  }

  async addSilent(): Promise<void> {
    await this.#add(names.silent, silent);
  }

  /** A device with the weights of the demo model and noise, or with fewer bits. It also checks answers of others with that. */
  async addModel(name: typeof names.other | typeof names.coarse): Promise<void> {
    const model = await demoModel();
    const file = await alteredModel(model, this.#folder, name, (gguf) =>
      name === names.other ? withNoise(gguf, 1) : withFewerBits(gguf, 4),
    );
    const runner = new BenchRunner();
    this.#runners.push(runner);
    await this.#add(name, withOtherModel(runner, file, model));
  }

  async #add(name: string, conduct: Conduct): Promise<void> {
    const device = await MaliciousDevice.enroll(this.#farm, name, conduct);
    this.#devices.push(device);
    this.#working.push(device.work(this.#mostJobs).catch((error: unknown) => this.failures.push(error)));
  }

  async stop(): Promise<void> {
    for (const device of this.#devices) device.stop();
    await Promise.all(this.#working);
    for (const runner of this.#runners) await runner.stop();
  }
}
