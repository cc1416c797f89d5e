import * as z from "zod";
import { parseBoundedJson } from "../wire/bounded-json.ts";
import type { FetchDocument, Fetched } from "./fetch-document.ts";
import { mayFetchForUnknownKey, nextKeyStep, staleMs } from "./key-refresh.ts";
import { type KeySet, parseKeySet } from "./key-set.ts";

export type KeysFetched =
  { readonly kind: "ok"; readonly keySet: KeySet } | (Fetched & { readonly kind: "failed" });

/**
 * Caches the keys of one issuer. Fetches them again when they are old, and keeps using them while the issuer does
 * not answer.
 */
export class RemoteKeys {
  readonly #fetch: () => Promise<KeysFetched>;
  readonly #now: () => number;
  #known: { readonly keySet: KeySet; readonly fetchedAt: number } | null = null;
  #failure: { readonly reason: string; readonly failedAt: number } | null = null;
  #refreshing: Promise<void> | null = null;

  /** @param now a clock in ms that nobody sets; only differences count. */
  constructor(fetch: () => Promise<KeysFetched>, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  async current(): Promise<KeysFetched> {
    if (nextKeyStep(this.#state(), this.#now()) === "fetch") await this.#refresh();
    const known = this.#known;
    if (known !== null && this.#now() - known.fetchedAt < staleMs)
      return { kind: "ok", keySet: known.keySet };
    return { kind: "failed", reason: this.#failure?.reason ?? "The issuer's keys are too old." };
  }

  /** Keys for a token whose key `before` lacks; returns `before` if they were fetched just now. */
  async newerThan(before: KeySet): Promise<KeySet> {
    if (this.#known?.keySet === before && mayFetchForUnknownKey(this.#state(), this.#now()))
      await this.#refresh();
    return this.#known?.keySet ?? before;
  }

  #state() {
    return { fetchedAt: this.#known?.fetchedAt ?? null, failedAt: this.#failure?.failedAt ?? null };
  }

  /** Concurrent callers share one fetch. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<void> {
    const fetched = await this.#fetch();
    const now = this.#now();
    if (fetched.kind === "ok") {
      this.#known = { keySet: fetched.keySet, fetchedAt: now };
      this.#failure = null;
    } else this.#failure = { reason: fetched.reason, failedAt: now };
  }
}

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** Fetches the keys at a URL. */
export async function fetchKeys(fetchDocument: FetchDocument, url: string): Promise<KeysFetched> {
  const fetched = await fetchDocument(url);
  if (fetched.kind === "failed") return fetched;
  const keySet = parseKeySet(fetched.text);
  if (keySet !== null) return { kind: "ok", keySet };
  return { kind: "failed", reason: `${url} did not answer with a JSON Web Key Set` };
}

/**
 * Finds an issuer's keys by OpenID Connect Discovery. The metadata's issuer must equal the tokens' issuer exactly.
 */
export async function discoverKeys(fetchDocument: FetchDocument, issuer: string): Promise<KeysFetched> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const fetched = await fetchDocument(url);
  if (fetched.kind === "failed") return fetched;
  const json = parseBoundedJson(fetched.text);
  const parsed = json.kind === "ok" ? metadata.safeParse(json.value) : null;
  if (parsed?.success !== true) {
    return { kind: "failed", reason: `${url} did not answer with the metadata of an OpenID provider` };
  }
  if (parsed.data.issuer !== issuer) {
    return { kind: "failed", reason: `${url} is of the issuer ${parsed.data.issuer}, not ${issuer}` };
  }
  return await fetchKeys(fetchDocument, parsed.data.jwks_uri);
}
