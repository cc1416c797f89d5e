import type { JSONValue } from "convex/values";
import type { Engine } from "../engine/model/types.ts";
import { type ComponentPath, engineTableName } from "../names/table-name.ts";
import type { LoadedComponents } from "../runtime/bundle/loaded-components.ts";
import { findMisfit } from "../runtime/checks/schema.ts";
import type { ValidatorJson } from "../runtime/checks/validator-json.ts";
import { isSubset } from "../runtime/checks/validator-subset.ts";

/** The engine, as far as predictions need it. */
export type Stored = Pick<Engine, "begin" | "countDocuments" | "definitionOf" | "discard">;

type Outcome = "notValidated" | "supersetOfEnforced" | "supersetOfStagedValidated" | "mustWalk";

/** A table that has a staged validator, in the present code or in the pushed code. */
type StagedTable = {
  readonly table: string;
  readonly present: ValidatorJson | undefined;
  readonly pushed: ValidatorJson | undefined;
  /** Whether the push stages or applies a validator that accepts all that the present one does. */
  readonly isKept: boolean;
  readonly outcome: Outcome;
};

const any: ValidatorJson = { type: "any" };

/**
 * Predicts for the convex command how a push changes tables with staged validators. Convex checks them in the background and at
 * each write. Here the documents are checked when the command asks.
 */
export function stagedPredictions(
  before: LoadedComponents,
  after: LoadedComponents,
  component: ComponentPath,
  stored: Stored,
): { readonly tables: JSONValue[]; readonly discardedStagedValidators: JSONValue[] } {
  const staged = stagedTables(before, after, component, stored).flatMap(({ present, ...table }) =>
    present === undefined ? [] : [{ ...table, present }],
  );
  const states = staged.map((each) => ({
    ...each,
    error: findMisfit(stored, component, each.table, each.present)?.message ?? null,
  }));
  return {
    tables: states.map(({ table, outcome, error }) => ({
      name: table,
      outcome,
      numDocs: countIn(stored, component, table),
      sizeBytes: 0,
      staged: error === null ? { state: "valid" } : { state: "failed", error },
    })),
    discardedStagedValidators: states
      .filter(({ error, isKept }) => error === null && !isKept)
      .map(({ table, pushed }) => ({
        tableName: table,
        state: { state: "valid" },
        replaced: pushed !== undefined,
      })),
  };
}

/**
 * Returns Convex's message if pushed code stages a validator for a table whose documents it would have to check at once, too;
 * null otherwise.
 */
export function stagedConflict(
  before: LoadedComponents,
  after: LoadedComponents,
  stored: Stored,
): string | null {
  const walked = after.all.flatMap(({ path }) =>
    stagedTables(before, after, path, stored)
      .filter(({ pushed, outcome }) => pushed !== undefined && outcome === "mustWalk")
      .map(({ table }) => table),
  );
  if (walked.length === 0) return null;
  return `Cannot stage validators on tables whose enforced validator change needs their documents walked: ${walked.sort().join(", ")}. Put the whole change in the staged validator instead, so the table is walked once, in the background.`;
}

function stagedTables(
  before: LoadedComponents,
  after: LoadedComponents,
  component: ComponentPath,
  stored: Stored,
): readonly StagedTable[] {
  const [old, next] = [before.schemaOf(component), after.schemaOf(component)];
  const names = new Set([...old.stagedValidators.keys(), ...next.stagedValidators.keys()]);
  return [...names].sort().map((table) => {
    const [present, pushed] = [old.stagedValidators.get(table), next.stagedValidators.get(table)];
    const enforced = next.validators.get(table);
    const accepts = (validator: ValidatorJson | undefined): boolean =>
      present !== undefined && validator !== undefined && isSubset(present, validator);
    const outcome = (): Outcome => {
      if (enforced === undefined) return "notValidated";
      const isNew = !old.tables.some(({ name }) => name === table) && countIn(stored, component, table) === 0;
      if (isNew || isSubset(old.validators.get(table) ?? any, enforced)) return "supersetOfEnforced";
      const isProven = accepts(enforced) && findMisfit(stored, component, table, present) === null;
      return isProven ? "supersetOfStagedValidated" : "mustWalk";
    };
    return { table, present, pushed, isKept: accepts(pushed) || accepts(enforced), outcome: outcome() };
  });
}

function countIn(stored: Stored, component: ComponentPath, table: string): number {
  return stored.countDocuments(engineTableName({ component, table }));
}
