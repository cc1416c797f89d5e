#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { flushCompileCache } from "node:module";
import { parseArguments, usage } from "./arguments.ts";
import type { Backend } from "./compose/backend-options.ts";
import { PortInUseError } from "./http/listen/listen.ts";
import { collectWhenIdle } from "./operations/idle-collection.ts";
import { createLog, describeError, type Log } from "./operations/log.ts";
import { forbidCoreDumps, logUncaught } from "./operations/process-memory.ts";
import { summarizeRepeats } from "./operations/repeats.ts";
import { startRestartingBackend } from "./restarting-backend.ts";
import { SchemaMismatchError } from "./runtime/checks/schema.ts";
import { protectBackend } from "./runtime/isolate/protect-backend.ts";
import type { StartLine } from "./start-line.ts";

/** Exit code for bad arguments, as in shell tools. */
const exitUsage = 2;
const exitFailed = 1;
/** Exit codes that shells report for processes ended by a signal. */
const exitSignaled = { SIGINT: 130, SIGTERM: 143 } as const;
/** A backend that takes longer to stop is ended: acknowledged data is on disk. */
const stopWithinMs = 10_000;

/** Reports why the start failed. Replaced by a JSON log when a program reads the output. */
let report = (message: string): void => console.error(message);

class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Errors of startBackend that are the operator's to fix, not bugs. */
const expected = new Set([
  "ConfigurationError",
  "PortInUseError",
  "TlsFilesError",
  "StoreError",
  "FunctionsLoadError",
  "ModuleShapeError",
  "SchemaDefinitionError",
  "SchemaMismatchError",
]);

async function main(): Promise<void> {
  // Convex runs in UTC: functions must not see this machine's time zone.
  process.env["TZ"] = "UTC";
  protectBackend();
  const parsed = parseArguments(process.argv.slice(2));
  if (parsed.kind === "help") {
    console.log(usage);
    return;
  }
  if (parsed.kind === "invalid") {
    console.error(`${parsed.reason}\n\n${usage}`);
    process.exit(exitUsage);
  }
  const { value: options } = parsed;
  const format = options.logFormat ?? (process.stderr.isTTY ? "text" : "json");
  const log = summarizeRepeats(
    createLog({
      format,
      level: options.logLevel,
      write: (line) => void process.stderr.write(`${line}\n`),
    }),
  );
  // Keep running when the reader of standard error closes.
  process.stderr.on("error", () => undefined);
  logUncaught(log, () => process.exit(exitFailed));
  forbidCoreDumps();
  report = format === "json" ? (message) => log.error("start.failed", { message }) : report;
  const backend = await startRestartingBackend({
    convexDir: options.convex,
    dataFile: options.data,
    host: options.host,
    port: options.port,
    sitePort: options.sitePort,
    ...(options.tlsCert === undefined || options.tlsKey === undefined
      ? {}
      : { tls: { certFile: options.tlsCert, keyFile: options.tlsKey } }),
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.publicSiteUrl === undefined ? {} : { publicSiteUrl: options.publicSiteUrl }),
    adminKey: await readAdminKey(options.adminKeyFile),
    env: passedOn(options.passEnv),
    latency: { readMs: options.readLatencyMs, commitMs: options.commitLatencyMs },
    onStart: options.onStart,
    staticFolders: options.static,
    allowedHosts: options.allowHost,
    maxFileBytes: options.maxFileMib * 1024 ** 2,
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
    anonymousLimits: {
      connectionsPerAddress: options.maxAddressConnections,
      messageBytes: bytesOf(options.maxAnonymousMessageKib, 1024),
      connectionBytes: bytesOf(options.maxAnonymousConnectionKib, 1024),
      totalBytes: bytesOf(options.maxAnonymousMib, 1024 ** 2),
    },
    log,
    logRefusals: options.logRefusals,
    // A supervisor restarts this process; all acknowledged data is on disk.
    onFailed: (error) => {
      log.error("backend.failed", { message: describeError(error) });
      process.exit(exitFailed);
    },
  });
  stopOnSignal(backend, options.withParent, log);
  await backend.loaded;
  log.info("backend.started", { url: backend.url, siteUrl: backend.siteUrl, pid: process.pid });
  printStart({ ready: true, url: backend.url, siteUrl: backend.siteUrl });
  // Flushed now in case the process ends abruptly. Does nothing unless a compile cache is enabled.
  flushCompileCache();
  // Not earlier: the process is idle while another one bundles the functions.
  collectWhenIdle();
}

function bytesOf(count: number | undefined, unitBytes: number): number | undefined {
  return count === undefined ? undefined : count * unitBytes;
}

async function readAdminKey(file: string | undefined): Promise<string> {
  const fromEnvironment = process.env["CONVEX_EMBEDDED_ADMIN_KEY"];
  const key = (file === undefined ? fromEnvironment : await readFile(file, "utf8"))?.trim();
  if (key === undefined || key === "") {
    throw new ConfigurationError(
      "No admin key. Set CONVEX_EMBEDDED_ADMIN_KEY, or name a file with --admin-key-file.",
    );
  }
  return key;
}

function passedOn(names: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The first signal stops gracefully, the second at once. */
function stopOnSignal(backend: Backend, withParent: boolean, log: Log): void {
  let stopping = false;
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info("backend.stopping", { reason });
    setTimeout(() => {
      log.error("stop.failed", { message: "it took too long" });
      process.exit(exitFailed);
    }, stopWithinMs).unref();
    backend.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error("stop.failed", { message: describeError(error) });
        process.exit(exitFailed);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(exitSignaled[signal]);
      stop(signal);
    });
  }
  if (!withParent) return;
  const orphaned = (): void => stop("the parent has ended");
  process.on("disconnect", orphaned);
  process.stdin.on("end", orphaned).on("close", orphaned).on("error", orphaned).resume();
}

/** Expected and system errors are printed as a message, all others with their stack. */
function fail(error: unknown): never {
  const isSentence = error instanceof Error && (expected.has(error.name) || "syscall" in error);
  report(isSentence ? error.message : describeError(error));
  printStart({
    ready: false,
    error: error instanceof Error ? error.name : "Error",
    takenPort: error instanceof PortInUseError ? error.port : undefined,
    misfit: error instanceof SchemaMismatchError ? error.misfit : undefined,
  });
  process.exit(exitFailed);
}

function printStart(line: StartLine): void {
  console.log(JSON.stringify(line));
}

main().catch(fail);
