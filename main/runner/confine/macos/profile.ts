import { dirname, join } from "node:path";
import type { ConfinementOrder } from "../../../../app/contract/runner-start.ts";

/** The system's own files, which every program may read. */
const systemFolders = [
  "/System/Library",
  "/System/Volumes/Preboot/Cryptexes",
  "/Library/GPUBundles",
  "/Library/Apple",
  "/usr/lib",
  "/usr/share",
  "/private/etc/localtime",
  "/private/etc/ssl",
  "/private/var/db/timezone",
  "/private/var/db/dyld",
  "/dev/random",
  "/dev/urandom",
  "/dev/null",
  "/dev/zero",
] as const;

/** Metal's driver and compiler. Their names differ between processors and versions of macOS. */
const graphicsClients = [
  "AGXDeviceUserClient",
  "AGXFamilyUserClient",
  "AGXSharedUserClient",
  "AGPMClient",
  "IOAccelContext2",
  "IOAccelDevice2",
  "IOAccelSharedUserClient2",
  "IOAccelSubmitter2",
  "IOAccelerationUserClient",
  "IOSurfaceRootUserClient",
] as const;
const graphicsServices = [
  "com.apple.MTLCompilerService",
  "com.apple.cvmsServ",
  "com.apple.gpumemd.source",
] as const;

/**
 * The sandbox profile of a runner, in the language of sandbox-exec(1): it denies all that is not listed. No network, no
 * other programs, no writing except to the cache.
 * @param entry the program's file; @param execPath node's or Electron's program.
 */
export function sandboxProfile(order: ConfinementOrder, entry: string, execPath: string): string {
  const reads = [...programFolders(entry, execPath), ...systemFolders, ...order.read];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-info* (target self))",
    "(allow signal (target self))",
    "(allow sysctl-read)",
    "(allow file-read-metadata)",
    `(allow file-read* ${reads.map(below).join(" ")})`,
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))',
    ...(order.cache === null ? [] : [`(allow file-read* file-write* ${below(order.cache)})`]),
    "(allow iokit-get-properties)",
    `(allow iokit-open ${graphicsClients.map((name) => `(iokit-user-client-class "${name}")`).join(" ")})`,
    `(allow mach-lookup ${graphicsServices.map((name) => `(global-name "${name}") (xpc-service-name "${name}")`).join(" ")})`,
    "",
  ].join("\n");
}

/** A string of the profile's language. */
function quote(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}

function below(path: string): string {
  return `(subpath ${quote(path)})`;
}

/** An installed program is one bundle. */
function programFolders(entry: string, execPath: string): readonly string[] {
  const bundle = /^(.*?\.app)\//.exec(execPath)?.[1];
  if (entry.endsWith(".ts")) {
    const root = entry.slice(0, Math.max(0, entry.lastIndexOf("/main/runner/")));
    const own = ["main", "app", "node_modules", "package.json"].map((name) => join(root, name));
    return [bundle ?? dirname(execPath), ...own];
  }
  const root = join(dirname(entry), "../..");
  const own = bundle !== undefined && entry.startsWith(`${bundle}/`);
  return [
    bundle ?? dirname(execPath),
    ...(own ? [] : [dirname(entry), join(root, "node_modules"), join(root, "package.json")]),
  ];
}
