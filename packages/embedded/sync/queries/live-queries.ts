import { canonicalJson } from "../../values/canonical-json.ts";
import { LiveQuery, type LiveQueryDeps, type QuerySpec } from "./live-query.ts";

export type Watched = { readonly query: LiveQuery; readonly release: () => void };

/** All watched queries of the deployment. Queries with equal path, arguments, identity and journal share one run. */
export class LiveQueries {
  readonly #deps: LiveQueryDeps;
  readonly #byKey = new Map<string, LiveQuery>();

  constructor(deps: LiveQueryDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#byKey.size;
  }

  watch(spec: QuerySpec, onInvalidated: () => void): Watched {
    const key = keyOf(spec);
    const query = this.#byKey.get(key) ?? this.#add(key, spec);
    const unwatch = query.watch(onInvalidated);
    return {
      query,
      release: () => {
        unwatch();
        if (query.watched) return;
        query.close();
        if (this.#byKey.get(key) === query) this.#byKey.delete(key);
      },
    };
  }

  #add(key: string, spec: QuerySpec): LiveQuery {
    const query = new LiveQuery(this.#deps, spec);
    this.#byKey.set(key, query);
    return query;
  }
}

/** Clients may write the same arguments in a different order. */
function keyOf({ path, component = "", args, identity, journal }: QuerySpec): string {
  return canonicalJson([component, path, args, identity, journal]);
}
