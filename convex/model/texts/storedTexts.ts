import type { ClaimedJob } from "@gleaner/queue/validators";
import { ConvexError, convexToJson, jsonToConvex, type JSONValue, type Value } from "convex/values";
import { isRecord } from "../../../app/json.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { authenticateDevice } from "../authenticate.ts";
import { type Refusal, refuseUntil } from "../refuse.ts";
import { bytesOfKey, currentKey, type OpenKey } from "./currentKey.ts";
import { decrypt, encrypt } from "./envelope.ts";
import { keyReturnMs, masterKey } from "./masterKey.ts";

/** The kinds of texts. A ciphertext of one kind does not open as another one. */
export type TextKind = "payload" | "result" | "chunk";

/** The first byte of a ciphertext. A later form gets another one. */
const version = 1;
/** After the version and the length of the key's id. */
const idAt = 2;

/** How long a new organization waits for its key, with much room. */
const keyMakingMs = 10_000;

/**
 * The key with which texts of an organization are encrypted now. Null: the deployment has no master key, and the organization no data
 * key, so they are stored as they are. Refuses (draining) while a new organization has no data key yet, or while the deployment lacks
 * its master key: what has to be encrypted is never stored plain.
 */
export async function writingKey(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<OpenKey | null> {
  const key = await currentKey(ctx, organizationId);
  if (key !== null) {
    const bytes = bytesOfKey(key);
    return bytes === null ? refuseLocked() : { id: key._id, bytes };
  }
  if (masterKey() === null) return null;
  return refuseUntil("draining", "The key for this organization's texts is being made.", keyMakingMs);
}

function refuseLocked(): never {
  const why =
    "This deployment lacks the key for this organization's texts. Its operator has to set GLEANER_DATA_KEY.";
  return refuseUntil("draining", why, keyReturnMs);
}

/**
 * Waits for what needs a key in a device's call. Throws a plain error if the key is missing now: then the device sends its answer
 * again. It takes a refusal as the end of its answer.
 */
export async function orRetried<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof ConvexError)) throw thrown;
    const { code, message } = thrown.data as Refusal;
    throw code === "draining" ? new Error(message) : thrown;
  }
}

/** The same for the organization of the device with this key. Refuses: unauthorized. */
export async function writingKeyOfDevice(ctx: QueryCtx, deviceKey: string): Promise<OpenKey | null> {
  return await writingKey(ctx, (await authenticateDevice(ctx, deviceKey)).organizationId);
}

/** A value as it is stored. Without a key it stays as it is. Bytes are always ciphertext, since no plain value is bytes. */
export function encryptValue(key: OpenKey | null, value: Value, kind: TextKind): Value {
  if (key === null) return value;
  const text = new TextEncoder().encode(JSON.stringify(convexToJson(value)));
  const id = new TextEncoder().encode(key.id);
  const sealed = encrypt(key.bytes, text, purposeOf(kind));
  const all = new Uint8Array(idAt + id.length + sealed.length);
  all.set([version, id.length]);
  all.set(id, idAt);
  all.set(sealed, idAt + id.length);
  return all.buffer;
}

/**
 * The bytes of the data key with which something was encrypted. Null if it was destroyed: then that counts as deleted. Refuses
 * (draining) while the deployment lacks its master key, with which it can be read again.
 */
export async function readingKey(ctx: QueryCtx, id: Id<"dataKeys">): Promise<Uint8Array | null> {
  const row = await ctx.db.get("dataKeys", id);
  const key = row === null ? null : bytesOfKey(row);
  return key === null && row?.wrapped !== undefined ? refuseLocked() : key;
}

/**
 * A stored value. Null if its key was destroyed, and refuses, as `readingKey`.
 */
export async function decryptValue(ctx: QueryCtx, stored: Value, kind: TextKind): Promise<Value> {
  if (!(stored instanceof ArrayBuffer)) return stored;
  const bytes = new Uint8Array(stored);
  const idEnd = idAt + (bytes[1] ?? 0);
  const id = ctx.db.normalizeId("dataKeys", new TextDecoder().decode(bytes.subarray(idAt, idEnd)));
  const key = bytes[0] === version && id !== null ? await readingKey(ctx, id) : null;
  const text = key === null ? null : decrypt(key, bytes.subarray(idEnd), purposeOf(kind));
  return text === null ? null : jsonToConvex(JSON.parse(new TextDecoder().decode(text)) as JSONValue);
}

/**
 * Jobs as their devices read them. The payload of a job whose key was destroyed is null. Throws while the deployment lacks its master
 * key: then no device gets a job.
 */
export async function decryptJobs(ctx: QueryCtx, jobs: readonly ClaimedJob[]): Promise<ClaimedJob[]> {
  return await Promise.all(jobs.map(async (job) => await decryptJob(ctx, job)));
}

export async function decryptJob(ctx: QueryCtx, job: ClaimedJob): Promise<ClaimedJob> {
  return { ...job, payload: await payloadForDevice(ctx, job.payload) };
}

/** A payload as its device reads it: without the fields that only an answer repeats. Null and throws as in `decryptJobs`. */
export async function payloadForDevice(ctx: QueryCtx, stored: Value): Promise<Value> {
  const payload = await orRetried(decryptValue(ctx, stored, "payload"));
  if (!isRecord(payload) || payload["echo"] === undefined) return payload;
  const { echo: _, ...request } = payload;
  return request;
}

function purposeOf(kind: TextKind): Uint8Array {
  return new TextEncoder().encode(kind);
}
