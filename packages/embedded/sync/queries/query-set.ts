import { bytesInWords } from "../../admission/anonymous-limits.ts";
import type { Turns } from "../../admission/turns.ts";
import type { Timestamp } from "../../engine/model/types.ts";
import { appComponent } from "../../names/table-name.ts";
import type { Identity } from "../../runtime/contract/function-runner.ts";
import { memoryOfJson } from "../../wire/bounded-json.ts";
import type { KnownResult } from "../protocol/known-result.ts";
import type { QuerySetModification } from "../protocol/protocol.ts";
import type { QueryId } from "../protocol/server-messages.ts";
import type { LiveQueries, Watched } from "./live-queries.ts";
import type { KnownResults, QuerySetChanges } from "./transition.ts";

/** Queries per client: far above what a page or a device needs. */
const maxQueries = 10_000;
/** Queries that are answered with a failure, for lack of memory. With more of them, the client is stopped. */
const maxUnwatched = 1_000;
/** Memory of a watched query besides its arguments, in bytes, measured. */
const bytesPerQuery = 4_096;
/** The arguments are kept as a value and as text. */
const copiesOfArguments = 2;
/** A failure's message is kept as such and in two texts. */
const copiesOfFailure = 3;
/** Queries without room may use this part of the memory besides, so that they can be tried again. */
const shareOfRefused = 1 / 4;
/** Memory of such a query besides its arguments, in bytes, estimated. */
const bytesPerRefused = 512;
/** Queries that start to run in one turn of the event loop. */
const queriesPerTurn = 16;

type QuerySetOptions = {
  readonly live: Pick<LiveQueries, "watch">;
  readonly turns: Turns;
  /** The most memory that the queries may use now, in bytes. */
  readonly maxBytes: () => number;
  /** Receives the memory that they use. */
  readonly onBytes: (bytes: number) => void;
  /** Called when a query is not watched, for lack of memory. */
  readonly onRefused: () => void;
  readonly onInvalidated: () => void;
};

type Add = QuerySetModification & { type: "Add" };

type Entry = {
  readonly add: Add;
  readonly argsBytes: number;
  /** Of a failure's message, which may quote the arguments. */
  failureBytes: number;
  watched: Watched;
  /** Page ends of the last sent result. A run for another identity must keep them. */
  journal: string | null;
};

/** A query without room, which is tried again. */
type Refused = { readonly add: Add; readonly argsBytes: number };

type Modified = { readonly kind: "ok" } | { readonly kind: "refused"; readonly reason: string };

/** The queries of one connection, each watched as the connection's identity. */
export class QuerySet {
  readonly #options: QuerySetOptions;
  /** Null for a query that is not watched, because the others already use all memory for them. */
  readonly #entries = new Map<QueryId, Entry | null>();
  /** Those of the queries that are not watched whose arguments are kept. */
  readonly #refused = new Map<QueryId, Refused>();
  #refusedBytes = 0;
  /** Changed since the last `changesAt`, so that a commit costs only the queries it affects. */
  readonly #dirty = new Set<QueryId>();
  readonly #removed = new Set<QueryId>();
  #bytes = 0;
  #unwatchedCount = 0;
  #refusal: KnownResult | null = null;

  constructor(options: QuerySetOptions) {
    this.#options = options;
  }

  modify(modifications: readonly QuerySetModification[], identity: Identity): Modified {
    for (const change of modifications) {
      const reason = change.type === "Remove" ? this.#remove(change.queryId) : this.#add(change, identity);
      if (reason !== null) return { kind: "refused", reason };
    }
    if (modifications.some(({ type }) => type === "Remove")) this.#retry(identity);
    this.#report();
    return { kind: "ok" };
  }

