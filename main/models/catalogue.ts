import type { ModelFile } from "../../app/contract/runner.ts";
import type { ModelView } from "../../app/contract/snapshot.ts";
import type { Log } from "../log.ts";
import { verifyFile } from "./verify-file.ts";

export type ModelState = ModelView["state"];

/** What the organization asks for by name and hash. */
export type WantedModel = Pick<ModelFile, "modelId" | "sha256" | "sizeBytes">;

/**
 * The model files on this device, each verified once before it is offered (and by the runner again before
 * every load). Files come from the program's own resources; downloaded ones will be added with `add`.
 */
export class ModelCatalogue {
  readonly #files = new Map<string, { readonly file: ModelFile; state: ModelState }>();
  readonly #log: Log;
  #onChange: () => void = () => undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Verifies the file and keeps its state. Also for a file that is known: then it is looked at again. */
  async add(file: ModelFile): Promise<void> {
    const entry = { file, state: "verifying" as ModelState };
    this.#files.set(file.sha256, entry);
    this.#onChange();
    const verified = await verifyFile(file);
    if (this.#files.get(file.sha256) !== entry) return;
    entry.state = verified.kind === "ok" ? "ready" : verified.kind === "missing" ? "missing" : "corrupt";
    if (entry.state !== "ready") {
      this.#log("error", "model.unusable", { modelId: file.modelId, state: entry.state });
    }
    this.#onChange();
  }

  /** After a job could not load it: the file may have changed since it was verified. */
  async recheck(sha256: string): Promise<void> {
    const entry = this.#files.get(sha256);
    if (entry !== undefined) await this.add(entry.file);
  }

  /** The file for a model that the organization wants, under the organization's name for it; null when it is not ready. */
  find(wanted: WantedModel): ModelFile | null {
    const entry = this.#files.get(wanted.sha256);
    if (entry?.state !== "ready" || entry.file.sizeBytes !== wanted.sizeBytes) return null;
    return { ...entry.file, modelId: wanted.modelId };
  }

  stateOf(wanted: WantedModel): ModelState {
    const entry = this.#files.get(wanted.sha256);
    if (entry === undefined || entry.file.sizeBytes !== wanted.sizeBytes) return "missing";
    return entry.state;
  }
}
