import { realpathSync } from "node:fs";
import type { Confinement } from "../../../../app/contract/confinement.ts";
import type { ConfinementOrder } from "../../../../app/contract/runner-start.ts";
import type { Native } from "../native.ts";
import { nothing, yes } from "../report.ts";
import { sandboxProfile } from "./profile.ts";

/**
 * Confines all threads of this process by a sandbox profile. The function behind sandbox-exec(1) is called directly, so
 * that Electron's utility processes, which no other program starts, are confined too.
 */
export function confineMacos({ open }: Native, order: ConfinementOrder, entry: string): Confinement {
  // The system compares real paths: /tmp is a link.
  const real: ConfinementOrder = {
    ...order,
    read: order.read.map(realPath),
    cache: order.cache === null ? null : realPath(order.cache),
  };
  const profile = sandboxProfile(real, realPath(entry), realPath(process.execPath));
  const sandboxInit = open("/usr/lib/libSystem.B.dylib").func(
    "int sandbox_init(const char *profile, uint64_t flags, _Out_ void **error)",
  ) as (profile: string, flags: number, error: unknown[]) => number;
  if (sandboxInit(profile, 0, [null]) !== 0) return nothing("macOS refused the sandbox profile");
  return [yes("files"), yes("network"), yes("programs"), yes("systemCalls")];
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
