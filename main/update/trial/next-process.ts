import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { nextFile } from "./next-file.ts";
import { trialEnvironment } from "./trial-mark.ts";

/** A running version on trial. */
export type NextProcess = {
  /** Its exit code. Null if a signal ended it, or if it could not be started. */
  readonly ended: Promise<number | null>;
  /** Ends it and all that it started: first politely, so that it gives its jobs back. */
  readonly stop: () => Promise<void>;
};

/** Longer than the program takes to give its jobs back. */
const politeMs = 5_000;

/** Starts the version beside the program's file, as a group of processes that outlives this one. */
export function startNext(image: string, args: readonly string[]): NextProcess {
  const env = { ...withoutFolder(process.env), ...trialEnvironment(image) };
  const child = spawn(nextFile(image), args, {
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    env,
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve(null));
  });
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // The whole group has ended.
    }
  };
  return {
    ended,
    stop: async () => {
      signal("SIGTERM");
      await Promise.race([ended, wait(politeMs)]);
      signal("SIGKILL");
      await ended;
    },
  };
}

/** An AppImage puts the folder that it runs from into paths. The next version's folder is another one. */
export function withoutFolder(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { APPDIR: folder } = env;
  if (!folder) return env;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      if (value?.includes(folder) !== true) return [[name, value]];
      const kept = value.split(":").filter((path) => !path.startsWith(folder));
      return kept.length === 0 ? [] : [[name, kept.join(":")]];
    }),
  );
}
