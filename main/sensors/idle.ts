import { readFileSync } from "node:fs";
import { type Known, known, unknown } from "../../app/policy/facts.ts";

/** Seconds since the last keyboard, mouse or touch input. So cheap to read that it is read when needed. */
export type IdleSensor = { readonly sample: () => Known<number> };

/** Where nothing tells: without a desktop session, input needs native code that this program does not have. */
export const unknownIdle: IdleSensor = { sample: () => unknown };

/** From the shell: in Electron, `powerMonitor.getSystemIdleTime`, in whole seconds. */
export function idleFromShell(seconds: () => number): IdleSensor {
  return {
    sample: () => {
      try {
        const value = seconds();
        return Number.isFinite(value) && value >= 0 ? known(value) : unknown;
      } catch {
        return unknown;
      }
    },
  };
}

/**
 * For tests alone (GLEANER_TEST_IDLE_FILE): the seconds stand as a number in a file that the test writes.
 * Unknown while the file is missing or holds anything else.
 */
export function idleFromFile(path: string): IdleSensor {
  return idleFromShell(() => {
    const text = readFileSync(path, "utf8").trim();
    return text === "" ? NaN : Number(text);
  });
}
