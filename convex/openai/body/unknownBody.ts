import { parseBody, requestBody } from "../../../app/jobs/parse/parse-body.ts";
import { hasNoBody } from "../../../app/openapi/query.ts";
import { bodyNotUtf8, bodyTooLarge, fromParse } from "../errors.ts";
import type { ApiError } from "../respond.ts";
import { readBody } from "./readBody.ts";

const noFields = requestBody({}, {});
const mostBytes = 64 * 1024;

/**
 * The error of a body whose call has none, such as one that cancels. Null: it asks for nothing, as an object without fields, which some
 * clients send.
 */
export async function unknownBody(request: Request): Promise<ApiError | null> {
  if (request.body === null || !hasNoBody(request.method, new URL(request.url).pathname)) return null;
  const body = await readBody(request, mostBytes, false);
  if (body.kind !== "text") return body.kind === "too large" ? bodyTooLarge : bodyNotUtf8;
  if (["", "null"].includes(body.text.trim())) return null;
  const parsed = parseBody(noFields, body.text);
  return parsed.kind === "refused" ? fromParse(parsed.refusal) : null;
}
