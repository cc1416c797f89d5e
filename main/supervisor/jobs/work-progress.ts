import type { AnswerPiece } from "../../../app/contract/runner.ts";
import type { WorkView } from "../../../app/contract/snapshot.ts";

/** The panel is updated at most this often. */
const tellEveryMs = 100;

/** The panel's view of a running job. It counts the answer's characters and tokens, and keeps none of them. */
export class WorkProgress {
  readonly #tell: (view: WorkView) => void;
  #view: WorkView;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    job: Pick<WorkView, "attemptId" | "kind" | "modelId" | "startedAt">,
    tell: (view: WorkView) => void,
  ) {
    this.#tell = tell;
    this.#view = { ...job, phase: "loading", writtenChars: 0 };
    tell(this.#view);
  }

  loaded(): void {
    this.#view = { ...this.#view, phase: "reading" };
    this.#tellSoon();
  }

  text({ text, items, tokens }: AnswerPiece): void {
    const called = items.reduce((sum, item) => sum + ("arguments" in item ? item.arguments.length : 0), 0);
    const writtenChars = this.#view.writtenChars + text.length + called;
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
