import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Task } from "./figures.ts";

const answered = z.object({ took: z.number().positive() });

export type Foreground = {
  /** Runs a task for this time. Resolves to the time of one unit, in ms. */
  readonly measure: (task: Task, ms: number) => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** A separate session, like a program that a person started: the scheduler groups by session. */
export async function startForeground(): Promise<Foreground> {
  const child = fork(fileURLToPath(new URL("./foreground-process.ts", import.meta.url)), { detached: true });
  await once(child, "message");
  return {
    measure: async (task, ms) => {
      child.send({ task, ms });
      const [answer] = (await once(child, "message")) as [unknown];
      return answered.parse(answer).took;
    },
    stop: async () => {
      child.disconnect();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
