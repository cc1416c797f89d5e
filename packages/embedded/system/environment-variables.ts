import { z } from "zod";
import type { Engine, Transaction } from "../engine/model/types.ts";
import { commitWithRetries } from "../engine/transact/transact.ts";
import { environmentTable, storedVariables } from "../runtime/tables/environment-table.ts";

export type EnvironmentVariable = { readonly name: string; readonly value: string };

const maxValueLength = 8 * 1024;
/** Of a deployment, as with Convex. */
export const maxVariables = 1000;

const change = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/, "not a name of an environment variable"),
  /** Null removes the variable. */
  value: z.string().max(maxValueLength).nullable(),
});

/** The body of `/api/update_environment_variables`. */
export const environmentChanges = z.object({ changes: z.array(change).max(maxVariables) });
export type EnvironmentChange = z.output<typeof change>;

export type Updated =
  | { readonly kind: "updated" }
  | { readonly kind: "too many" }
  | { readonly kind: "conflicted"; readonly message: string };

type Variables = { readonly [name: string]: string };

/**
 * What the deployment's functions see as `process.env`. The deployment's own URLs outrank what its admin has
 * stored, and that outranks what the backend was started with.
 */
export class EnvironmentVariables {
  readonly #engine: Engine;
  readonly #builtIn: Variables;
  readonly #defaults: Variables;
  /** What a transaction has seen once, it sees to its end. */
  readonly #seen = new WeakMap<Transaction, Variables>();
  #latest: Variables = {};
  #unwatch: () => void = () => undefined;

  constructor(engine: Engine, builtIn: Variables, defaults: Variables) {
    this.#engine = engine;
    this.#builtIn = builtIn;
    this.#defaults = defaults;
    this.#refresh();
  }

  /** Everything that an action sees, and a module that is loaded. */
  get all(): Variables {
    return this.#latest;
  }

  /** Everything that a query or a mutation sees: it is of its snapshot, and read like any document. */
  in(transaction: Transaction): Variables {
    const seen = this.#seen.get(transaction) ?? this.#merged(transaction);
    this.#seen.set(transaction, seen);
    return seen;
  }

  /** The deployment's own variables, without the built-in ones. */
  list(transaction: Transaction): readonly EnvironmentVariable[] {
    return Object.entries({ ...this.#defaults, ...this.#stored(transaction) })
      .map(([name, value]) => ({ name, value }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Stores changes, all or none of them. They are on disk when this resolves. */
  async update(changes: readonly EnvironmentChange[]): Promise<Updated> {
    const committed = await commitWithRetries<Updated>(this.#engine, (transaction) =>
      Promise.resolve(
        this.#apply(transaction, changes)
          ? { commit: true, result: { kind: "updated" } }
          : { commit: false, result: { kind: "too many" } },
      ),
    );
    if (committed.kind === "conflicted") return committed;
    // Read anew, not changed here: of two updates at once, the second to come by has both.
    this.#refresh();
    return committed.result;
  }

  #apply(transaction: Transaction, changes: readonly EnvironmentChange[]): boolean {
    const stored = storedVariables(transaction, this.#hasTable());
    const ids = new Map(stored.map(({ name, id }) => [name, id]));
    for (const { name, value } of changes) {
      const id = ids.get(name);
      if (value === null && id !== undefined) {
        transaction.remove(id);
        ids.delete(name);
      } else if (value !== null && id !== undefined) transaction.replace(id, { name, value });
      else if (value !== null) ids.set(name, transaction.insert(environmentTable.name, { name, value }));
    }
    return ids.size <= maxVariables;
  }

  /** Reads what is stored, and again whenever that has changed: a restored backup brings its own, for one. */
  #refresh(): void {
    this.#unwatch();
    const transaction = this.#engine.begin();
    try {
      this.#latest = this.#merged(transaction);
      const { readSet, snapshot } = transaction;
      this.#unwatch = this.#engine.subscribe(readSet, snapshot, () => this.#refresh());
    } finally {
      this.#engine.discard(transaction);
    }
  }

  #merged(transaction: Transaction): Variables {
    return { ...this.#defaults, ...this.#stored(transaction), ...this.#builtIn };
  }

  #stored(transaction: Transaction): Variables {
    const stored = storedVariables(transaction, this.#hasTable());
    return Object.fromEntries(stored.map(({ name, value }) => [name, value]));
  }

  #hasTable(): boolean {
    return this.#engine.definitionOf(environmentTable.name) !== null;
  }
}
