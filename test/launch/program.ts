import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "../..");

export type Program = {
  /** Everything printed so far, on both streams. */
  readonly output: () => string;
  /** Resolves with the output once it contains the text. Rejects if the program ends first. */
  readonly until: (text: string) => Promise<string>;
  readonly interrupt: () => void;
  readonly ended: Promise<number | null>;
};

/** Runs a program of the repository, such as launch/start.ts, as a person at a terminal would. */
export function run(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  /** `group`: interrupts reach the whole process group, as a terminal's Ctrl-C does. `within`: the command that runs the program. */
  {
    group = false,
    within = (command) => command,
  }: {
    readonly group?: boolean;
    readonly within?: (command: readonly string[]) => readonly string[];
  } = {},
): Program {
  const [command = "", ...given] = within([process.execPath, join(root, file), ...args]);
  const child = spawn(command, given, {
    cwd: root,
    // A pipe is no terminal.
    env: { ...process.env, GLEANER_PRINT_SECRETS: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: group,
  });
  // A failed test leaves nothing running, since children end with their parent.
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => {
      text += data.toString();
      listeners.forEach((listener) => listener());
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    output: () => text,
    until: async (wanted) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const look = (): void => {
        if (text.includes(wanted)) resolve(text);
      };
      listeners.add(look);
      look();
      void ended.then((code) =>
        reject(new Error(`ended with ${code} before it printed "${wanted}":\n${text}`)),
      );
      return promise.finally(() => listeners.delete(look));
    },
    interrupt: () => void process.kill(group ? -child.pid! : child.pid!, "SIGINT"),
    ended,
  };
}
