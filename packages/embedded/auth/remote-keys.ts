import type { Fetched } from "./fetch-document.ts";
import { mayAskForUnknownKey, nextKeyStep, STALE_MS } from "./key-refresh.ts";
import type { KeySet } from "./key-set.ts";

export type KeysFetched =
  { readonly kind: "ok"; readonly keySet: KeySet } | (Fetched & { readonly kind: "failed" });

/** The keys of one issuer: kept, fetched again when they are old, and believed on while it does not answer. */
export class RemoteKeys {
  readonly #fetch: () => Promise<KeysFetched>;
  readonly #now: () => number;
  #held: { readonly keySet: KeySet; readonly fetchedAt: number } | null = null;
  #failure: { readonly reason: string; readonly failedAt: number } | null = null;
  #asking: Promise<void> | null = null;

  constructor(fetch: () => Promise<KeysFetched>, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  async current(): Promise<KeysFetched> {
    if (nextKeyStep(this.#state(), this.#now()) === "fetch") await this.#ask();
    const held = this.#held;
    if (held !== null && this.#now() - held.fetchedAt < STALE_MS) return { kind: "ok", keySet: held.keySet };
    return { kind: "failed", reason: this.#failure?.reason ?? "The issuer's keys are too old." };
  }

  /** The keys after a token has named one that `before` lacks; `before` itself if the issuer was asked just now. */
  async beyond(before: KeySet): Promise<KeySet> {
    if (this.#held?.keySet === before && mayAskForUnknownKey(this.#state(), this.#now())) await this.#ask();
    return this.#held?.keySet ?? before;
  }

  #state() {
    return { fetchedAt: this.#held?.fetchedAt ?? null, failedAt: this.#failure?.failedAt ?? null };
  }

  /** All who need the keys at a time share one question. */
  #ask(): Promise<void> {
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askOnce(): Promise<void> {
    const fetched = await this.#fetch();
    const now = this.#now();
    if (fetched.kind === "ok") {
      this.#held = { keySet: fetched.keySet, fetchedAt: now };
      this.#failure = null;
    } else this.#failure = { reason: fetched.reason, failedAt: now };
  }
}
