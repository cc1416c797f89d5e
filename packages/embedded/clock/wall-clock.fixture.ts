// Tests preload this file into a process (`--import`) to step its wall clock. Its first part runs in the test's own process.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const variable = "TEST_WALL_CLOCK";
const rereadMs = 20;

/** The wall clock of processes that a test starts. */
export type WallClock = {
  /** Add these to a process's environment. Its children have the same clock. */
  readonly env: { readonly [name: string]: string };
  /** Steps the clock to this distance from the real one, in ms. */
  readonly step: (ms: number) => void;
  readonly remove: () => void;
};

export function createWallClock(): WallClock {
  const folder = mkdtempSync(join(tmpdir(), "wall-clock-"));
  const file = join(folder, "ms");
  const step = (ms: number): void => writeFileSync(file, String(ms));
  step(0);
  return {
    env: { [variable]: file, NODE_OPTIONS: `--import=${import.meta.url}` },
    step,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function stepClock(file: string): void {
  const realNow = Date.now;
  let stepMs = 0;
  let readAt = -Infinity;
  const now = (): number => {
    const at = performance.now();
    if (at - readAt >= rereadMs) {
      readAt = at;
      // The file is empty for a moment while it is written.
      stepMs = Number(readFileSync(file, "utf8") || stepMs);
    }
    return realNow() + stepMs;
  };
  // Not by the proxy: the backend freezes what a function could change.
  Date.now = now;
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  });
}

const file = process.env[variable];
if (file !== undefined) stepClock(file);
