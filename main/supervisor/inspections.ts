import type { ModelFigures, ModelFile } from "../../app/contract/runner.ts";
import { withResolvers } from "../with-resolvers.ts";

type Inspection = {
  readonly model: ModelFile;
  readonly figures: Promise<ModelFigures | null>;
  readonly resolve: (figures: ModelFigures | null) => void;
  sent: boolean;
};

/** The models' files whose heads a runner is asked to read: each once, however many want to know. */
export class Inspections {
  readonly #pending = new Map<string, Inspection>();

  get any(): boolean {
    return this.#pending.size > 0;
  }

  get anyToSend(): boolean {
    return [...this.#pending.values()].some(({ sent }) => !sent);
  }

  ask(model: ModelFile): Promise<ModelFigures | null> {
    const pending = this.#pending.get(model.sha256);
    if (pending !== undefined) return pending.figures;
    const { promise, resolve } = withResolvers<ModelFigures | null>();
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

  answered(sha256: string, figures: ModelFigures | null): void {
    this.#pending.get(sha256)?.resolve(figures);
    this.#pending.delete(sha256);
  }

  /** Nobody is to look any more: whoever still wants to know asks again. */
  giveUp(): void {
    for (const sha256 of [...this.#pending.keys()]) this.answered(sha256, null);
  }

  /** Nobody answers any more what was sent. */
  processGone(): void {
    for (const { sent, model } of this.#pending.values()) if (sent) this.answered(model.sha256, null);
  }
}
