import { join } from "node:path";

/** Names of files are hashes: nothing that came from outside stands in a path. */
export function modelPath(folder: string, sha256: string): string {
  return join(folder, `${sha256}.gguf`);
}

export function partPath(folder: string, sha256: string): string {
  return join(folder, `${sha256}.part`);
}
