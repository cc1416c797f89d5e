import type { ModelFile } from "../../app/contract/runner.ts";
import type { FileState } from "../../app/models/states.ts";
import type { Log } from "../log.ts";
import { type FileStamp, stampOf, verifyFile } from "../store/verify-file.ts";

/** A model that the organization wants, by name and hash. */
export type WantedModel = Pick<ModelFile, "modelId" | "sha256" | "sizeBytes">;

type Entry = {
  readonly file: ModelFile;
  state: FileState;
  /** The stamp of the corrupt bytes, which need not be read again. */
  corruptStamp: FileStamp | null;
  /** The last unusable state in the log. */
  logged: FileState | null;
  looks: number;
};

/** The interval between checks of an unusable file, in ms. Somebody may repair it. */
const recheckMs = 60_000;

/**
 * The model files on this device. Each is verified once before it is offered, and again by the runner before
 * every load. Files come from the program's resources and from the model store, which downloads them.
 */
export class ModelCatalog {
  readonly #files = new Map<string, Entry>();
  readonly #log: Log;
  readonly #recheckMs: number;
  #onChange: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(log: Log, everyMs: number = recheckMs) {
    this.#log = log;
    this.#recheckMs = everyMs;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Verifies the file and keeps its state. Verifies a known file again. */
  async add(file: ModelFile): Promise<void> {
    const entry: Entry = { file, state: "verifying", corruptStamp: null, logged: null, looks: 0 };
    this.#files.set(file.sha256, entry);
    this.#onChange();
    await this.#verify(entry);
  }

  /** Adds a file that was just verified, without reading it again. */
  adopt(file: ModelFile): void {
    this.#files.set(file.sha256, { file, state: "ready", corruptStamp: null, logged: null, looks: 0 });
    this.#onChange();
  }

  /** Forgets a file that is gone or about to be deleted. */
  forget(sha256: string): void {
    if (this.#files.delete(sha256)) this.#onChange();
  }

  /** Verifies a file again after a job could not load it. It is not offered meanwhile. */
  async recheck(sha256: string): Promise<void> {
    const entry = this.#files.get(sha256);
    if (entry === undefined) return;
    if (entry.state === "ready") {
      entry.state = "verifying";
      this.#onChange();
    }
    await this.#verify(entry);
  }

  /** Ends all checks. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Finds the file of a model, under the organization's name for it. Null if it is not ready. */
  find(wanted: WantedModel): ModelFile | null {
    const entry = this.#files.get(wanted.sha256);
    if (entry?.state !== "ready" || entry.file.sizeBytes !== wanted.sizeBytes) return null;
    return { ...entry.file, modelId: wanted.modelId };
  }

  stateOf(wanted: WantedModel): FileState {
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
    this.#armRecheck();
  }

  #armRecheck(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#unusable().length === 0) return;
    this.#timer = setTimeout(() => void this.#recheckUnusable(), this.#recheckMs).unref();
  }

  async #recheckUnusable(): Promise<void> {
    for (const entry of this.#unusable()) {
      const now = await stampOf(entry.file.path);
      // Unchanged corrupt bytes need not be read every minute.
      if (entry.state === "corrupt" && now?.stamp === entry.corruptStamp) continue;
      await this.#verify(entry);
    }
    this.#armRecheck();
  }

  #unusable(): readonly Entry[] {
    return [...this.#files.values()].filter(({ state }) => state === "missing" || state === "corrupt");
  }
}
