import { createHash } from "node:crypto";
import type { Engine } from "../../engine/model/types.ts";
import { type ComponentPath, engineTableName } from "../../names/table-name.ts";
import { checkStoredDocuments, type Schema } from "./schema.ts";

type SchemaAt = { readonly path: ComponentPath; readonly modules: { readonly schema: Schema } };

/** Raise it when a changed check may refuse documents that passed before with the same validator. */
const checkVersion = 1;

/**
 * Checks the stored documents of all tables whose validator has changed since their last check, applies the schema, and
 * records the checked validators. If it throws SchemaMismatchError, the old schema stays applied.
 */
export function checkChangedTables(
  engine: Engine,
  components: Iterable<SchemaAt>,
  applySchema: () => void,
): void {
  const now = checkTables(engine, components);
  applySchema();
  if (!isSame(engine.verified(), now)) engine.setVerified(now);
}

/**
 * Checks the stored documents of all tables whose validator has changed since their last check. Other tables need no check,
 * since each write was checked. Returns the validators' fingerprints by table. Throws SchemaMismatchError.
 */
export function checkTables(engine: Engine, components: Iterable<SchemaAt>): ReadonlyMap<string, string> {
  const before = engine.verified();
  const now = new Map<string, string>();
  for (const { path, modules } of components) {
    const { schema } = modules;
    const changed: string[] = [];
    for (const [table, validator] of schema.validators) {
      const stored = engineTableName({ component: path, table });
      const fingerprint = fingerprintOf(validator);
      now.set(stored, fingerprint);
      if (before.get(stored) !== fingerprint) changed.push(table);
    }
    if (changed.length > 0) checkStoredDocuments(engine, schema, path, changed);
  }
  return now;
}

function fingerprintOf(validator: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify([checkVersion, validator]));
  return `sha256:${hash.digest("base64")}`;
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([table, fingerprint]) => b.get(table) === fingerprint);
}
