import * as z from "zod";
import type { Engine, Transaction } from "../engine/model/types.ts";
import { commitWithRetries } from "../engine/transact/transact.ts";
import { environmentTable, storedVariables } from "../runtime/tables/environment-table.ts";

type EnvironmentVariable = { readonly name: string; readonly value: string };

const maxValueLength = 8 * 1024;
/** Per deployment, as in Convex. */
export const maxVariables = 1000;

const change = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/, "not a name of an environment variable"),
  /** Null removes the variable. */
  value: z.string().max(maxValueLength).nullable(),
});

/** The body of `/api/update_environment_variables`. */
export const environmentChanges = z.object({ changes: z.array(change).max(maxVariables) });
type EnvironmentChange = z.output<typeof change>;

export type Updated =
  | { readonly kind: "updated" }
  | { readonly kind: "too many" }
  | { readonly kind: "conflicted"; readonly message: string };

type Variables = { readonly [name: string]: string };

/**
 * The `process.env` of the deployment's functions. The deployment's own URLs override the stored variables, and
 * those override the start options.
 */
export class EnvironmentVariables {
  readonly #engine: Engine;
  readonly #builtIn: Variables;
  readonly #defaults: Variables;
  readonly #facilities: Variables;
  /** Per transaction, so that each sees the same variables to its end. */
  readonly #seen = new WeakMap<Transaction, Variables>();
  #latest: Variables = {};
  #unwatch: () => void = () => undefined;

  /** @param facilities names of what the backend can do beyond Convex. Any other value of such a variable hides it. */
  constructor(engine: Engine, builtIn: Variables, defaults: Variables, facilities: Variables = {}) {
    this.#engine = engine;
    this.#facilities = facilities;
    this.#builtIn = builtIn;
    this.#defaults = defaults;
    this.#refresh();
  }

  /** The variables for actions and for module loading. */
  get all(): Variables {
    return this.#latest;
  }

  /** The variables for a query or mutation: from its snapshot, and in its read set like any document. */
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

  /** Stores all changes or none. They are on disk when this resolves. */
  async update(changes: readonly EnvironmentChange[]): Promise<Updated> {
    const committed = await commitWithRetries<Updated>(this.#engine, (transaction) =>
      Promise.resolve(
        this.#apply(transaction, changes)
          ? { commit: true, result: { kind: "updated" } }
          : { commit: false, result: { kind: "too many" } },
      ),
    );
    if (committed.kind === "conflicted") return committed;
    // Read again instead of patched, so that concurrent updates are all included.
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

  /** Reads the stored variables, and again after every change, for example by a restored backup. */
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
    return { ...this.#facilities, ...this.#defaults, ...this.#stored(transaction), ...this.#builtIn };
  }

  #stored(transaction: Transaction): Variables {
    const stored = storedVariables(transaction, this.#hasTable());
    return Object.fromEntries(stored.map(({ name, value }) => [name, value]));
  }

  #hasTable(): boolean {
    return this.#engine.definitionOf(environmentTable.name) !== null;
  }
}
