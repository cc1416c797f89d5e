import type { JSONValue } from "convex/values";
import type { DocumentJson } from "../../engine/model/types.ts";
import { LIMITS } from "./limits.ts";

/** Why a value cannot be a document, besides its schema, in Convex's words. `fields`: without the system fields. */
export function documentProblems(fields: DocumentJson, nesting: number): readonly string[] {
  const problems: string[] = [];
  if (nesting > LIMITS.documentNesting) {
    problems.push(
      `Document is too nested (nested ${nesting} levels deep > maximum nesting ${LIMITS.documentNesting})`,
    );
  }
  for (const [field, value] of Object.entries(fields)) {
    if (field.startsWith("_")) {
      problems.push(
        `Field '${field}' starts with an underscore, which is only allowed for system fields like '_id'`,
      );
    }
    checkNested(value, problems);
  }
  return problems;
}

function checkNested(value: JSONValue, problems: string[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) checkNested(element, problems);
    return;
  }
  for (const [field, inner] of Object.entries(value)) {
    if (field.startsWith("_")) {
      problems.push(`Field '${field}' starts with an underscore, which is not allowed for nested fields`);
    }
    checkNested(inner, problems);
  }
}
