#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { flushCompileCache } from "node:module";
import { parseArguments, usage } from "./arguments.ts";
import type { Backend } from "./compose/backend-options.ts";
import { createLog, describeError, type Log } from "./operations/log.ts";
import { startRestartingBackend } from "./restarting-backend.ts";

/** Bad arguments, as the shell's own tools report them. */
const exitUsage = 2;
const exitFailed = 1;
/** What a shell says of a process that a signal has ended. */
const exitSignalled = { SIGINT: 130, SIGTERM: 143 } as const;
/** A backend that cannot stop in time is stopped: what it acknowledged is on disk. */
const stopWithinMs = 10_000;

/** Tells why nothing was started; to a program, once it is known that one listens. */
let report = (message: string): void => console.error(message);

class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** What startBackend rejects with when it is not the program that is at fault. */
const expected = new Set([
  "ConfigurationError",
  "PortInUseError",
  "StoreError",
  "FunctionsLoadError",
  "ModuleShapeError",
  "SchemaDefinitionError",
  "SchemaMismatchError",
]);

async function main(): Promise<void> {
  // Convex runs in UTC: functions must not see where this machine stands.
  process.env["TZ"] = "UTC";
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
  const log = createLog({
    format,
    level: options.logLevel,
    write: (line) => void process.stderr.write(`${line}\n`),
  });
  // Nobody reads any more: that is no reason to end.
  process.stderr.on("error", () => undefined);
  report = format === "json" ? (message) => log.error("start.failed", { message }) : report;
  const backend = await startRestartingBackend({
    convexDir: options.convex,
    dataFile: options.data,
    host: options.host,
    port: options.port,
    sitePort: options.sitePort,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.publicSiteUrl === undefined ? {} : { publicSiteUrl: options.publicSiteUrl }),
    adminKey: await readAdminKey(options.adminKeyFile),
    env: passedOn(options.passEnv),
    latency: { readMs: options.readLatencyMs, commitMs: options.commitLatencyMs },
    staticFolders: options.static,
    allowedHosts: options.allowHost,
    maxFileBytes: options.maxFileMib * 1024 ** 2,
    log,
    // Whoever watches over this process starts it again; all that was acknowledged is on disk.
    onFailed: (error) => {
      log.error("backend.failed", { message: error.message });
      process.exit(exitFailed);
    },
  });
  stopWhenTold(backend, options.withParent, log);
  log.info("backend.started", { url: backend.url, siteUrl: backend.siteUrl, pid: process.pid });
  console.log(JSON.stringify({ ready: true, url: backend.url, siteUrl: backend.siteUrl }));
  // Now, not at the end, which may be a power cut. Does nothing where no cache was asked for.
  flushCompileCache();
}

async function readAdminKey(file: string | undefined): Promise<string> {
  const { CONVEX_EMBEDDED_ADMIN_KEY: own, GLEANER_ADMIN_KEY: older } = process.env;
  const key = (file === undefined ? (own ?? older) : await readFile(file, "utf8"))?.trim();
  if (key === undefined || key === "") {
    throw new ConfigurationError(
      "No admin key. Set CONVEX_EMBEDDED_ADMIN_KEY or GLEANER_ADMIN_KEY, or name a file with --admin-key-file.",
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

/** The first signal stops it in order, the second at once. */
function stopWhenTold(backend: Backend, withParent: boolean, log: Log): void {
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
      if (stopping) process.exit(exitSignalled[signal]);
      stop(signal);
    });
  }
  if (!withParent) return;
  const orphaned = (): void => stop("the parent has ended");
  process.on("disconnect", orphaned);
  process.stdin.on("end", orphaned).on("close", orphaned).on("error", orphaned).resume();
}

/** Failures with a name of ours, and the system's, are a sentence for people; all others come with their stack. */
function fail(error: unknown): never {
  const isSentence = error instanceof Error && (expected.has(error.name) || "syscall" in error);
  report(isSentence ? error.message : describeError(error));
  process.exit(exitFailed);
}

main().catch(fail);
