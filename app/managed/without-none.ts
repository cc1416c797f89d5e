import { isRecord } from "../json.ts";

/** Stands for null in registries and property lists, which have no null. */
export const none = "none";

/** Replaces "none" by null in each property. A list keeps it, since a program may have this name. */
export function withoutNone(value: unknown): unknown {
  if (value === none) return null;
  if (Array.isArray(value)) return value.map((each: unknown) => (isRecord(each) ? withoutNone(each) : each));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutNone(each)]));
}
