import { randomUUID } from "node:crypto";
import { appComponent } from "../names/table-name.ts";
import type { FunctionRun, NamedRun } from "../runtime/execution/function-run.ts";
import { withoutValues } from "../runtime/execution/log-lines.ts";

/** A finished run, or a log line of a running one, in the shape that `npx convex logs` reads. */
type FunctionLogEntry = {
  readonly kind: "Completion" | "Progress";
  readonly udfType: FunctionRun["kind"];
  /** Null for the app's own functions. */
  readonly componentPath: string | null;
  /** The function's name within its component. */
  readonly identifier: string;
  /** Lines as the functions' console formats them: "[LOG] 'text'". */
  readonly logLines: readonly string[];
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly requestId: string;
  readonly executionId: string;
} & Partial<Completion>;

type Completion = {
  readonly cachedResult: boolean;
  readonly caller: string;
  readonly environment: string;
  readonly identityType: string;
  /** Seconds. */
  readonly executionTime: number;
  readonly executionTimestamp: number;
  readonly success: null;
  readonly error: string | null;
  readonly willRetry: boolean;
  readonly occInfo: { readonly retryCount: number } | null;
};

type FunctionLogPage = { readonly entries: readonly FunctionLogEntry[]; readonly newCursor: number };

type Kept = { readonly cursor: number; readonly entry: FunctionLogEntry; readonly size: number };

/** Bounds of the log: entries here, and characters of log lines below. */
export const maxEntries = 1_000;
const maxCharacters = 4 * 1024 * 1024;

/** The latest runs of functions, for followers such as `npx convex logs`. Cursors are times in ms. */
export class FunctionLog {
  readonly #now: () => number;
  #kept: Kept[] = [];
  #characters = 0;
  #last = 0;
  #wake = Promise.withResolvers<null>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  ended(run: FunctionRun): void {
    const { durationMs, startedAt, failure, retries, caller } = run;
    this.#add({
      ...this.#entry("Completion", run, run.logLines),
      cachedResult: false,
      caller,
      environment: "isolate",
      identityType: "unknown",
      executionTime: durationMs / 1000,
      executionTimestamp: startedAt / 1000,
      success: null,
      error: failure === null ? null : withoutValues(failure.message),
      willRetry: false,
      occInfo: retries === 0 ? null : { retryCount: retries },
    });
  }

  printed(run: NamedRun, line: string): void {
    this.#add(this.#entry("Progress", run, [line]));
  }

  /**
   * Returns the entries after a cursor. Waits for new entries until `signal` aborts, and then returns an empty
   * page. Cursor 0 asks for the end of the log and is answered at once.
   */
  async after(cursor: number, signal: AbortSignal): Promise<FunctionLogPage> {
    const stopped = Promise.withResolvers<null>();
    signal.addEventListener("abort", () => stopped.resolve(null), { once: true });
    while (cursor > 0 && this.#last <= cursor && !signal.aborted) {
      await Promise.race([this.#wake.promise, stopped.promise]);
    }
    const entries = this.#kept.filter((kept) => kept.cursor > cursor).map(({ entry }) => entry);
    // All later entries must come after this cursor, even in the same millisecond.
    if (this.#last === 0) this.#last = this.#now();
    // A client's cursor from before a restart may be ahead of ours.
    return { entries, newCursor: Math.max(cursor, this.#last) };
  }

  /** All kept entries, the oldest first. */
  latest(): readonly FunctionLogEntry[] {
    return this.#kept.map(({ entry }) => entry);
  }

  #entry(kind: FunctionLogEntry["kind"], run: NamedRun, logLines: readonly string[]): FunctionLogEntry {
    const { component, identifier } = run;
    return {
      kind,
      udfType: run.kind,
      componentPath: component === appComponent ? null : component,
      identifier: identifier === null ? "(not found)" : asCalled(withoutPrefix(identifier, `${component}/`)),
      logLines,
      timestamp: this.#now() / 1000,
      requestId: run.requestId,
      executionId: randomUUID(),
    };
  }

  #add(entry: FunctionLogEntry): void {
    this.#last = Math.max(this.#now(), this.#last + 0.001);
    const size = entry.logLines.reduce((sum, line) => sum + line.length, entry.error?.length ?? 0);
    this.#kept.push({ cursor: this.#last, entry, size });
    this.#characters += size;
    this.#trim();
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve(null);
  }

  // Trim in blocks: each cut at an array's front takes time proportional to its length.
  #trim(): void {
    if (this.#kept.length <= maxEntries * 1.5 && this.#characters <= maxCharacters) return;
    let from = Math.max(0, this.#kept.length - maxEntries);
    let left = this.#kept.slice(from).reduce((sum, { size }) => sum + size, 0);
    while (left > maxCharacters / 2 && from < this.#kept.length - 1) left -= this.#kept[from++]?.size ?? 0;
    this.#kept = this.#kept.slice(from);
    this.#characters = left;
  }
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** The name by which clients call a function, as in Convex's log: "jobs:claim" for "jobs.js:claim". Keeps HTTP routes. */
function asCalled(identifier: string): string {
  return identifier.replace(/\.js:default$|\.js(?=:\w+$)/, "");
}
