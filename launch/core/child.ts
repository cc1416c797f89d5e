import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, renameSync, statSync, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A part of Gleaner that runs in its own process and has reported that it is ready. */
export type Child = {
  readonly name: string;
  readonly pid: number;
  /** The fields of its ready line. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<Ending>;
  /** Asks it to stop, and kills it if it still runs after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  kill(): void;
};

export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type ChildOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The file that gets everything it prints. */
  readonly logFile: string;
  readonly readyWithinMs: number;
};

/** A child ended before it was ready, or was not ready in time. `output` is the end of what it printed. */
export class ChildFailed extends Error {
  readonly output: string;

  constructor(name: string, why: string, output: string) {
    super(`${name} ${why}`);
    this.name = "ChildFailed";
    this.output = output;
  }
}

/** A log with more bytes is renamed at the next start, and replaces the one renamed before. */
const rotateAt = 5 * 1024 * 1024;

/**
 * Starts a process and waits for its ready line, a JSON object with `ready: true` on standard output.
 * Its standard input stays open as long as this process lives: a child with `--with-parent` ends when it closes.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const process_ = spawn(options.command, options.args, {
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
    // In its own process group, so that Ctrl-C reaches only this process, which stops its children in order.
    detached: process.platform !== "win32",
  });
  const log = openLog(options.logFile);
  process_.stderr.pipe(log, { end: false });
  process_.stdin.on("error", () => undefined);
  const ended = new Promise<Ending>((resolve) => {
    process_.once("exit", (code, signal) => resolve({ code, signal }));
    process_.once("error", () => resolve({ code: -1, signal: null }));
  });
  const tail: string[] = [];
  keepTail(process_.stderr, tail);
  const ready = await readyLine(process_, options, ended, tail, (line) => log.write(`${line}\n`));
  return {
    name: options.name,
    pid: process_.pid ?? -1,
    ready,
    ended,
    kill: () => void process_.kill("SIGKILL"),
    stop: async (graceMs = 5_000) => {
      process_.kill("SIGTERM");
      const timer = setTimeout(() => process_.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(timer);
      log.end();
    },
  };
}

async function readyLine(
  process_: ChildProcess,
  options: ChildOptions,
  ended: Promise<Ending>,
  tail: string[],
  write: (line: string) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const ready = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    createInterface({ input: process_.stdout as Readable }).on("line", (line) => {
      write(line);
      tail.push(line);
      const message = parseReady(line);
      if (message !== null) resolve(message);
    });
  });
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, options.readyWithinMs);
  });
  const first = await Promise.race([
    ready.then((message) => ({ kind: "ready", message }) as const),
    ended.then((ending) => ({ kind: "ended", ending }) as const),
    silent.then(() => ({ kind: "silent" }) as const),
  ]);
  clearTimeout(timer);
  if (first.kind === "ready") return first.message;
  process_.kill("SIGKILL");
  const why =
    first.kind === "silent"
      ? `was not ready within ${options.readyWithinMs / 1000} s`
      : `ended at its start (${String(first.ending.signal ?? first.ending.code)})`;
  throw new ChildFailed(options.name, why, tail.join("\n"));
}

function keepTail(stream: Readable, tail: string[]): void {
  createInterface({ input: stream }).on("line", (line) => {
    tail.push(line);
    if (tail.length > 40) tail.shift();
  });
}

function parseReady(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith("{")) return null;
  try {
    const message: unknown = JSON.parse(line);
    if (typeof message === "object" && message !== null && "ready" in message && message.ready === true) {
      return message;
    }
  } catch {
    // A line that merely starts like JSON is ordinary output.
  }
  return null;
}

/** Opens a child's log for appending. If it cannot be written, says so once and goes on without it. */
function openLog(file: string): WriteStream {
  rotate(file);
  const log = createWriteStream(file, { flags: "a", mode: 0o600 });
  let told = false;
  log.on("error", (error) => {
    if (!told)
      console.error(`gleaner: cannot write the log ${file} (${error.message}). Gleaner runs on without it.`);
    told = true;
  });
  return log;
}

function rotate(file: string): void {
  try {
    if (statSync(file).size > rotateAt) renameSync(file, `${file}.1`);
  } catch {
    // No log yet.
  }
}
