import { errorName, type Log } from "./log.ts";

/**
 * Logs errors that nobody caught by their name and place, then calls `end`. Otherwise Node would print their messages,
 * which may quote a request.
 */
export function logUncaught(log: Log, end: () => void = () => undefined): void {
  process.on("uncaughtException", (error: unknown) => {
    log("error", "program.failed", { error: errorName(error), at: placeOf(error) });
    end();
  });
}

/** The innermost frame of an error's stack, such as "run (main/headless.ts:12:3)". The message is in front of the frames. */
export function placeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { stack = "", message } = error;
  const frames = stack.slice(stack.indexOf(message) + message.length);
  return /^\s+at (.{1,200})$/m.exec(frames)?.[1] ?? null;
}