  /** Watches every query again as another identity, which may have room for more. */
  reidentify(identity: Identity): void {
    for (const entry of this.#entries.values()) {
      if (entry === null) continue;
      const before = entry.watched;
      entry.watched = this.#watch(entry.add, entry.journal, identity);
      // Released last, so that a fresh token of the same user reuses the kept result.
      before.release();
    }
    this.#retry(identity);
    this.#report();
  }

  /**
   * The changes at `ts` since the last call; the client has all other results. The caller keeps that snapshot
   * retained. If it rejects, the next call has these changes, too.
   */
  async changesAt(ts: Timestamp): Promise<QuerySetChanges> {
    const removed = [...this.#removed].filter((queryId) => !this.#entries.has(queryId));
    const dirty = [...this.#dirty];
    this.#removed.clear();
    // Before anything is awaited, so that the new queries report each commit after `ts`.
    for (const queryId of dirty) this.#keepPageEnds(queryId);
    this.#dirty.clear();
    const results = new Map<QueryId, KnownResult>();
    const running: Promise<unknown>[] = [];
    for (const queryId of dirty) {
      const entry = this.#entries.get(queryId);
      if (entry === undefined) continue;
      const current = entry === null ? this.#unwatched() : entry.watched.query.currentAt(ts);
      if (current !== null) {
        results.set(queryId, current);
        continue;
      }
      if (running.length >= queriesPerTurn) await this.#options.turns.turn();
      // The connection may have closed while this query waited for its turn.
      const query = this.#entries.get(queryId)?.watched.query;
      if (query !== undefined) running.push(query.at(ts).then((result) => results.set(queryId, result)));
    }
    try {
      await Promise.all(running);
    } catch (error) {
      for (const queryId of removed) this.#removed.add(queryId);
      for (const queryId of dirty) this.#dirty.add(queryId);
      throw error;
    }
    for (const [queryId, result] of results) this.#charge(queryId, result, results);
    return { removed, results };
  }

  /** Remembers the page ends that were sent to the client. */
  sent(results: KnownResults): void {
    for (const [queryId, { journal }] of results) {
      const entry = this.#entries.get(queryId);
      if (entry != null) entry.journal = journal;
    }
  }

  release(): void {
    for (const entry of this.#entries.values()) entry?.watched.release();
    this.#entries.clear();
    this.#refused.clear();
    this.#refusedBytes = 0;
    this.#bytes = 0;
    this.#options.onBytes(0);
  }

  #add(add: Add, identity: Identity): string | null {
    const { queryId } = add;
    if (this.#entries.has(queryId)) return `query ${String(queryId)} is already in the set`;
    if (this.#entries.size >= maxQueries) return `more than ${String(maxQueries)} queries`;
    const { args, journal, udfPath } = add;
    // Without room for any query, watched or not, the arguments need not be measured.
    const argsBytes =
      !this.#fits(bytesPerQuery) && !this.#fitsRefused(bytesPerRefused)
        ? Infinity
        : copiesOfArguments * memoryOfJson(JSON.stringify([args, journal, udfPath]));
    if (!this.#fits(bytesPerQuery + argsBytes)) {
      if (this.#unwatchedCount >= maxUnwatched) return "too many queries: watch fewer at a time";
      this.#setUnwatched({ add, argsBytes });
      this.#dirty.add(queryId);
      return null;
    }
    this.#setWatched({ add, argsBytes }, identity);
    return null;
  }

  /** Watches the queries for which there is room now. */
  #retry(identity: Identity): void {
    for (const [queryId, refused] of this.#refused) {
      if (!this.#fits(bytesPerQuery + refused.argsBytes)) continue;
      this.#forgetRefused(queryId);
      this.#setWatched(refused, identity);
    }
  }

  #setWatched({ add, argsBytes }: Refused, identity: Identity): void {
    this.#bytes += bytesPerQuery + argsBytes;
    const watched = this.#watch(add, add.journal, identity);
    this.#entries.set(add.queryId, { add, argsBytes, failureBytes: 0, watched, journal: add.journal });
  }

  #remove(queryId: QueryId): string | null {
    const entry = this.#entries.get(queryId);
    if (entry === undefined) return `query ${String(queryId)} is not in the set`;
    if (entry === null) this.#forgetRefused(queryId);
    else this.#unwatch(entry);
    this.#entries.delete(queryId);
    this.#removed.add(queryId);
    return null;
  }

  /** Counts the memory of a failure. If it is too much, the query is watched no longer. */
  #charge(queryId: QueryId, { outcome }: KnownResult, results: Map<QueryId, KnownResult>): void {
    const entry = this.#entries.get(queryId);
    if (entry == null) return;
    const failureBytes = outcome.kind === "failure" ? copiesOfFailure * outcome.message.length : 0;
    if (failureBytes === entry.failureBytes) return;
    if (this.#fits(failureBytes - entry.failureBytes)) {
      this.#bytes += failureBytes - entry.failureBytes;
      entry.failureBytes = failureBytes;
    } else {
      this.#unwatch(entry);
      this.#setUnwatched(entry);
      results.set(queryId, this.#unwatched());
    }
    this.#report();
  }

  #fits(bytes: number): boolean {
    return bytes <= 0 || this.#bytes + bytes <= this.#options.maxBytes();
  }

  #fitsRefused(bytes: number): boolean {
    return this.#refusedBytes + bytes <= this.#options.maxBytes() * shareOfRefused;
  }

  #report(): void {
    this.#options.onBytes(this.#bytes + this.#refusedBytes);
  }

