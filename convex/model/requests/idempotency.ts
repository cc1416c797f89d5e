import { visibleText } from "../../../app/format/visible.ts";
import type { Work } from "../../../app/jobs/work.ts";
import type { Doc } from "../../_generated/dataModel.js";
import { hashSecret } from "../authenticate.ts";
import { refuse, wellFormed } from "../refuse.ts";
import { isNoNeed } from "./needs.ts";
import type { Submission } from "./submission.ts";
import { furtherHash } from "./votes.ts";

const maxIdempotencyChars = 255;
const idempotencyHeader = "Idempotency-Key";

/** A hash of an API key and its idempotency key. Refuses: invalid. */
export async function idempotencyHash({ _id }: Doc<"apiKeys">, idempotencyKey: string): Promise<string> {
  if (idempotencyKey === "" || idempotencyKey.length > maxIdempotencyChars) {
    refuse(
      "invalid",
      `An idempotency key has 1 to ${String(maxIdempotencyChars)} characters.`,
      idempotencyHeader,
    );
  }
  wellFormed(idempotencyKey, "An idempotency key");
  return await hashSecret(`${_id}:${idempotencyKey}`);
}

/** The first part has the call's own, so that another call with this key is found. */
async function partHash(key: Doc<"apiKeys">, ofCall: string, part: Submission["part"]): Promise<string> {
  if (part?.of === undefined) return ofCall;
  return await furtherHash(key._id, part.of, part.index);
}

/** Identifies repeats of a request. The queue's idempotency keys belong to the organization, ours to an API key. */
export async function idempotencyOf(
  key: Doc<"apiKeys">,
  { model, alias = model, work, idempotencyKey, requires, part, apart = false }: Submission,
): Promise<{
  readonly idempotencyKey?: string;
  readonly apart?: string;
  readonly externalId?: string;
  readonly fingerprint?: string;
}> {
  if (idempotencyKey === undefined) return {};
  const hash = await idempotencyHash(key, idempotencyKey);
  return {
    idempotencyKey: await partHash(key, hash, part),
    ...(apart ? { apart: hash } : {}),
    // The requester's own name for the job: the console finds the job by it.
    externalId: visibleText(idempotencyKey),
    fingerprint: await fingerprintOf(alias, work, [
      ...(isNoNeed(requires) ? [] : [requires]),
      ...(part === undefined ? [] : [part.callHash]),
    ]),
  };
}

/** A hash of a request that does not depend on the order of its fields. @param more what only some requests have. */
async function fingerprintOf(
  model: string,
  { kind, request }: Work,
  more: readonly unknown[],
): Promise<string> {
  return await hashSecret(JSON.stringify([kind, model, request, ...more], withSortedFields));
}

function withSortedFields(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
