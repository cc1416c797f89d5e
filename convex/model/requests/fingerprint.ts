import type { Work } from "../../../app/jobs/work.ts";
import { hashSecret } from "../keys/hash.ts";

/** The same for what is asked twice, in whatever order its fields stand; other for anything else. */
export async function fingerprintOf(model: string, { kind, request }: Work): Promise<string> {
  return await hashSecret(JSON.stringify([kind, model, request], inOrder));
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
