import { z } from "zod";
import type { Backend, ModelFigures, Speed } from "../../../app/contract/runner.ts";
import { errorName, type Log } from "../../log.ts";
import { afterAnother } from "../../runner/speed.ts";
import { loadJson, saveJson } from "../../store/json-file.ts";

const amount = z.number().min(0);
const known = z.object({
  figures: z
    .object({
      modelBytes: amount,
      contextBytes: amount,
      tokenBytes: amount,
      embeddingBytes: amount,
      embeddingTokenBytes: amount,
      trainedTokens: amount,
      layers: amount,
    })
    .nullable(),
  speed: z
    .object({
      prefill: amount,
      generate: amount,
      backend: z.enum(["cpu", "cuda", "vulkan", "metal"]),
      threads: amount,
    })
    .nullable(),
});
const stored = z.object({ version: z.literal(3), models: z.record(z.string(), known) });

export type MeasuredSpeed = Speed & { readonly backend: Backend };
type Known = z.infer<typeof known>;

/** Models that were here once, and may be again: more are forgotten, the ones that were known first. */
const mostModels = 200;
const saveAfterMs = 2_000;

/** What was found out on this device about models, by their files' SHA-256: kept in the donor's folder. */
export class ModelKnowledge {
  readonly #path: string;
  readonly #log: Log;
  readonly #models: Map<string, Known>;
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<void> = Promise.resolve();

  private constructor(path: string, log: Log, models: Map<string, Known>) {
    this.#path = path;
    this.#log = log;
    this.#models = models;
  }

  /** A file that cannot be understood is put aside: all of it can be found out anew. */
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

  /** A speed with another backend, or with other threads, is another speed. */
  addSpeed(sha256: string, { backend, ...measured }: MeasuredSpeed, threads: number): void {
    const { speed, figures } = this.#of(sha256);
    const same = speed?.backend === backend && speed.threads === threads;
    this.#set(sha256, {
      figures,
      speed: { ...afterAnother(same ? speed : null, measured), backend, threads },
    });
  }

  /** Resolves when everything is on the disk. */
  async flush(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#save();
    }
    await this.#saving;
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
    this.#saving = this.#saving
      .then(() => saveJson(this.#path, value))
      .catch((error: unknown) => this.#log("warn", "models.knowledge-unsaved", { error: errorName(error) }));
  }
}
