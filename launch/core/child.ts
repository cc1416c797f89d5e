import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { spellSeconds } from "../../app/format/time.ts";
import { isRecord, parseJson } from "../../app/json.ts";
import { LogFile } from "./log-file.ts";

/** How long the last lines of a process that has ended may take, in ms. */
const mostUnreadMs = 1_000;

/** A part of Gleaner that runs in its own process and has reported that it is ready. */
export type Child = {
  readonly name: string;
  readonly pid: number;
  readonly ready: StartLine;
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<Exit>;
  /** The end of what it has written to standard error. */
  readonly lastOutput: () => string;
  /** Asks it to stop, and kills it if it still runs after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  kill(): void;
};

type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

type ChildOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The file that gets everything it prints. A full one is renamed. */
  readonly logFile: string;
  readonly readyWithinMs: number;
  /** Gets each object that it prints as a line of JSON and that is no start line. */
  readonly onReport?: (report: object) => void;
};

/** A line of JSON on standard output: the child is ready, or it reports why it cannot start. */
export type StartLine = { readonly ready: boolean; readonly [field: string]: unknown };

/** A child ended before it was ready, or was not ready in time. */
export class ChildFailed extends Error {
  /** The end of its output. */
  readonly output: string;
  /** Null if it made no report. */
  readonly report: StartLine | null;
  /** Whether it still ran and was not ready in time. */
  readonly isLate: boolean;

  constructor(
    name: string,
    why: string,
    { output, report, isLate }: Pick<ChildFailed, "output" | "report" | "isLate">,
  ) {
    super(`${name} ${why}`);
    this.name = "ChildFailed";
    this.isLate = isLate;
    this.output = output;
    this.report = report;
  }
}

/**
 * Starts a process and waits until it prints a start line with `ready: true`. Throws ChildFailed.
 * Its standard input stays open as long as this process lives: a child with `--with-parent` ends when it closes.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const process_ = spawn(options.command, options.args, {
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
    // In its own process group, so that Ctrl-C reaches only this process, which stops its children in order.
    detached: process.platform !== "win32",
  });
  const log = new LogFile(options.logFile);
  process_.stderr.pipe(log, { end: false });
  process_.once("close", () => log.end());
  process_.stdin.on("error", () => undefined);
  const ended = new Promise<Exit>((resolve) => {
    process_.once("exit", (code, signal) => resolve({ code, signal }));
    process_.once("error", () => resolve({ code: -1, signal: null }));
  });
  const tail: string[] = [];
  keepTail(process_.stderr, tail);
  const ready = await readyLine(process_, options, ended, tail, (line) => {
    if (!log.writableEnded) log.write(`${line}\n`);
  });
  return {
    name: options.name,
    pid: process_.pid ?? -1,
    ready,
    ended,
    lastOutput: () => tail.join("\n"),
    kill: () => void process_.kill("SIGKILL"),
    stop: async (graceMs = 5_000) => {
      process_.kill("SIGTERM");
      const timer = setTimeout(() => process_.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function readyLine(
  process_: ChildProcess,
  options: ChildOptions,
  ended: Promise<Exit>,
  tail: string[],
  write: (line: string) => void,
): Promise<StartLine> {
  let report: StartLine | null = null;
  const lines = createInterface({ input: process_.stdout as Readable });
  const read = new Promise<void>((resolve) => lines.once("close", resolve));
  const ready = new Promise<StartLine>((resolve) => {
    lines.on("line", (line) => {
      const parsed = parseJson(line);
      const message = startLine.safeParse(parsed).data ?? null;
      // A start line stays out of the log: it can contain the panel's link, which is a secret.
      if (message === null) {
        write(line);
        tail.push(line);
        if (isRecord(parsed)) options.onReport?.(parsed);
      } else if (message.ready) resolve(message);
      else report = message;
    });
  });
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, options.readyWithinMs);
  });
  const first = await Promise.race([
    ready.then((message) => ({ kind: "ready", message }) as const),
    ended.then((exit) => ({ kind: "ended", exit }) as const),
    silent.then(() => ({ kind: "silent" }) as const),
  ]);
  clearTimeout(timer);
  if (first.kind === "ready") return first.message;
  process_.kill("SIGKILL");
  // Its last lines arrive after its exit. A child of its own can keep the pipe open.
  if (first.kind === "ended") await Promise.race([read, sleep(mostUnreadMs)]);
  const why =
    first.kind === "silent"
      ? `was not ready within ${spellSeconds(options.readyWithinMs / 1_000)}`
      : `ended at its start (${String(first.exit.signal ?? first.exit.code)})`;
  const isLate = first.kind === "silent";
  throw new ChildFailed(options.name, why, { output: tail.join("\n"), report, isLate });
}

function keepTail(stream: Readable, tail: string[]): void {
  createInterface({ input: stream }).on("line", (line) => {
    tail.push(line);
    if (tail.length > 40) tail.shift();
  });
}

const startLine = z.looseObject({ ready: z.boolean() });
