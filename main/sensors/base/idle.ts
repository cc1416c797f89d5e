import { readFileSync } from "node:fs";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";

/** Seconds since the last keyboard, mouse or touch input. Cheap enough to read on demand. */
export type IdleSensor = {
  readonly source: () => string;
  readonly sample: () => Known<number>;
  /** Calls back at the first input after some seconds without, as soon as the system reports it. Returns the unsubscriber. */
  readonly onInput?: (listener: () => void) => () => void;
  /** Whether input has to be polled, because the system does not report it. */
  readonly isPolled: () => boolean;
  /** `changed` is called when the idle time did not simply grow with the clock, because there was input. */
  readonly start?: (changed: () => void) => void;
  readonly stop?: () => void;
};

/** For systems that do not report idle time. */
export const unknownIdle: IdleSensor = {
  source: () => "no source here",
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
 * For tests only (GLEANER_TEST_IDLE_FILE): reads the seconds from a file that the test writes. Unknown while the file
 * is missing or holds no number.
 */
export function idleFromFile(path: string): IdleSensor {
  const seconds = (): number => {
    const text = readFileSync(path, "utf8").trim();
    return text === "" ? NaN : Number(text);
  };
  return idleFromShell(seconds, "the test's file");
}
