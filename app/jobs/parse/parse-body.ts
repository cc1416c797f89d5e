import * as z from "zod";
import { type Field, type Fields, type UnknownField, unknownField } from "../../fields/field.ts";
import { mistakeInWords, mustBe } from "../../format/mistake.ts";
import { quotable } from "../../format/visible.ts";
import { excessOf, isRecord, parseJson } from "../../json.ts";
import { limits } from "../limits.ts";
import type { TextOrIds } from "../payload/token-ids.ts";
import { utf8Length } from "../utf8.ts";

/** Why a body is refused, in the terms of OpenAI's error object. */
export type BodyRefusal = {
  readonly status: 400 | 413;
  readonly code: string;
  /** The invalid field, such as "messages[2].content". Null for the whole body. */
  readonly param: string | null;
  readonly message: string;
};

export type BodyParse<Asked> =
  | { readonly kind: "parsed"; readonly asked: Asked }
  | { readonly kind: "refused"; readonly refusal: BodyRefusal };

export const text = z
  .string()
  .refine((value) => !/\p{Surrogate}/u.test(value), "must be well-formed Unicode");

const documented = new WeakMap<object, z.ZodType>();

/** A schema of the same values, for documents. Null if the schema shows its values itself. */
export function documentedAs(schema: object): z.ZodType | null {
  return documented.get(schema) ?? null;
}

function documentAs<Schema extends z.ZodType>(schema: Schema, shown: z.ZodType): Schema {
  documented.set(schema, shown);
  return schema;
}

/** The schema of a request's body, and the table that has its fields. `oneOf`: fields of which a request must have exactly one. */
export type RequestBody<Schema extends z.ZodObject = z.ZodObject> = {
  readonly schema: Schema;
  readonly fields: Fields;
  readonly oneOf: readonly string[];
};

/** The fields of a table that a parser has to read. */
type ReadNames<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends Field<"inert"> ? never : Name;
}[keyof Table];

/**
 * @param shape a schema for each field of the table that is not inert, and for no other.
 * @param oneOf fields of which a request must have exactly one. Its parser has to refuse others.
 */
export function requestBody<
  const Table extends Fields,
  const Shape extends Readonly<Record<ReadNames<Table>, z.ZodType>>,
>(
  fields: Table,
  shape: Shape & Readonly<Record<Exclude<keyof Shape, keyof Table>, never>>,
  oneOf: readonly (keyof Table & string)[] = [],
): RequestBody<z.ZodObject<{ -readonly [Name in keyof Shape]: Shape[Name] }>> {
  return { schema: z.object<{ -readonly [Name in keyof Shape]: Shape[Name] }>(shape), fields, oneOf };
}

/** A list. Its first wrong element ends the parse, since zod's descriptions of many wrong ones cost seconds. */
export function boundedList<Element extends z.ZodType>(element: Element, { least = 0, most }: ListBounds) {
  const bounds = z.array(z.unknown()).min(least).max(most);
  return documentAs(bounds, z.array(element).min(least).max(most)).transform((values, context) => {
    const parsed: z.output<Element>[] = [];
    for (const [index, value] of values.entries()) {
      const { data, error } = element.safeParse(value, { error: mistakeInWords });
      if (error !== undefined) {
        for (const issue of error.issues) {
          context.issues.push({ ...issue, path: [index, ...issue.path] } as z.core.$ZodRawIssue);
        }
        return z.NEVER;
      }
      parsed.push(data);
    }
    return parsed;
  });
}

/**
 * A list of numbers by one schema, and every other value by another. Chosen by the first element, since a union would read a long
 * list once for each of its schemas.
 */
export function numbersOr<Numbers extends z.ZodType, Other extends z.ZodType>(
  numbers: Numbers,
  other: Other,
) {
  return documentAs(z.unknown(), z.union([other, numbers])).transform((value, context) => {
    const isNumbers = Array.isArray(value) && typeof value[0] === "number";
    const { data, error } = (isNumbers ? numbers : other).safeParse(value, { error: mistakeInWords });
    if (error === undefined) return data;
    for (const issue of error.issues) context.issues.push(issue as z.core.$ZodRawIssue);
    return z.NEVER;
  });
}

