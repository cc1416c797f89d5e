import { stop } from "esbuild";

let users = 0;

/** Ends esbuild's process, and frees what it holds, once nobody bundles any more. */
export async function withBundler<T>(work: () => Promise<T>): Promise<T> {
  users += 1;
  try {
    return await work();
  } finally {
    users -= 1;
    if (users === 0) await stop();
  }
}
