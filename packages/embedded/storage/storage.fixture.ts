import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { type FunctionReference, makeFunctionReference } from "convex/server";
import type { Value } from "convex/values";
import { onTestFinished } from "vitest";
import type { Backend, BackendOptions } from "../compose/backend-options.ts";
import { startBackend } from "../server.ts";
import { filesFolderOf } from "./open-files.ts";

export const adminKey = "storage|0123456789abcdef";

export type StorageFixture = {
  readonly backend: Backend;
  readonly dataFile: string;
  readonly call: <T extends Value | undefined>(
    kind: "query" | "mutation" | "action",
    name: string,
    args?: { [name: string]: Value },
  ) => Promise<T>;
  /** Uploads with fetch, and returns the response. */
  readonly upload: (body: BodyInit, headers?: { [name: string]: string }) => Promise<Response>;
  /** Uploads, and expects success. */
  readonly stored: (body: BodyInit, headers?: { [name: string]: string }) => Promise<string>;
  /** The names in the files folder. */
  readonly names: () => Promise<readonly string[]>;
  readonly restart: () => Promise<StorageFixture>;
};

/** A backend with the functions in fixtures/convex, and data of its own. */
export async function startWithFiles(options: Partial<BackendOptions> = {}): Promise<StorageFixture> {
  const folder = await mkdtemp(join(tmpdir(), "storage-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return start({ dataFile: join(folder, "data.sqlite3"), ...options });
}

async function start(options: Partial<BackendOptions> & { dataFile: string }): Promise<StorageFixture> {
  const backend = await startBackend({
    convexDir: join(import.meta.dirname, "fixtures/convex"),
    port: 0,
    sitePort: 0,
    adminKey: adminKey,
    ...options,
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await backend.close();
    isClosed = true;
  };
  onTestFinished(close);
  const client = new ConvexHttpClient(backend.url, { logger: false });
  const call: StorageFixture["call"] = async (kind, name, args = {}) => {
    const reference = makeFunctionReference(`files:${name}`) as FunctionReference<
      "query" | "mutation" | "action"
    >;
    return (client[kind] as (reference: unknown, args: unknown) => Promise<never>)(reference, args);
  };
  const upload: StorageFixture["upload"] = async (body, headers = {}) =>
    fetch(await call<string>("mutation", "generateUploadUrl"), { method: "POST", body, headers });
  return {
    backend,
    dataFile: options.dataFile,
    call,
    upload,
    stored: async (body, headers) => {
      const response = await upload(body, headers);
      if (response.status !== 200) throw new Error(`${String(response.status)} ${await response.text()}`);
      return ((await response.json()) as { storageId: string }).storageId;
    },
    names: () => readdir(filesFolderOf(options.dataFile)),
    restart: async () => {
      await close();
      return start(options);
    },
  };
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("base64");
}

export function someBytes(size: number): Buffer<ArrayBuffer> {
  return Buffer.from(new Uint8Array(randomBytes(size)).buffer);
}
