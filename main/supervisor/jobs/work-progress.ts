import type { WorkView } from "../../../app/contract/snapshot.ts";

/** The panel is updated at most this often. */
const tellEveryMs = 100;
/** The panel shows only the end of a long text. */
const shownChars = 8_000;

/** The panel's view of a running job. In memory only. */
export class WorkProgress {
  readonly #tell: (view: WorkView) => void;
  #view: WorkView;
  #timer: NodeJS.Timeout | null = null;

  constructor(job: Pick<WorkView, "attemptId" | "modelId" | "startedAt">, tell: (view: WorkView) => void) {
    this.#tell = tell;
    this.#view = { ...job, phase: "loading", text: "" };
    tell(this.#view);
  }

  loaded(): void {
    this.#view = { ...this.#view, phase: "reading" };
    this.#tellSoon();
  }

  text(text: string): void {
    const end = (this.#view.text + text).slice(-shownChars);
    this.#view = { ...this.#view, phase: "writing", text: end };
    this.#tellSoon();
  }

  /** Tells the last state, if it was not told yet. */
  end(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#tell(this.#view);
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#tell(this.#view);
    }, tellEveryMs);
  }
}
