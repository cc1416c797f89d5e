import { parseBody, requestBody } from "../../../app/jobs/parse/parse-body.ts";
import { hasNoBody } from "../../../app/openapi/query.ts";
import { fromParse } from "../errors.ts";
import type { ApiError } from "../respond.ts";
import { readBody } from "./readBody.ts";

const noFields = requestBody({}, {});

/**
 * The error of a body whose call has none, such as one that cancels. Null: it asks for nothing, as an object without fields, which some
 * clients send.
 */
export async function unknownBody(request: Request): Promise<ApiError | null> {
  if (request.body === null || !hasNoBody(request.method, new URL(request.url).pathname)) return null;
  const body = await readBody(request);
  if (body.kind === "refused") return body.error;
  if (["", "null"].includes(body.text.trim())) return null;
  const parsed = parseBody(noFields, body.text);
  return parsed.kind === "refused" ? fromParse(parsed.refusal) : null;
}