type ListBounds = { readonly least?: number; readonly most: number };

/** An object with at most `most` fields of any name. They are counted before any is parsed. */
export function boundedRecord<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  most: number,
) {
  const record = z.record(key, value);
  const counted = z.custom<z.input<z.ZodRecord<Key, Value>>>(
    (given) => !isRecord(given) || Object.keys(given).length <= most,
    { error: `must have at most ${String(most)} fields`, abort: true },
  );
  return documentAs(counted, record).pipe(record);
}

/** A field that is not supported. It may be absent, null or an empty list, since none of these asks for anything. */
export function absent(reason: string) {
  const asksForNothing = (value: unknown): boolean =>
    value == null || (Array.isArray(value) && value.length === 0);
  const schema = z.custom<unknown>(asksForNothing, { error: reason, params: { unsupported: true } });
  return documentAs(schema, z.union([z.null(), z.array(z.unknown()).max(0)])).optional();
}

/** A field that is parsed after its body's translation into another call's, by this schema. */
export function parsedLater(schema: z.ZodType) {
  return documentAs(z.unknown(), schema).optional();
}

/** The error of a discriminated union: `why` tells the accepted discriminators. A value that is no object has another one. */
export function oneOfForms(why: string): z.core.$ZodErrorMap {
  return ({ code }) => (code === "invalid_union" ? why : undefined);
}

/**
 * Parses a JSON body. A refusal names the first invalid field, or a field that the body's table does not have. Counts the values
 * first, so that neither a refusal nor a parse takes longer than a few milliseconds.
 */
export function parseBody<Schema extends z.ZodObject>(
  { schema, fields }: RequestBody<Schema>,
  json: string,
): BodyParse<z.infer<Schema>> {
  const excess = excessOf(json, { values: limits.bodyValues, depth: limits.bodyDepth });
  if (excess === "values") {
    const most = String(limits.bodyValues);
    const message = `The body has more than ${most} values (lists, objects and all that is in them). Send less at once.`;
    return refuse(413, "request_too_large", null, message);
  }
  if (excess === "depth") {
    const message = `The body has lists and objects more than ${String(limits.bodyDepth)} levels deep.`;
    return refuse(400, "invalid_request_body", null, message);
  }
  const body = parseJson(json);
  if (body === undefined) return refuse(400, "invalid_json", null, "The body is not valid JSON.");
  // A misspelled name comes before the required field that is missing because of it.
  const misnamed = refuseUnknown(body, fields, 1);
  if (misnamed !== null) return misnamed;
  const parsed = schema.safeParse(body, { error: mistakeInWords });
  if (!parsed.success) return { kind: "refused", refusal: refusalOf(parsed.error, body) };
  // Only now, because an object of a form that is not supported has fields of its own.
  return refuseUnknown(body, fields) ?? { kind: "parsed", asked: parsed.data };
}

function refuseUnknown(body: unknown, fields: Fields, levels?: number): Refused | null {
  const unknown = unknownField(body, fields, levels);
  return unknown === null ? null : { kind: "refused", refusal: unknownParameter(unknown) };
}

/** The refusal of a field that no table has. */
export function unknownParameter({ path, meant }: UnknownField): BodyRefusal {
  const param = quotable(pathName(path));
  const known = meant === null ? null : quotable(pathName([...path.slice(0, -1), meant]));
  const hint = known === null ? "" : ` Did you mean '${known}'?`;
  return { status: 400, code: "unknown_parameter", param, message: `Unknown parameter: '${param}'.${hint}` };
}

export type Refused = Extract<BodyParse<never>, { readonly kind: "refused" }>;

export function refuse(status: 400 | 413, code: string, param: string | null, message: string): Refused {
  return { kind: "refused", refusal: { status, code, param, message } };
}

export function refuseField(param: string, why: string): Refused {
  return refuse(400, "invalid_value", param, `Invalid '${param}': ${why}.`);
}

