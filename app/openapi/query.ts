import type { Operation, QueryName } from "./operation.ts";
import { operations } from "./operations.ts";

/** The parameters that the address of a call may have. Null: no call has this method and path. */
export function queryOf(method: string, path: string): readonly QueryName[] | null {
  const called = operationOf(method, path);
  return called === undefined ? null : (called.query ?? []);
}

/** Whether there is a call with this method and path, and it has no body. */
export function hasNoBody(method: string, path: string): boolean {
  const called = operationOf(method, path);
  return called !== undefined && called.body === undefined;
}

function operationOf(method: string, path: string): Operation | undefined {
  return operations.find((each) => each.method === method.toLowerCase() && isPath(path, each.path));
}

const modelsPath = "/v1/models/";

/** @param pattern a path with at most one `{id}`. Only a model's id may contain slashes. */
function isPath(path: string, pattern: string): boolean {
  const [before = "", after] = pattern.split("{id}");
  if (after === undefined) return path === pattern;
  if (!path.startsWith(before) || !path.endsWith(after)) return false;
  const id = path.slice(before.length, path.length - after.length);
  return id !== "" && (before === modelsPath || !id.includes("/"));
}
