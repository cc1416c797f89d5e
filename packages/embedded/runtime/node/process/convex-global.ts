import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { readBlob } from "../../../storage/read-blob.ts";
import type { ConvexGlobal } from "../../contract/convex-global.ts";
import type { Runs } from "./runs.ts";

type Args = { readonly [name: string]: unknown };

/** Creates the `Convex` global, through which the convex package reaches the backend. */
export function createConvexGlobal(runs: Runs, folder: string): ConvexGlobal {
  return {
    syscall: (op) => {
      throw new Error(`Unknown operation ${op}`);
    },
    asyncSyscall: (op, argsJson) => runs.call(op, JSON.parse(argsJson) as Args),
    jsSyscall: (op, args) => {
      switch (op) {
        case "storage/storeBlob":
          return storeBlob(runs, folder, args as Args);
        case "storage/getBlob":
          return getBlob(runs, args as Args);
        default:
          throw new Error(`Unknown JS operation ${op}`);
      }
    },
  };
}

/** Passes a Blob to the backend in a file, since it may be larger than a message can be. */
async function storeBlob(runs: Runs, folder: string, { blob, ...args }: Args): Promise<string> {
  if (!(blob instanceof Blob)) return JSON.parse(await runs.call("storage/storeBlob", args)) as string;
  const path = join(folder, `blob-${randomUUID()}`);
  try {
    await pipeline(blob.stream(), createWriteStream(path));
    const call = { ...args, path, contentType: blob.type };
    return JSON.parse(await runs.call("storage/storeBlob", call)) as string;
  } finally {
    await rm(path, { force: true });
  }
}

async function getBlob(runs: Runs, args: Args): Promise<Blob | null> {
  const file = JSON.parse(await runs.call("storage/getBlob", args)) as { path: string; type: string } | null;
  return file === null ? null : readBlob(file.path, file.type);
}
