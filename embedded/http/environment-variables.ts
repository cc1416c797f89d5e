import { z } from "zod";

export type EnvironmentVariable = { readonly name: string; readonly value: string };

const MAX_VALUE_LENGTH = 8 * 1024;
const MAX_VARIABLES = 1000;

const change = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/, "not a name of an environment variable"),
  /** Null removes the variable. */
  value: z.string().max(MAX_VALUE_LENGTH).nullable(),
});

/** The body of `/api/update_environment_variables`. */
export const environmentChanges = z.object({ changes: z.array(change).max(MAX_VARIABLES) });
export type EnvironmentChange = z.output<typeof change>;

type Variables = { readonly [name: string]: string };

/**
 * What the deployment's functions see as `process.env`: the variables that it was given or that its admin
 * set, and the deployment's own URLs. Changes show at once and last until the backend stops.
 */
export class EnvironmentVariables {
  readonly #builtIn: Variables;
  #own: Variables;
  #all: Variables;

  constructor(builtIn: Variables, own: Variables) {
    this.#builtIn = builtIn;
    this.#own = own;
    this.#all = { ...own, ...builtIn };
  }

  /** Everything that functions see. */
  get all(): Variables {
    return this.#all;
  }

  /** The deployment's own variables, without the built-in ones. */
  list(): readonly EnvironmentVariable[] {
    return Object.entries(this.#own)
      .map(([name, value]) => ({ name, value }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  update(changes: readonly EnvironmentChange[]): void {
    const own = new Map(Object.entries(this.#own));
    for (const { name, value } of changes) {
      if (value === null) own.delete(name);
      else own.set(name, value);
    }
    this.#own = Object.fromEntries(own);
    this.#all = { ...this.#own, ...this.#builtIn };
  }
}
