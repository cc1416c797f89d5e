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

/**
 * What the deployment's functions see as `process.env`. `variables` is the object that the runtime reads
 * at each access, so that a change needs no restart. Changes last until the backend stops.
 */
export class EnvironmentVariables {
  readonly #variables: Record<string, string | undefined>;

  constructor(variables: Record<string, string | undefined>) {
    this.#variables = variables;
  }

  list(): readonly EnvironmentVariable[] {
    return Object.entries(this.#variables)
      .flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  update(changes: readonly EnvironmentChange[]): void {
    for (const { name, value } of changes) {
      if (value === null) Reflect.deleteProperty(this.#variables, name);
      else this.#variables[name] = value;
    }
  }
}
