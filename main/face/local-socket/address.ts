import { createHash } from "node:crypto";
import { join, resolve } from "node:path";

/** Where a donor is spoken to. */
export type ControlAddress =
  | { readonly kind: "socket"; readonly path: string; readonly folder: "data" | "private" }
  | { readonly kind: "pipe"; readonly path: string };

/** A socket's path, its closing zero included, is at most 108 bytes on Linux, and 104 on macOS and BSD. */
const longestSocketPath = (platform: NodeJS.Platform): number => (platform === "linux" ? 107 : 103);

/**
 * The address of the donor that keeps its things in this folder, the same for who listens and who calls. A
 * socket in the folder; where its path is too long for one, in a folder of the user's own below /tmp; on
 * Windows a named pipe. The last two have the folder's hash for a name.
 */
export function controlAddress(
  dataFolder: string,
  platform: NodeJS.Platform = process.platform,
  userId: number = process.getuid?.() ?? 0,
): ControlAddress {
  const folder = resolve(dataFolder);
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 32);
  if (platform === "win32") return { kind: "pipe", path: `\\\\.\\pipe\\gleaner-${hash}` };
  const path = join(folder, "control.sock");
  if (Buffer.byteLength(path) <= longestSocketPath(platform)) return { kind: "socket", path, folder: "data" };
  // Not TMPDIR: it differs between a service and a terminal, which have to meet there.
  return { kind: "socket", path: `/tmp/gleaner-${userId}/${hash}.sock`, folder: "private" };
}
