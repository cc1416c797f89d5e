import { createHash } from "node:crypto";
import { join, resolve } from "node:path";

/** The local address of a donor. */
export type SocketAddress =
  | { readonly kind: "socket"; readonly path: string; readonly folder: "data" | "private" }
  | { readonly kind: "pipe"; readonly path: string };

/** A socket's path, its closing zero included, is at most 108 bytes on Linux, and 104 on macOS and BSD. */
const longestSocketPath = (platform: NodeJS.Platform): number => (platform === "linux" ? 107 : 103);

/**
 * The address of the donor with this data folder, the same for listener and caller: a socket in the folder. If its
 * path is too long for a socket, one in the user's own folder below /tmp. On Windows a named pipe. The last two are
 * named after the folder's hash.
 */
export function socketAddress(
  dataFolder: string,
  platform: NodeJS.Platform = process.platform,
  userId: number = process.getuid?.() ?? 0,
): SocketAddress {
  const folder = resolve(dataFolder);
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 32);
  if (platform === "win32") return { kind: "pipe", path: `\\\\.\\pipe\\gleaner-${hash}` };
  const path = join(folder, "control.sock");
  if (Buffer.byteLength(path) <= longestSocketPath(platform)) return { kind: "socket", path, folder: "data" };
  // Not TMPDIR: a service and a terminal have different ones, and could not find each other.
  return { kind: "socket", path: `/tmp/gleaner-${userId}/${hash}.sock`, folder: "private" };
}
