import type { ModelFigures, ModelFile } from "../../app/contract/runner.ts";

type Inspection = {
  readonly model: ModelFile;
  readonly figures: Promise<ModelFigures | null>;
  readonly resolve: (figures: ModelFigures | null) => void;
  sent: boolean;
};

/** Requests to read the head of a model's file. Requests for the same file share one inspection. */
export class Inspections {
  readonly #pending = new Map<string, Inspection>();

  get any(): boolean {
    return this.#pending.size > 0;
  }

  get anyToSend(): boolean {
    return [...this.#pending.values()].some(({ sent }) => !sent);
  }

  /** Resolves with null if llama.cpp cannot run the file, or if the inspection was dropped. */
  request(model: ModelFile): Promise<ModelFigures | null> {
    const pending = this.#pending.get(model.sha256);
    if (pending !== undefined) return pending.figures;
    const { promise, resolve } = Promise.withResolvers<ModelFigures | null>();
    this.#pending.set(model.sha256, { model, figures: promise, resolve, sent: false });
    return promise;
  }

  send(to: (model: ModelFile) => void): void {
    for (const inspection of this.#pending.values()) {
      if (inspection.sent) continue;
      inspection.sent = true;
      to(inspection.model);
    }
  }

  settle(sha256: string, figures: ModelFigures | null): void {
    this.#pending.get(sha256)?.resolve(figures);
    this.#pending.delete(sha256);
  }

  dropAll(): void {
    for (const sha256 of [...this.#pending.keys()]) this.settle(sha256, null);
  }

  /** Drops the inspections that the process had, since it has exited. */
  dropSent(): void {
    for (const { sent, model } of this.#pending.values()) if (sent) this.settle(model.sha256, null);
  }
}