/** Refuses more text than a prompt may have. Null if there is no more. The values of a body bound its ids of tokens. */
export function refuseSize(param: string, texts: readonly TextOrIds[]): Refused | null {
  const bytes = texts.reduce((sum, each) => sum + (typeof each === "string" ? utf8Length(each) : 0), 0);
  const most = limits.promptBytes;
  if (bytes <= most) return null;
  const message = `'${param}' has ${String(bytes)} bytes of text; at most ${String(most)} are accepted.`;
  return refuse(413, "request_too_large", param, message);
}

/**
 * A refusal of a translated body in the terms of the one that was sent. Only names at the beginning of a field's path are ours:
 * a schema in it may have any names.
 * @param names what a path begins with, and what to write instead; the first that matches counts.
 */
export function inOwnTerms(
  { kind, refusal }: Refused,
  names: readonly (readonly [begins: RegExp, own: string])[],
): Refused {
  const { param, message } = refusal;
  const found = param === null ? undefined : names.find(([begins]) => begins.test(param));
  if (param === null || found === undefined) return { kind, refusal };
  const own = param.replace(...found);
  return {
    kind,
    refusal: { ...refusal, param: own, message: message.replace(`'${param}'`, () => `'${own}'`) },
  };
}

/** The refusal of a body that a schema refused. It names the first mistake. */
export function refusalOf({ issues: [issue] }: z.ZodError, body: unknown): BodyRefusal {
  const deepest = issue === undefined ? undefined : deepestOf(issue, []);
  const param = deepest === undefined ? "" : quotable(pathName(deepest.path));
  if (deepest === undefined || param === "") {
    const message = "The body must be a JSON object.";
    return { status: 400, code: "invalid_request_body", param: null, message };
  }
  const code = codeOf(deepest, body);
  const message =
    code === "missing_required_parameter"
      ? `Missing '${param}', which is required.`
      : `Invalid '${param}': ${deepest.issue.message}.`;
  return { status: 400, code, param, message };
}

type Located = { readonly issue: z.core.$ZodIssue; readonly path: readonly PropertyKey[] };

/** In a union, returns the issue of the branch that matched furthest, since the requester probably meant that one. */
function deepestOf(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): Located {
  const path = [...base, ...issue.path];
  if (issue.code !== "invalid_union") return { issue, path };
  const inner = issue.errors.flatMap((branch) => branch.map((each) => deepestOf(each, path)));
  const best = inner.reduce(
    (most, each) => (reach(each) > reach(most) ? each : most),
    inner[0] ?? { issue, path },
  );
  return best.issue.code === "invalid_type" ? ofEitherType(best, inner) : best;
}

/** The issue of a value that has none of the types which a union accepts. It names them all. */
function ofEitherType(best: Located, inner: readonly Located[]): Located {
  const { path } = best;
  const expected = inner.flatMap((each) =>
    each.issue.code === "invalid_type" && reach(each) === reach(best) ? [each.issue.expected] : [],
  );
  return { issue: { ...best.issue, message: mustBe(expected) }, path };
}

/** A value out of bounds matched further than a value of the wrong type. */
function reach({ issue, path }: Located): number {
  return 2 * path.length + (issue.code === "invalid_type" ? 0 : 1);
}

function pathName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${String(part)}]`;
    return name === "" ? String(part) : `${name}.${String(part)}`;
  }, "");
}

function codeOf({ issue, path }: Located, body: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "never") return "unsupported_value";
      return isMissing(path, body) ? "missing_required_parameter" : "invalid_type";
    case "invalid_union": // The discriminator matches no branch.
    case "invalid_value":
      return isMissing(path, body) ? "missing_required_parameter" : "unsupported_value";
    case "custom":
      return issue.params?.["unsupported"] === true ? "unsupported_parameter" : "invalid_value";
    default:
      return "invalid_value";
  }
}

/** JSON has no undefined, so only a field that is not in the body has this value. */
function isMissing(path: readonly PropertyKey[], body: unknown): boolean {
  const at = (value: unknown, part: PropertyKey): unknown =>
    typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined;
  return path.reduce(at, body) === undefined;
}
