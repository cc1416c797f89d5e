import type { Backend } from "../../../app/contract/speed.ts";

/**
 * A single crash of a backend that has worked may have any cause. From the second in a row on, it is passed over for a
 * while. One that has never worked is passed over at once: its driver or its library may not suit the GPU.
 */
const crashesAllowed = 1;
const firstRestMs = 10 * 60_000;
const longestRestMs = 24 * 3_600_000;

type Fault = { crashes: number; until: number };

/**
 * Failures by model and GPU backend, in a row: crashes of the runner, and refused loads. After repeated crashes the backend is passed over, each time
 * twice as long. A job that it completes clears its record.
 */
export class BackendFaults {
  readonly #faults = new Map<string, Fault>();
  readonly #haveWorked = new Set<string>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @returns milliseconds for which the backend is passed over now; 0 after a first crash of one that has worked. */
  crashed(sha256: string, backend: Backend): number {
    const atLeast = this.#haveWorked.has(keyOf(sha256, backend)) ? 0 : crashesAllowed;
    return this.#count(sha256, backend, atLeast);
  }

  /**
   * The backend could not load a model that was planned to fit. It rests from the first time on.
   * @returns milliseconds for which the backend is passed over now.
   */
  refused(sha256: string, backend: Backend): number {
    return this.#count(sha256, backend, crashesAllowed);
  }

  #count(sha256: string, backend: Backend, atLeast: number): number {
    // The last resort is never passed over.
    if (backend === "cpu") return 0;
    const before = this.#faults.get(keyOf(sha256, backend))?.crashes ?? 0;
    const crashes = Math.max(before, atLeast) + 1;
    const counted = crashes - crashesAllowed;
    const restMs = counted > 0 ? Math.min(longestRestMs, firstRestMs * 2 ** (counted - 1)) : 0;
    this.#faults.set(keyOf(sha256, backend), { crashes, until: this.#now() + restMs });
    return restMs;
  }

  worked(sha256: string, backend: Backend): void {
    this.#faults.delete(keyOf(sha256, backend));
    this.#haveWorked.add(keyOf(sha256, backend));
  }

  isPassedOver(sha256: string, backend: Backend): boolean {
    return (this.#faults.get(keyOf(sha256, backend))?.until ?? 0) > this.#now();
  }
}

function keyOf(sha256: string, backend: Backend): string {
  return `${sha256} ${backend}`;
}
