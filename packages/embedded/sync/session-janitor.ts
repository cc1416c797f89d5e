import type { Engine } from "../engine/model/types.ts";
import { removeRange } from "../engine/transact/remove-range.ts";
import { sessionTable } from "../runtime/tables/session-requests.ts";
import { toKeyRange } from "../values/keys/index-range.ts";

/** How long a client may be away and still be answered from its records, in ms: two weeks, as in Convex. */
const forgetAfterMs = 14 * 24 * 60 * 60 * 1000;

const byCreationTime = {
  table: sessionTable.name,
  index: "by_creation_time",
  keyFields: ["_creationTime", "_id"],
};

/**
 * Removes the records of sessions that never came back. Active sessions remove their own records as they
 * acknowledge them.
 * @param now ms since the epoch
 * @returns the number of removed records
 */
export function sweepSessionRequests(engine: Engine, now: number, signal?: AbortSignal): Promise<number> {
  const createdBefore = toKeyRange(byCreationTime, [
    { type: "Lt", fieldPath: "_creationTime", value: now - forgetAfterMs },
  ]);
  return removeRange(engine, createdBefore, signal);
}