  #setUnwatched({ add, argsBytes }: Refused): void {
    this.#unwatchedCount += 1;
    this.#entries.set(add.queryId, null);
    const bytes = refusedBytes(argsBytes);
    if (this.#fitsRefused(bytes)) {
      this.#refusedBytes += bytes;
      this.#refused.set(add.queryId, { add, argsBytes });
    }
    this.#options.onRefused();
  }

  #forgetRefused(queryId: QueryId): void {
    this.#unwatchedCount -= 1;
    const refused = this.#refused.get(queryId);
    if (refused === undefined) return;
    this.#refused.delete(queryId);
    this.#refusedBytes -= refusedBytes(refused.argsBytes);
  }

  #unwatch({ watched, argsBytes, failureBytes }: Entry): void {
    watched.release();
    this.#bytes -= bytesPerQuery + argsBytes + failureBytes;
  }

  /** One object for all such queries, since results keep their texts. */
  #unwatched(): KnownResult {
    const most = bytesInWords(this.#options.maxBytes());
    const message =
      `This query is not watched: the queries of one connection may use ${most} here. Watch fewer at a time, or pass ` +
      "smaller arguments.";
    const known = this.#refusal;
    if (known?.outcome.kind === "failure" && known.outcome.message === message) return known;
    return (this.#refusal = { outcome: { kind: "failure", message }, logLines: [], journal: null });
  }

  /**
   * Once a client has a page, its query becomes the query of that page, which keeps its ends. The query without ends
   * stays for clients that are yet to get their page.
   */
  #keepPageEnds(queryId: QueryId): void {
    const entry = this.#entries.get(queryId);
    if (entry == null) return;
    const { add, watched, journal } = entry;
    const { spec } = watched.query;
    if (spec.journal === journal) return;
    entry.watched = this.#watch(add, journal, spec.identity);
    watched.release();
  }

  #watch(add: Add, journal: string | null, identity: Identity): Watched {
    const component = add.componentPath ?? appComponent;
    const spec = { path: add.udfPath, component, args: add.args, identity, journal };
    this.#dirty.add(add.queryId);
    return this.#options.live.watch(spec, () => {
      this.#dirty.add(add.queryId);
      this.#options.onInvalidated();
    });
  }
}

/** The arguments of a query that is not watched are kept once. */
function refusedBytes(argsBytes: number): number {
  return bytesPerRefused + argsBytes / copiesOfArguments;
}
