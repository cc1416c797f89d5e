import type { ModelFile } from "../../app/contract/runner.ts";
import type { Log } from "../log.ts";
import { type FileStamp, stampOf, verifyFile } from "./verify-file.ts";

/** A file on this device. */
export type ModelState = "ready" | "missing" | "corrupt" | "verifying";

/** What the organization asks for by name and hash. */
export type WantedModel = Pick<ModelFile, "modelId" | "sha256" | "sizeBytes">;

type Entry = {
  readonly file: ModelFile;
  state: ModelState;
  /** The stamp of the bytes that were found corrupt: the same bytes need not be read again. */
  corruptStamp: FileStamp | null;
  /** The unusable state that was logged last. */
  logged: ModelState | null;
  looks: number;
};

/** While a file is unusable, it is looked at again this often: somebody may have repaired it. */
const lookAgainMs = 60_000;

/**
 * The model files on this device, each verified once before it is offered (and by the runner again before
 * every load). Files come from the program's own resources, and from the model store, which downloads them.
 */
export class ModelCatalogue {
  readonly #files = new Map<string, Entry>();
  readonly #log: Log;
  readonly #lookAgainMs: number;
  #onChange: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(log: Log, everyMs: number = lookAgainMs) {
    this.#log = log;
    this.#lookAgainMs = everyMs;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Verifies the file and keeps its state. Also for a file that is known: then it is looked at again. */
  async add(file: ModelFile): Promise<void> {
    const entry: Entry = { file, state: "verifying", corruptStamp: null, logged: null, looks: 0 };
    this.#files.set(file.sha256, entry);
    this.#onChange();
    await this.#verify(entry);
  }

  /** A file that was verified this very moment: it is not read again. */
  adopt(file: ModelFile): void {
    this.#files.set(file.sha256, { file, state: "ready", corruptStamp: null, logged: null, looks: 0 });
    this.#onChange();
  }

  /** The file is gone, or about to be: it is offered no more. */
  forget(sha256: string): void {
    if (this.#files.delete(sha256)) this.#onChange();
  }

  /** After a job could not load it: the file may have changed since it was verified. Not offered meanwhile. */
  async recheck(sha256: string): Promise<void> {
    const entry = this.#files.get(sha256);
    if (entry === undefined) return;
    if (entry.state === "ready") {
      entry.state = "verifying";
      this.#onChange();
    }
    await this.#verify(entry);
  }

  /** Looks at no file again. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
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

  async #verify(entry: Entry): Promise<void> {
    const { file } = entry;
    const look = ++entry.looks;
    const before = await stampOf(file.path);
    const verified = await verifyFile(file);
    if (this.#files.get(file.sha256) !== entry || entry.looks !== look) return;
    const previous = entry.state;
    entry.state = verified.kind === "ok" ? "ready" : verified.kind === "missing" ? "missing" : "corrupt";
    entry.corruptStamp = entry.state === "corrupt" ? (before?.stamp ?? null) : null;
    if (entry.state === "ready") {
      entry.logged = null;
    } else if (entry.state !== entry.logged) {
      entry.logged = entry.state;
      this.#log("error", "model.unusable", { modelId: file.modelId, state: entry.state });
    }
    if (entry.state !== previous) this.#onChange();
    this.#armLook();
  }

  #armLook(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#unusable().length === 0) return;
    this.#timer = setTimeout(() => void this.#lookAgain(), this.#lookAgainMs).unref();
  }

  async #lookAgain(): Promise<void> {
    for (const entry of this.#unusable()) {
      const now = await stampOf(entry.file.path);
      // Gigabytes need not be read each minute to find that nobody touched them.
      if (entry.state === "corrupt" && now?.stamp === entry.corruptStamp) continue;
      await this.#verify(entry);
    }
    this.#armLook();
  }

  #unusable(): readonly Entry[] {
    return [...this.#files.values()].filter(({ state }) => state === "missing" || state === "corrupt");
  }
}
