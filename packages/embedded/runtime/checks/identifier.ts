import { limits } from "./limits.ts";

// Convex allows only printable ASCII in field names.
const notInFieldName = /[^ -~]/u;
const notInIdentifier = /[^a-zA-Z0-9_]/u;

/** Returns Convex's message for an invalid field name; null if the name is valid. */
export function fieldNameProblem(name: string): string | null {
  if (name.startsWith("$")) return `Field name ${name} starts with '$', which is reserved.`;
  const bad = notInFieldName.exec(name)?.[0];
  if (bad !== undefined) {
    return `Field name ${name} has invalid character '${bad}': Field names can only contain non-control ASCII characters`;
  }
  if (name.length > limits.fieldNameLength) {
    return `Field name is too long (${name.length} > maximum ${limits.fieldNameLength})`;
  }
  return null;
}

/**
 * Returns Convex's message for an invalid name of a table or of a part of an index's field path; null if the
 * name is valid.
 */
export function identifierProblem(name: string): string | null {
  if (name === "") return "Identifier cannot be empty";
  const [first = ""] = name;
  if (!/[a-zA-Z_]/.test(first)) {
    return `Invalid first character '${first}' in ${name}: Identifiers must start with an alphabetic character or underscore`;
  }
  const bad = notInIdentifier.exec(name)?.[0];
  if (bad !== undefined) {
    return `Identifier ${name} has invalid character '${bad}': Identifiers can only contain alphanumeric characters or underscores`;
  }
  if (name.length > limits.identifierLength) {
    return `Identifier is too long (${name.length} > maximum ${limits.identifierLength})`;
  }
  return /^_+$/.test(name) ? `Identifier ${name} cannot have exclusively underscores` : null;
}
