import type { Engine } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import type { TableDefinition } from "../../values/keys/index-fields.ts";
import type { Schema } from "../checks/schema.ts";
import { planQuery, type QueryPlan, type SerializedQuery } from "./serialized-query.ts";
import { parseSyscallArgs } from "./syscall-args.ts";

const maxPlans = 2_000;
/** Longer queries are planned each time. */
const maxLength = 2_000;

type Known = {
  readonly plan: QueryPlan;
  /** The table's definition for which the query was planned. Its indexes may change. */
  readonly definition: TableDefinition | null;
};

/** Plans of recent queries, since functions make the same queries again and again. */
export class QueryPlans {
  readonly #known = new Map<string, Known>();

  /** @param argsJson the arguments of `1.0/queryStream`. Throws a SyscallError if the query cannot be run. */
  of(engine: Engine, schema: Pick<Schema, "staged">, component: ComponentPath, argsJson: string): QueryPlan {
    const key = `${component} ${argsJson}`;
    const known = this.#known.get(key);
    if (known !== undefined && engine.definitionOf(known.plan.table) === known.definition) return known.plan;
    const query = parseSyscallArgs("1.0/queryStream", argsJson)["query"] as unknown as SerializedQuery;
    const plan = planQuery(engine, schema, component, query);
    if (key.length <= maxLength) {
      if (this.#known.size >= maxPlans) this.#known.clear();
      this.#known.set(key, { plan, definition: engine.definitionOf(plan.table) });
    }
    return plan;
  }
}
