import * as z from "zod";
import { type ModelFigures, modelFigures } from "../../../app/contract/runner.ts";
import { type MeasuredSpeed, measuredSpeed, smoothedSpeed } from "../../../app/contract/speed.ts";
import { errorName, type Log } from "../../log.ts";
import { loadJson, saveJson } from "../../store/json-file.ts";
import { SerialWrites } from "../../store/serial-writes.ts";

const known = z.object({
  figures: modelFigures.nullable(),
  speed: measuredSpeed
    .unwrap()
    .extend({ threads: z.number().min(0) })
    .nullable(),
});
const stored = z.object({ version: z.literal(3), models: z.record(z.string(), known) });

type Known = z.infer<typeof known>;

/** The oldest entries beyond this number are dropped. */
const mostModels = 200;
const saveAfterMs = 2_000;

/** Facts that this device has found out about models, by their files' SHA-256. Stored in the donor's folder. */
export class ModelKnowledge {
  readonly #path: string;
  readonly #log: Log;
  readonly #models: Map<string, Known>;
  #timer: NodeJS.Timeout | null = null;
  readonly #writes = new SerialWrites();

  private constructor(path: string, log: Log, models: Map<string, Known>) {
    this.#path = path;
    this.#log = log;
    this.#models = models;
  }

  /** A file that cannot be parsed is moved aside: all its facts can be found out again. */
  static async open(path: string, log: Log): Promise<ModelKnowledge> {
    const loaded = await loadJson(path, stored);
    if (loaded.kind === "corrupt") log("warn", "models.knowledge-put-aside", { movedTo: loaded.movedTo });
    const models = loaded.kind === "loaded" ? Object.entries(loaded.value.models) : [];
    return new ModelKnowledge(path, log, new Map(models));
  }

  figures(sha256: string): ModelFigures | null {
    return this.#models.get(sha256)?.figures ?? null;
  }

  speed(sha256: string): MeasuredSpeed | null {
    const speed = this.#models.get(sha256)?.speed;
    if (speed == null) return null;
    const { prefill, generate, backend } = speed;
    return { prefill, generate, backend };
  }

  setFigures(sha256: string, figures: ModelFigures): void {
    this.#set(sha256, { ...this.#of(sha256), figures });
  }

  /** A speed with another backend or number of threads replaces the known one. */
  addSpeed(sha256: string, { backend, ...measured }: MeasuredSpeed, threads: number): void {
    const { speed, figures } = this.#of(sha256);
    const same = speed?.backend === backend && speed.threads === threads;
    this.#set(sha256, {
      figures,
      speed: { ...smoothedSpeed(same ? speed : null, measured), backend, threads },
    });
  }

  /** Resolves when everything is on the disk. Later facts are not stored. */
  async close(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#save();
    }
    await this.#writes.close();
  }

  #of(sha256: string): Known {
    return this.#models.get(sha256) ?? { figures: null, speed: null };
  }

  #set(sha256: string, value: Known): void {
    this.#models.set(sha256, value);
    for (const first of this.#models.keys()) {
      if (this.#models.size <= mostModels) break;
      this.#models.delete(first);
    }
    this.#timer ??= setTimeout(() => this.#save(), saveAfterMs).unref();
  }

  #save(): void {
    this.#timer = null;
    const value = { version: 3, models: Object.fromEntries(this.#models) };
    this.#writes
      .run(() => saveJson(this.#path, value))
      .catch((error: unknown) => this.#log("warn", "models.knowledge-unsaved", { error: errorName(error) }));
  }
}
