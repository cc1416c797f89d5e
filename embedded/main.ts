import { readFile } from "node:fs/promises";
import { parseArguments, USAGE } from "./arguments.ts";
import { startBackend, type Backend } from "./server.ts";

/** Bad arguments, as the shell's own tools report them. */
const EXIT_USAGE = 2;
const EXIT_FAILED = 1;
/** A backend that cannot stop in time is stopped: what it acknowledged is on disk. */
const STOP_WITHIN_MS = 10_000;

class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** What startBackend rejects with when it is not the program that is at fault. */
const EXPECTED = new Set([
  "ConfigurationError",
  "PortInUseError",
  "StoreError",
  "FunctionsLoadError",
  "ModuleShapeError",
  "SchemaMismatchError",
]);

async function main(): Promise<void> {
  // Convex runs in UTC: functions must not see where this machine stands.
  process.env["TZ"] = "UTC";
  const parsed = parseArguments(process.argv.slice(2));
  if (parsed.kind === "invalid") {
    console.error(`${parsed.reason}\n\n${USAGE}`);
    process.exit(EXIT_USAGE);
  }
  const { value: options } = parsed;
  const backend = await startBackend({
    convexDir: options.convex,
    dataFile: options.data,
    host: options.host,
    port: options.port,
    sitePort: options.sitePort,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.publicSiteUrl === undefined ? {} : { publicSiteUrl: options.publicSiteUrl }),
    adminKey: await readAdminKey(options.adminKeyFile),
    env: passedOn(options.passEnv),
    staticFolders: options.static,
    allowedHosts: options.allowHost,
    log: (line) => console.error(line),
    // Whoever watches over this process starts it again; all that was acknowledged is on disk.
    onFailed: (error) => {
      console.error(error.message);
      process.exit(EXIT_FAILED);
    },
  });
  stopWhenTold(backend, options.withParent);
  console.log(JSON.stringify({ ready: true, url: backend.url, siteUrl: backend.siteUrl }));
}

async function readAdminKey(file: string | undefined): Promise<string> {
  const key = (file === undefined ? process.env["GLEANER_ADMIN_KEY"] : await readFile(file, "utf8"))?.trim();
  if (key === undefined || key === "") {
    throw new ConfigurationError(
      "There is no admin key: set GLEANER_ADMIN_KEY, or name a file with --admin-key-file.",
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

function stopWhenTold(backend: Backend, withParent: boolean): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(EXIT_FAILED), STOP_WITHIN_MS).unref();
    backend.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (!withParent) return;
  process.on("disconnect", stop);
  process.stdin.on("end", stop).on("close", stop).on("error", stop).resume();
}

/** Failures with a name of ours, and the system's, are a sentence for people; all others come with their stack. */
function fail(error: unknown): never {
  const isSentence = error instanceof Error && (EXPECTED.has(error.name) || "syscall" in error);
  console.error(isSentence ? error.message : error);
  process.exit(EXIT_FAILED);
}

main().catch(fail);
