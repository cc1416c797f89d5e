import { createReadStream } from "node:fs";
import type { JSONValue } from "convex/values";
import type { Transaction } from "../../engine/model/types.ts";
import { type ComponentPath, engineTableName } from "../../names/table-name.ts";
import {
  deleteFile,
  fileById,
  fileByStorageId,
  storageTable,
  type StoredFile,
} from "../../storage/file-rows.ts";
import type { FileStorage } from "../../storage/file-storage.ts";
import {
  type ActionExecution,
  type Execution,
  isTransactional,
  type TransactionExecution,
} from "../execution/execution.ts";
import { endedError, SyscallError } from "../execution/syscall-error.ts";
import { isTurnLong, nextTurn } from "../execution/turn-clock.ts";
import type { Services } from "./services.ts";
import { invalidArg, stringArg, type SyscallArgs } from "./syscall-args.ts";

const uuidPattern = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/**
 * `1.0/storageGetUrl`. In a query or a mutation it joins the read set, so that a live query reruns when the
 * file is deleted.
 */
export function getUrl(services: Services, execution: Execution, args: SyscallArgs): JSONValue {
  const id = stringArg(args, "storageId", "storage.getUrl");
  const file = look(services, execution, (transaction) => find(execution, transaction, id, "getUrl"));
  return file === null ? null : filesOf(services).urlOf(file);
}

/** `1.0/storageGetMetadata`, which is deprecated. Unlike `_storage`, it has the digest in hex. */
export function getMetadata(services: Services, execution: Execution, args: SyscallArgs): JSONValue {
  const id = stringArg(args, "storageId", "storage.getMetadata");
  const file = look(services, execution, (transaction) => find(execution, transaction, id, "getMetadata"));
  if (file === null) return null;
  const { storageId, size, contentType } = file;
  return { storageId, sha256: Buffer.from(file.sha256, "base64").toString("hex"), size, contentType };
}

/** `1.0/storageGenerateUploadUrl` */
export function generateUploadUrl(services: Services, execution: Execution): JSONValue {
  // Use the present time. With the transaction's clock, the URL of a long-retried mutation would expire early.
  return filesOf(services).uploadUrl(execution.component, services.engine.now());
}

/** `1.0/storageDelete` in a mutation: the file is deleted only if the mutation commits. */
export function remove(_: Services, execution: TransactionExecution, args: SyscallArgs): JSONValue {
  execution.usage.write(0);
  removeIn(execution, execution.transaction, args);
  return null;
}

/** `1.0/storageDelete` in an action: runs in a separate transaction. */
export async function actionRemove(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  await filesOf(services).commit((transaction) => removeIn(execution, transaction, args));
  return null;
}

/**
 * `1.0/storageStore` and `1.0/storageGet`, which the package sends from mutations. No deployment supports
 * them yet.
 */
export function unsupportedInMutations(op: "store" | "get"): () => never {
  return () => {
    throw new SyscallError(
      `ctx.storage.${op}() is not supported in queries and mutations yet. Please use an action` +
        (op === "store" ? ", or ctx.storage.generateUploadUrl() to upload from a client." : "."),
    );
  };
}

/** `storage/storeBlob` */
export async function storeBlob(
  services: Services,
  execution: ActionExecution,
  args: { readonly [name: string]: unknown },
): Promise<string> {
  const { blob, options } = args as { blob?: unknown; options?: { sha256?: unknown } };
  if (!(blob instanceof Blob)) throw notABlob();
  return save(services, execution.component, passingPieces(execution, blob), blob.type, options);
}

/** A Blob may be large, and its digest takes a while. */
const pieceBytes = 64 * 1024;
const sizeOf = Reflect.get(Object.getOwnPropertyDescriptor(Blob.prototype, "size") ?? {}, "get") as (
  this: Blob,
) => number;

/**
 * The bytes of a Blob, which break off when its action ends. The store is done with a piece when it takes the next, so the memory
 * of the piece is given back at once. They are read as slices: a stream keeps a Blob in memory until the second full collection.
 */
async function* passingPieces(execution: ActionExecution, blob: Blob): AsyncGenerator<Uint8Array> {
  // The function may have replaced these methods by ones whose results it uses later.
  const size = sizeOf.call(blob);
  for (let at = 0; at < size; at += pieceBytes) {
    const slice = Blob.prototype.slice.call(blob, at, at + pieceBytes);
    const piece = await Blob.prototype.arrayBuffer.call(slice);
    if (isTurnLong()) await nextTurn();
    if (execution.ended) throw endedError();
    yield new Uint8Array(piece);
    piece.transfer(0);
  }
  if (execution.ended) throw endedError();
}

