import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import { backendEnvironment, backendFlags } from "../../launch/backend/backend.ts";

const readySchema = z.object({ ready: z.literal(true), url: z.url() });

export type BackendProcess = {
  readonly url: string;
  readonly pid: number;
  /** The time from the start of the process until it reported ready. */
  readonly startedInMs: number;
  readonly stop: () => Promise<void>;
};

/** The number of kept chunks of output, to explain a failed start. A contended backend prints a lot. */
const keptOutput = 20;

/** The admin key of every measured backend. */
export const adminKey = "benchmark|0123456789abcdef";

/** Starts a backend in a separate process, as `npm start` does, and waits until it is ready. */
export async function startProcess(
  folder: string,
  entry: string,
  args: readonly string[],
): Promise<BackendProcess> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [...backendFlags, entry, ...args, "--port", "0", "--site-port", "0", "--with-parent"],
    {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...process.env,
        CONVEX_EMBEDDED_ADMIN_KEY: adminKey,
        ...backendEnvironment(join(folder, "compiled")),
      },
    },
  );
  const said: string[] = [];
  child.stderr.on("data", (data: Buffer) => {
    said.push(data.toString());
    if (said.length > keptOutput) said.shift();
  });
  const { url } = await ready(child, said);
  const startedInMs = performance.now() - began;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, pid: child.pid ?? -1, startedInMs, stop };
}

async function ready(child: ChildProcess, said: readonly string[]): Promise<{ readonly url: string }> {
  if (child.stdout === null) throw new Error("The backend has no standard output.");
  for await (const line of createInterface(child.stdout)) {
    const message = readySchema.safeParse(JSON.parse(line));
    if (!message.success) continue;
    child.stdout.resume();
    return message.data;
  }
  throw new Error(`The backend ended before it was ready.\n${said.join("")}`);
}
