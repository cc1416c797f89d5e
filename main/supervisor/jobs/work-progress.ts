import type { WorkView } from "../../../app/contract/snapshot.ts";

/** The panel is updated at most this often. */
const tellEveryMs = 100;

/** The panel's view of a running job. It counts the answer's characters and tokens, and keeps none of them. */
export class WorkProgress {
  readonly #tell: (view: WorkView) => void;
  #view: WorkView;
  #timer: NodeJS.Timeout | null = null;

  constructor(job: Pick<WorkView, "attemptId" | "modelId" | "startedAt">, tell: (view: WorkView) => void) {
    this.#tell = tell;
    this.#view = { ...job, phase: "loading", writtenChars: 0 };
    tell(this.#view);
  }

  loaded(): void {
    this.#view = { ...this.#view, phase: "reading" };
    this.#tellSoon();
  }

  /** @param tokens about as many were written for this text */
  text(text: string, tokens: number): void {
    // The runner sends empty texts to show that it is alive.
    if (text === "") return;
    const writtenChars = this.#view.writtenChars + text.length;
    const writtenTokens = (this.#view.writtenTokens ?? 0) + tokens;
    this.#view = { ...this.#view, phase: "writing", writtenChars, writtenTokens };
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
