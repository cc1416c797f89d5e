import { parseJson } from "../json.ts";

/** Variables by which a donor tells a runner how to start. No schemas here: a runner's first step must be quick. */

/**
 * Tests set GLEANER_TEST_PRIORITY=normal: at the lowest priority a runner gets no processor while other tests run.
 * @param env the environment of the donor or of the runner.
 */
export function keepsPriority(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["GLEANER_TEST_PRIORITY"] === "normal";
}

/** The paths that a runner needs, apart from the program and the system's libraries. All are absolute. */
export type ConfinementOrder = {
  /** Files, and folders with all that is in them, to read: the models. */
  readonly read: readonly string[];
  /** The only folder to write to, for the caches of graphics drivers. Null: none. */
  readonly cache: string | null;
  /** Linux: the path of bubblewrap, for kernels without a complete Landlock. Null: not installed. */
  readonly bubblewrap: string | null;
  /** The machine's owner has switched the confinement off. */
  readonly off: boolean;
};

const variable = "GLEANER_CONFINEMENT";

export function confinementVariable(order: ConfinementOrder): Readonly<Record<string, string>> {
  return { [variable]: JSON.stringify(order) };
}

/** A runner without an order may read no model, and write nowhere. */
export function confinementOrder(env: Readonly<Record<string, string | undefined>>): ConfinementOrder {
  const found = parseJson(env[variable] ?? "{}") as
    | {
        readonly [Key in keyof ConfinementOrder]?: unknown;
      }
    | null;
  const { read, cache, bubblewrap, off } = found ?? {};
  return {
    read: Array.isArray(read) ? read.filter((path) => typeof path === "string") : [],
    cache: typeof cache === "string" ? cache : null,
    bubblewrap: typeof bubblewrap === "string" ? bubblewrap : null,
    off: off === true,
  };
}
