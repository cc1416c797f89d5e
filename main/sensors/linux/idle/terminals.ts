import { statSync } from "node:fs";
import { join } from "node:path";
import { known, unknown } from "../../../../app/facts/facts.ts";
import type { IdleSensor } from "../../base/idle.ts";
import { listFolder } from "../../base/read-file.ts";
import { computerClocks, StampAge } from "../../base/stamp-age.ts";

/** The kernel records terminal input with a precision of eight seconds, so polling more often is useless. */
const lookEveryMs = 2_000;

/**
 * For computers without a desktop: the last input of any user at any terminal, over the network or at the console.
 * The kernel updates a terminal's access time when a program reads input. Unknown while no terminal is open.
 */
export function terminalIdle(devices = "/dev", clocks = computerClocks): IdleSensor {
  const age = new StampAge(clocks);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lastInput: number | null = null;
  return {
    source: () => "input at terminals",
    isPolled: () => true,
    sample: () => {
      const now = clocks.steady();
      if (now - lookedAt >= lookEveryMs) {
        lookedAt = now;
        lastInput = lastInputAt(devices);
      }
      return lastInput === null ? unknown : known(Math.floor(age.of(lastInput) / 1_000));
    },
  };
}

function lastInputAt(devices: string): number | null {
  const remote = listFolder(join(devices, "pts")).filter((name) => /^\d+$/.test(name));
  const consoles = ["tty1", "tty2", "tty3", "tty4", "tty5", "tty6", "ttyS0"];
  let latest: number | null = null;
  for (const path of [...remote.map((name) => join("pts", name)), ...consoles]) {
    const status = statSync(join(devices, path), { throwIfNoEntry: false });
    // A console without a logged-in user belongs to root, and only the login prompt reads it.
    if (status === undefined || (!path.startsWith("pts") && status.uid === 0)) continue;
    latest = Math.max(latest ?? 0, status.atimeMs);
  }
  return latest;
}
