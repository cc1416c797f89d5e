import type { JSONValue } from "convex/values";
import * as z from "zod";
import type { Timestamp } from "../../engine/model/types.ts";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import { parseWith } from "../../wire/describe-faults.ts";
import { decodeTimestamp } from "../../wire/timestamps.ts";
import type { ValueFormat } from "../plain-json.ts";

export type FunctionRequest = {
  readonly path: string;
  readonly args: JSONValue;
  readonly format: ValueFormat;
  readonly ts: Timestamp | null;
  /** The function's component; "" is the app. */
  readonly component: ComponentPath;
};

type ParsedRequest =
  | { readonly kind: "ok"; readonly request: FunctionRequest }
  | { readonly kind: "invalid"; readonly reason: string };

const json = z.custom<JSONValue>((value) => value !== undefined);

const body = z.object({
  path: z.string().min(1).max(1024),
  /** One object, either bare or, from the JavaScript client, as the only element of an array. */
  args: z
    .union([z.array(json).max(1), z.record(z.string(), json)], "must be an object, or an array of one object")
    .default({})
    .transform((args): JSONValue => (Array.isArray(args) ? (args[0] ?? {}) : args)),
  format: z.enum(["json", "convex_encoded_json"]).default("json"),
  ts: z.string().optional(),
  componentPath: z.string().max(1024).nullish(),
});

/** Parses the body of a function call. For `/api/run/{path}` the path comes from the URL. */
export function parseFunctionRequest(value: JSONValue, pathFromUrl?: string): ParsedRequest {
  const withPath = pathFromUrl === undefined || !isObject(value) ? value : { ...value, path: pathFromUrl };
  const parsed = parseWith(body, withPath);
  if (parsed.kind === "invalid") return parsed;
  const { path, args, format, ts: encodedTs, componentPath } = parsed.value;
  const ts = encodedTs === undefined ? null : decodeTimestamp(encodedTs);
  if (encodedTs !== undefined && ts === null)
    return { kind: "invalid", reason: "ts must be a timestamp, as query_ts returns it" };
  return { kind: "ok", request: { path, args, format, ts, component: componentPath ?? appComponent } };
}

/** `/api/run/folder/module/name` names `folder/module:name`. Null when there is no name after a module. */
export function functionPathOfUrl(rest: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(rest);
  } catch {
    return null;
  }
  if (decoded.includes(":")) return decoded;
  const slash = decoded.lastIndexOf("/");
  return slash <= 0 ? null : `${decoded.slice(0, slash)}:${decoded.slice(slash + 1)}`;
}

function isObject(
  value: JSONValue,
): value is Exclude<JSONValue, null | boolean | number | string | JSONValue[]> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