/** `storage/storeBlob` of an action in a Node process, which has written the Blob to a file. */
export async function storeBlobFile(
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
): Promise<JSONValue> {
  const { path, contentType, options } = args;
  if (typeof path !== "string" || typeof contentType !== "string") throw notABlob();
  const bytes = passingFile(execution, path);
  return save(services, execution.component, bytes, contentType, options as { sha256?: unknown });
}

/** The bytes of a file, which break off when its action ends. */
async function* passingFile(execution: ActionExecution, path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    if (execution.ended) throw endedError();
    yield chunk;
  }
  if (execution.ended) throw endedError();
}

function notABlob(): SyscallError {
  return new SyscallError(
    "store() expects a Blob. If you are trying to store a Request, `await request.blob()` will give you the correct input.",
  );
}

async function save(
  services: Services,
  component: ComponentPath,
  bytes: AsyncIterable<Uint8Array>,
  contentType: string,
  options: { readonly sha256?: unknown } | null = null,
): Promise<string> {
  const stored = await filesOf(services).saveBlob({
    component,
    bytes,
    contentType: contentType === "" ? null : contentType,
    expectedSha256: typeof options?.sha256 === "string" ? options.sha256 : null,
  });
  switch (stored.kind) {
    case "stored":
      return stored.id;
    case "too large":
      throw new SyscallError(`The file is larger than ${String(stored.limit)} bytes.`);
    case "other digest":
      throw new SyscallError(digestMismatch(stored));
  }
}

/** `storage/getBlob`: null if the file does not exist. */
export async function getBlob(
  services: Services,
  execution: ActionExecution,
  args: { readonly [name: string]: unknown },
): Promise<Blob | null> {
  const file = fileToGet(services, execution, args);
  return file === null ? null : filesOf(services).blobOf(file);
}

/** `storage/getBlob` of an action in a Node process, which reads the bytes itself. */
export function getBlobFile(services: Services, execution: ActionExecution, args: SyscallArgs): JSONValue {
  const file = fileToGet(services, execution, args);
  if (file === null) return null;
  return { path: filesOf(services).store.pathOf(file.key), type: file.contentType ?? "" };
}

function fileToGet(
  services: Services,
  execution: ActionExecution,
  { storageId }: { readonly [name: string]: unknown },
): StoredFile | null {
  if (typeof storageId !== "string") {
    throw new SyscallError(`storage.get requires a string storageId but received ${String(storageId)}`);
  }
  return filesOf(services).read((transaction) => find(execution, transaction, storageId, "get"));
}

function digestMismatch({ expected, actual }: { expected: string; actual: string }): string {
  return `Sha256 mismatch. Expected: ${expected} Actual: ${actual}`;
}

function removeIn(execution: Execution, transaction: Transaction, args: SyscallArgs): void {
  const id = stringArg(args, "storageId", "storage.delete");
  const file = find(execution, transaction, id, "delete");
  if (file === null) throw new SyscallError(`storage id ${id} not found`);
  deleteFile(transaction, file);
}

/** Finds the component's file by its `_storage` id or its older UUID; null if it does not exist. */
function find(
  { component }: Execution,
  transaction: Transaction,
  id: string,
  method: string,
): StoredFile | null {
  const table = transaction.tableOf(id);
  if (table === null) {
    if (!uuidPattern.test(id)) {
      const problem = `Invalid storage ID: "${id}". Storage ID should be an Id of '_storage' table, or a UUID string.`;
      throw invalidArg("storageId", `storage.${method}`, problem);
    }
    const file = fileByStorageId(transaction, hyphenated(id));
    return file?.component === component ? file : null;
  }
  if (table === engineTableName({ component, table: storageTable.name })) return fileById(transaction, id);
  throw new SyscallError(
    "Invalid storage ID. Storage ID cannot be an ID on any table other than '_storage'.",
  );
}

function hyphenated(uuid: string): string {
  const digits = uuid.replaceAll("-", "").toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function look<T>(services: Services, execution: Execution, body: (transaction: Transaction) => T): T {
  return isTransactional(execution) ? body(execution.transaction) : filesOf(services).read(body);
}

function filesOf({ files }: Services): FileStorage {
  if (files !== null) return files;
  throw new SyscallError("This deployment was started without file storage (ctx.storage).");
}
