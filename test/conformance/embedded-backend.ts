import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { testApp } from "../../packages/embedded/test-app.fixture.ts";

const adminKey = "conformance|0123456789abcdef";

type EmbeddedBackend = {
  readonly url: string;
  readonly siteUrl: string;
  readonly adminKey: string;
  readonly process: ChildProcess;
  /** Stops it with SIGTERM and removes its data. */
  readonly stop: () => Promise<void>;
};

type EmbeddedOptions = {
  /** The folder with the functions, by default that of the test app. */
  readonly convexDir?: string;
  /** The data file, to use it again after a restart; by default a file in a new folder. */
  readonly dataFile?: string;
  readonly port?: number;
  readonly sitePort?: number;
  /** Added to the process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Further arguments of the command. */
  readonly args?: readonly string[];
  /** The issuer of users' tokens. */
  readonly issuer?: string;
};

/** Starts packages/embedded/main.ts in a separate process, as its users do. */
export async function startEmbedded(options: EmbeddedOptions = {}): Promise<EmbeddedBackend> {
  const folder = options.dataFile === undefined ? await mkdtemp(join(tmpdir(), "conformance-")) : null;
  const dataFile = options.dataFile ?? join(folder ?? "", "data.sqlite3");
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, "../../packages/embedded/main.ts"),
      ...["--convex", options.convexDir ?? testApp, "--data", dataFile],
      ...["--port", String(options.port ?? 0), "--site-port", String(options.sitePort ?? 0)],
      ...["--pass-env", "FIXTURE_GREETING", "--pass-env", "FIXTURE_ISSUER", "--with-parent"],
      // The suite checks Convex's limits, which are larger than ours for clients without an identity.
      ...["--max-anonymous-message-kib", "65536"],
      // The functions fail on purpose, so their warnings say nothing.
      ...["--log-level", "error"],
      ...(options.args ?? []),
    ],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: {
        ...process.env,
        ...options.env,
        CONVEX_EMBEDDED_ADMIN_KEY: adminKey,
        FIXTURE_GREETING: "hello from outside",
        FIXTURE_ISSUER: options.issuer ?? "none",
      },
    },
  );
  const { url, siteUrl } = await ready(child);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  };
  return { url, siteUrl, adminKey, process: child, stop };
}

async function ready(child: ChildProcess): Promise<{ url: string; siteUrl: string }> {
  if (child.stdout === null) throw new Error("stdout is not a pipe");
  for await (const line of createInterface(child.stdout)) {
    const message = JSON.parse(line) as { ready?: boolean; url: string; siteUrl: string };
    child.stdout.resume();
    if (message.ready === true) return message;
  }
  throw new Error(`The backend ended before it was ready (exit code ${String(child.exitCode)})`);
}
