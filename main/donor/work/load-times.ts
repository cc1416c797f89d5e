import type { ModelFile } from "../../../app/contract/runner.ts";

type LoadTime = { readonly ms: number; readonly sizeBytes: number };

/** An estimate says no more. Files of other sizes load at other paces. */
const longestEstimateMs = 10 * 60_000;

/** How long the last load of each model took. */
export class LoadTimes {
  readonly #byHash = new Map<string, LoadTime>();

  note({ sha256, sizeBytes }: Pick<ModelFile, "sha256" | "sizeBytes">, ms: number): void {
    this.#byHash.set(sha256, { ms, sizeBytes });
  }

  /**
   * How long the model will probably take to load, in ms. The longest load tells about a model that was not loaded yet, by the sizes of
   * their files. Null: none was loaded.
   */
  expectedMs({ sha256, sizeBytes }: Pick<ModelFile, "sha256" | "sizeBytes">): number | null {
    const own = this.#byHash.get(sha256);
    if (own !== undefined) return own.ms;
    const [longest] = [...this.#byHash.values()].sort((a, b) => b.ms - a.ms);
    if (longest === undefined) return null;
    const ms = (longest.ms * sizeBytes) / Math.max(1, longest.sizeBytes);
    return Math.min(longestEstimateMs, Math.round(ms));
  }
}
