import { readFileSync } from "node:fs";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";

/** Seconds since the last keyboard, mouse or touch input. So cheap to read that it is read when needed. */
export type IdleSensor = {
  readonly source: () => string;
  readonly sample: () => Known<number>;
  /** Calls back at an input after some seconds without, as soon as the system says so; returns how to stop. */
  readonly onInput?: (listener: () => void) => () => void;
  /** Whether input has to be looked for by sampling, since the system does not tell of it by itself. */
  readonly isPolled: () => boolean;
  /** `changed` is called when the idle time is another one than it would be by the clock alone. */
  readonly start?: (changed: () => void) => void;
  readonly stop?: () => void;
};

/** Where nothing tells. */
export const unknownIdle: IdleSensor = {
  source: () => "nothing tells here",
  sample: () => unknown,
  isPolled: () => true,
};

/** From the shell: in Electron, `powerMonitor.getSystemIdleTime`, in whole seconds. */
export function idleFromShell(seconds: () => number, source = "Electron's powerMonitor"): IdleSensor {
  return {
    source: () => source,
    isPolled: () => true,
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
  const seconds = (): number => {
    const text = readFileSync(path, "utf8").trim();
    return text === "" ? NaN : Number(text);
  };
  return idleFromShell(seconds, "the test's file");
}
