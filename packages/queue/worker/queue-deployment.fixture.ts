import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import type { JobContext } from "./contract/handler.ts";
import { silentLog } from "./contract/log.ts";
import type { WorkerOptions } from "./contract/worker-options.ts";
import { Worker } from "./worker.ts";

export type Look = {
  readonly status: string;
  readonly attempts: number;
  readonly text: string;
  readonly result: unknown;
  readonly progress: unknown;
};

/** The handler of a job, by the job's name. */
export type Say = (name: string, ctx: JobContext) => Promise<string>;

/** A real backend with an app that has only a queue (fixtures/queue-app). */
export type QueueDeployment = {
  readonly url: string;
  /** Later calls are another tenant's, which sees nothing of earlier tests. */
  readonly newScope: () => void;
  readonly submit: (names: readonly string[], watched?: boolean) => Promise<readonly string[]>;
  readonly call: (name: string, args: Record<string, unknown>) => Promise<unknown>;
  /** The backend's counters, as its admin sees them: packages/embedded/system/built-in-queries.ts. */
  readonly usage: () => Promise<unknown>;
  /** Waits until `holds` is true of the job. */
  readonly until: (jobId: string, holds: (look: Look) => boolean) => Promise<Look>;
  readonly startWorker: (say: Say, options?: StartOptions) => Promise<TestWorker>;
  readonly stop: () => Promise<void>;
};

export type StartOptions = Partial<WorkerOptions> & {
  /** An address to use instead of the backend's own. */
  readonly through?: string;
};

export type TestWorker = {
  readonly worker: Worker;
  readonly key: string;
  readonly events: string[];
  /** The program dies: it makes no more calls, not even goodbye. */
  readonly die: () => Promise<void>;
};

/** @param env is added to the backend's environment. */
export async function startQueue(env: NodeJS.ProcessEnv = {}): Promise<QueueDeployment> {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-queue-"));
  const adminKey = randomUUID();
  const backend = await startBackend(folder, adminKey, env);
  const { url } = backend;
  const admin = new ConvexHttpClient(url, { skipConvexDeploymentUrlCheck: true, logger: false });
  // The published types keep it to the CLI.
  (admin as unknown as { setAdminAuth(key: string): void }).setAdminAuth(adminKey);
  const client = connect(url);
  const registered = new Set<string>();
  let scope = randomUUID();
  const workers: { readonly worker: Worker; readonly client: ConvexClient }[] = [];
  const call = (name: string, args: Record<string, unknown>): Promise<unknown> =>
    client.mutation(makeFunctionReference<"mutation">(name), { scope, ...args });

  return {
    url,
    newScope: () => {
      scope = randomUUID();
    },
    call,
    usage: () => admin.query(makeFunctionReference<"query">("_system/embedded/usage"), {}),
    submit: async (names, watched = false) =>
      (await call("jobs:submit", { names, watched })) as readonly string[],
    until: (jobId, holds) =>
      new Promise((resolve, reject) => {
        const unsubscribe = client.onUpdate(
          makeFunctionReference<"query">("jobs:look"),
          { scope, jobId },
          (look: Look) => {
            if (!holds(look)) return;
            unsubscribe();
            resolve(look);
          },
          reject,
        );
      }),
    startWorker: async (say, { through = url, key = randomUUID(), ...options } = {}) => {
      const own = connect(through);
      const events: string[] = [];
      if (!registered.has(key)) await call("jobs:register", { key });
      registered.add(key);
      const worker = new Worker(own, {
        key,
        log: silentLog,
        handlers: { say: (payload, ctx) => say((payload as { readonly name: string }).name, ctx) },
        onEvent: ({ kind }) => events.push(kind),
        ...options,
      });
      workers.push({ worker, client: own });
      worker.start();
      return {
        worker,
        key,
        events,
        die: async () => {
          await own.close();
          void worker.stop({ finishMs: 0, leaveMs: 0 });
        },
      };
    },
    stop: async () => {
      await Promise.all(workers.map(({ worker }) => worker.stop({ finishMs: 0, leaveMs: 500 })));
      for (const each of workers) await each.client.close();
      await client.close();
      await backend.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts the embedded backend of this repository as a process. It ends with this one. */
async function startBackend(folder: string, adminKey: string, env: NodeJS.ProcessEnv) {
  const main = join(import.meta.dirname, "../../embedded/main.ts");
  const app = ["--convex", join(import.meta.dirname, "fixtures/queue-app")];
  const data = ["--data", join(folder, "backend.sqlite")];
  const backend = spawn(
    process.execPath,
    [main, ...app, ...data, "--port", "0", "--site-port", "0", "--with-parent"],
    {
      env: { ...process.env, ...env, CONVEX_EMBEDDED_ADMIN_KEY: adminKey },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  const exited = new Promise((resolve) => backend.once("exit", resolve));
  const log: string[] = [];
  createInterface({ input: backend.stderr }).on("line", (line) => log.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: backend.stdout }).on("line", (line) => {
      log.push(line);
      if (line.includes('"ready":true')) resolve((JSON.parse(line) as { readonly url: string }).url);
    });
    void exited.then((code) =>
      reject(new Error(`The backend ended with ${String(code)}:\n${log.join("\n")}`)),
    );
  });
  return {
    url,
    stop: async () => {
      backend.kill("SIGTERM");
      await exited;
    },
  };
}

function connect(url: string): ConvexClient {
  return new ConvexClient(url, {
    skipConvexDeploymentUrlCheck: true,
    unsavedChangesWarning: false,
    logger: false,
  });
}
