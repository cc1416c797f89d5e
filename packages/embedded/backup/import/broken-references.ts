import { setImmediate } from "node:timers/promises";
import type { Engine } from "../../engine/model/types.ts";
import { type ComponentPath, parseEngineTableName } from "../../names/table-name.ts";
import { checkNewDocument, type Schema, withoutSystemFields } from "../../runtime/checks/schema.ts";
import type { ValidatorJson } from "../../runtime/checks/validator-json.ts";
import { fullRange } from "../../values/keys/index-range.ts";
import { ImportFailure } from "../read/import-failure.ts";
import type { ImportPlan } from "./planned-tables.ts";
import { tablesAfter } from "./tables-after.ts";

const documentsPerTurn = 200;

/**
 * Throws ImportFailure if documents would refer to ids without a table. Ids contain the number of their table.
 * So they break when an import renumbers or removes a table to which other documents refer.
 */
export async function assertReferencesHold(
  engine: Engine,
  plan: ImportPlan,
  schemaOf: (component: ComponentPath) => Schema,
): Promise<void> {
  const moved = movedTables(engine, plan);
  if (moved.size === 0) return;
  const planned = new Set([
    ...plan.drop,
    ...plan.tables.filter(({ append }) => !append).map(({ name }) => name),
  ]);
  for (const { name } of engine.tables()) {
    const { component, table } = parseEngineTableName(name);
    const schema = schemaOf(component);
    const validator = schema.validators.get(table);
    if (planned.has(name) || validator === undefined || !namesOneOf(validator, component, moved)) continue;
    await checkTable(engine, name, (document) =>
      checkNewDocument(schema, table, withoutSystemFields(document), tablesAfter(engine, plan, component)),
    );
  }
}

function movedTables(engine: Engine, { tables, drop }: ImportPlan): ReadonlySet<string> {
  const before = new Map(engine.tables().map(({ name, number }) => [name, number]));
  const renumbered = tables.filter(({ name, number }) => before.has(name) && before.get(name) !== number);
  return new Set([...drop, ...renumbered.map(({ name }) => name)]);
}

function namesOneOf(validator: ValidatorJson, component: ComponentPath, moved: ReadonlySet<string>): boolean {
  const text = JSON.stringify(validator);
  return [...moved].some((name) => {
    const parsed = parseEngineTableName(name);
    return parsed.component === component && text.includes(`"tableName":${JSON.stringify(parsed.table)}`);
  });
}

async function checkTable(
  engine: Engine,
  name: string,
  check: (document: Parameters<typeof withoutSystemFields>[0]) => string | null,
): Promise<void> {
  const transaction = engine.begin();
  try {
    const scan = transaction.scan(fullRange(name, "by_id"), "asc");
    let seen = 0;
    for (let entry = scan.next(); entry !== null; entry = scan.next()) {
      const problem = check(entry.document);
      if (problem !== null) {
        throw new ImportFailure(
          `The import changes the ids of a table that others refer to. In table "${name}", document ` +
            `"${entry.document["_id"] as string}": ${problem} Import these tables together.`,
        );
      }
      seen += 1;
      if (seen % documentsPerTurn === 0) await setImmediate();
    }
  } finally {
    engine.discard(transaction);
  }
}
