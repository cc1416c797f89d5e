import type { Timestamp } from "../../engine/model/types.ts";
import { appComponent } from "../../names/table-name.ts";
import type { Identity } from "../../runtime/contract/function-runner.ts";
import type { KnownResult } from "../protocol/known-result.ts";
import type { QuerySetModification } from "../protocol/protocol.ts";
import type { QueryId } from "../protocol/server-messages.ts";
import type { LiveQueries, Watched } from "./live-queries.ts";
import type { KnownResults, QuerySetChanges } from "./transition.ts";

/** Queries per client: far above what a page or a device needs. */
const maxQueries = 10_000;
/** Total length of their arguments as JSON, in UTF-16 units. */
const maxArgsLength = 64 * 1024 * 1024;

type Entry = {
  readonly add: QuerySetModification & { type: "Add" };
  readonly argsLength: number;
  watched: Watched;
  /** Page ends of the last sent result. A run for another identity must keep them. */
  journal: string | null;
};

type Modified = { readonly kind: "ok" } | { readonly kind: "refused"; readonly reason: string };

/** The queries of one connection, each watched as the connection's identity. */
export class QuerySet {
  readonly #live: LiveQueries;
  readonly #onInvalidated: () => void;
  readonly #entries = new Map<QueryId, Entry>();
  /** Changed since the last `changesAt`, so that a commit costs only the queries it affects. */
  readonly #dirty = new Set<QueryId>();
  readonly #removed = new Set<QueryId>();
  #argsLength = 0;

  constructor(live: LiveQueries, onInvalidated: () => void) {
    this.#live = live;
    this.#onInvalidated = onInvalidated;
  }

  modify(modifications: readonly QuerySetModification[], identity: Identity): Modified {
    for (const change of modifications) {
      const present = this.#entries.get(change.queryId);
      if (change.type === "Remove") {
        if (present === undefined) return refused(`query ${String(change.queryId)} is not in the set`);
        present.watched.release();
        this.#entries.delete(change.queryId);
        this.#removed.add(change.queryId);
        this.#argsLength -= present.argsLength;
        continue;
      }
      if (present !== undefined) return refused(`query ${String(change.queryId)} is already in the set`);
      if (this.#entries.size >= maxQueries) return refused(`more than ${String(maxQueries)} queries`);
      const argsLength = JSON.stringify(change.args).length;
      if (this.#argsLength + argsLength > maxArgsLength) {
        return refused(`queries with arguments of more than ${String(maxArgsLength)} bytes`);
      }
      this.#argsLength += argsLength;
      const watched = this.#watch(change, change.journal, identity);
      this.#entries.set(change.queryId, { add: change, argsLength, watched, journal: change.journal });
    }
    return { kind: "ok" };
  }

  /** Watches every query again as another identity. */
  reidentify(identity: Identity): void {
    for (const entry of this.#entries.values()) {
      const before = entry.watched;
      entry.watched = this.#watch(entry.add, entry.journal, identity);
      // Released last, so that a fresh token of the same user reuses the kept result.
      before.release();
    }
  }

  /**
   * The changes at `ts` since the last call; the client has all other results. The caller keeps that snapshot
   * retained.
   */
  async changesAt(ts: Timestamp): Promise<QuerySetChanges> {
    const removed = [...this.#removed].filter((queryId) => !this.#entries.has(queryId));
    const dirty = [...this.#dirty];
    this.#removed.clear();
    this.#dirty.clear();
    const results = new Map<QueryId, KnownResult>();
    const running: Promise<unknown>[] = [];
    for (const queryId of dirty) {
      const query = this.#entries.get(queryId)?.watched.query;
      if (query === undefined) continue;
      const current = query.currentAt(ts);
      if (current !== null) {
        results.set(queryId, current);
        continue;
      }
      running.push(query.at(ts).then((result) => results.set(queryId, result)));
    }
    await Promise.all(running);
    return { removed, results };
  }

  /** Remembers the page ends that were sent to the client. */
  sent(results: KnownResults): void {
    for (const [queryId, { journal }] of results) {
      const entry = this.#entries.get(queryId);
      if (entry !== undefined) entry.journal = journal;
    }
  }

  release(): void {
    for (const { watched } of this.#entries.values()) watched.release();
    this.#entries.clear();
  }

  #watch(add: Entry["add"], journal: string | null, identity: Identity): Watched {
    const component = add.componentPath ?? appComponent;
    const spec = { path: add.udfPath, component, args: add.args, identity, journal };
    this.#dirty.add(add.queryId);
    return this.#live.watch(spec, () => {
      this.#dirty.add(add.queryId);
      this.#onInvalidated();
    });
  }
}

function refused(reason: string): Modified {
  return { kind: "refused", reason };
}
