import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";

const readySchema = z.object({ ready: z.literal(true), url: z.url() });

export type BackendProcess = {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process until it said that it is ready. */
  readonly startedInMs: number;
  readonly stop: () => Promise<void>;
};

/** Starts a backend as its users do, in a process of its own, and waits until it is ready. */
export async function startProcess(entry: string, args: readonly string[]): Promise<BackendProcess> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [entry, ...args, "--port", "0", "--site-port", "0", "--with-parent"],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, GLEANER_ADMIN_KEY: "benchmark|0123456789abcdef" },
    },
  );
  const { url } = await ready(child);
  const startedInMs = performance.now() - began;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, pid: child.pid ?? -1, startedInMs, stop };
}

async function ready(child: ChildProcess): Promise<{ readonly url: string }> {
  if (child.stdout === null) throw new Error("The backend has no standard output.");
  for await (const line of createInterface(child.stdout)) {
    const message = readySchema.safeParse(JSON.parse(line));
    if (!message.success) continue;
    child.stdout.resume();
    return message.data;
  }
  throw new Error("The backend ended before it was ready.");
}
