import { totalmem } from "node:os";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { WorkView } from "../../app/contract/snapshot.ts";
import { api } from "../../convex/_generated/api.js";
import { type ChatRunner, chatHandler } from "../chat/chat-work.ts";
import type { Log } from "../log.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import type { WorkerClient } from "../worker/calls.ts";
import { Worker } from "../worker/worker.ts";
import type { Abilities } from "../worker/worker-options.ts";
import type { OrganizationModel } from "./organization.ts";

export type DonatedWorkParts = {
  readonly client: WorkerClient;
  readonly deviceKey: string;
  readonly runner: ChatRunner & { yield(): Promise<void>; stop(): Promise<void> };
  readonly catalogue: ModelCatalogue;
  readonly threads: number;
  readonly version: string;
  readonly log: Log;
  /** The organization's models. */
  readonly wanted: () => readonly OrganizationModel[];
  readonly onWork: (view: WorkView | null) => void;
  /** The backend knows this connection. */
  readonly onGreeted: () => void;
};

/** What a donor gives: a worker of the organization's queue that answers chat jobs with the models that are on this device. */
export class DonatedWork {
  readonly #parts: DonatedWorkParts;
  readonly #worker: Worker;
  #member = false;

  constructor(parts: DonatedWorkParts) {
    this.#parts = parts;
    const { client, runner, catalogue, threads, log, onWork, onGreeted } = parts;
    const chat = chatHandler({
      ...{ runner, threads, log, onWork },
      findModel: (modelId) => this.usableModels.find((model) => model.modelId === modelId) ?? null,
      onBadModel: (sha256) => void catalogue.recheck(sha256),
      onRest: (until) => this.#worker.rest(until),
    });
    this.#worker = new Worker(client, {
      key: parts.deviceKey,
      functions: api.work,
      handlers: { chat },
      capabilities: this.#abilities(),
      version: parts.version,
      accepting: false,
      log,
      onEvent: ({ kind }) => {
        if (kind === "greeted") onGreeted();
      },
    });
  }

  /** The organization's models that are on this device and verified. */
  get usableModels(): readonly ModelFile[] {
    const { wanted, catalogue } = this.#parts;
    return wanted().flatMap((model) => catalogue.find(model) ?? []);
  }

  /** @param member whether the organization counts this device as its own, not retired. */
  wantedChanged(member: boolean): void {
    this.modelsChanged();
    if (member && !this.#member) this.#worker.start();
    this.#member = member;
  }

  modelsChanged(): void {
    this.#worker.setCapabilities(this.#abilities());
  }

  accept(): void {
    this.#worker.accept();
  }

  /** Resolves when the runner is off the CPU and its memory freed; the job is given back meanwhile. */
  async yield(reason: string): Promise<void> {
    await this.#worker.pause(reason);
    await this.#parts.runner.yield();
  }

  /** Gives everything back and says goodbye, as far as that can be done within `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    await this.#worker.stop({ finishMs: 0, leaveMs: withinMs });
    await this.#parts.runner.stop();
  }

  #abilities(): Abilities {
    const memoryMb = Math.floor(totalmem() / 2 ** 20);
    return { memoryMb, models: this.usableModels.map((model) => model.modelId).sort() };
  }
}
