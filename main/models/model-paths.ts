import { join } from "node:path";

/** File names are hashes, so no outside text enters a path. */
export function modelPath(folder: string, sha256: string): string {
  return join(folder, `${sha256}.gguf`);
}

export function partPath(folder: string, sha256: string): string {
  return join(folder, `${sha256}.part`);
}
