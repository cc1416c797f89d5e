import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { convexToJson } from "convex/values";
import type { ModelFile } from "../app/contract/runner.ts";
import type { ChatRequest, Usage } from "../app/jobs/chat.ts";
import { api } from "../convex/_generated/api.js";
import { readManifest } from "./models/manifest.ts";
import { demoManifestPath } from "./runner/runner.fixture.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A process of ours under test. `lines` contains its output and its log. */
export type Started = {
  readonly process: ChildProcess;
  readonly ready: Readonly<Record<string, unknown>>;
  readonly lines: string[];
  readonly exited: Promise<number | null>;
};

export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  command = process.execPath,
): Promise<Started> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, GLEANER_THREADS: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      if (line.startsWith("{") && line.includes('"ready":true')) {
        resolve({ process: child, ready: JSON.parse(line) as Record<string, unknown>, lines, exited });
      }
    });
    void exited.then((code) =>
      reject(new Error(`${args.join(" ")} ended with ${code}:\n${lines.join("\n")}`)),
    );
  });
}

export type DonorProcess = Started & {
  readonly dataDir: string;
  /** Sets the seconds since the last input that this donor sees. */
  readonly setIdle: (seconds: number) => Promise<void>;
};

export type JobView = {
  readonly status: string;
  readonly attempts: number;
  readonly text: string;
  readonly resultText: string | null;
  readonly usage: Usage | null;
};

export type DonorStart = {
  readonly rules?: Readonly<Record<string, unknown>>;
  /** Starts the desktop program (out/ has to be built), which sees the display's own input. */
  readonly electron?: { readonly command: string; readonly args: readonly string[] };
  readonly env?: NodeJS.ProcessEnv;
};

/** A job did not get there in time, for example on a slow machine. */
export class NotInTime extends Error {}

/** A real backend with one organization, in a temporary folder. */
export type Deployment = {
  readonly url: string;
  readonly folder: string;
  /** `through`: an address to use instead of the backend's own. */
  readonly startDonor: (
    name: string,
    idleSeconds: number,
    through?: string,
    options?: DonorStart,
  ) => Promise<DonorProcess>;
  /** Submits a job as the API does first: a waiting device gets it at once. */
  readonly submit: (request: ChatRequest, stream?: boolean) => Promise<string>;
  readonly cancel: (jobId: string) => Promise<unknown>;
  /** Waits until `holds` is true for the job. Rejects with `NotInTime` after `timeoutMs`. */
  readonly until: (jobId: string, holds: (job: JobView) => boolean, timeoutMs?: number) => Promise<JobView>;
  /** Calls an internal function with the admin key. */
  readonly admin: (path: string, args: Record<string, unknown>) => Promise<unknown>;
  /** Kills the donors and cancels the jobs that a failed test left, so that they do not disturb the next one. */
  readonly clear: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const hash = (secret: string): string => createHash("sha256").update(secret).digest("hex");
const secret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`;

/** Makes a random model that reads only some hundred tokens a second. Returns its manifest's path. */
async function makeSlowModel(folder: string): Promise<string> {
  const file = join(folder, "slow.gguf");
  const shape = ["--dim", "512", "--layers", "8", "--heads", "8", "--ff", "1408", "--context", "4096"];
  const script = join(root, "scripts/demo-model/random-gguf.ts");
  await promisify(execFile)(process.execPath, [script, "--out", file, "--type", "q8_0", ...shape]);
  const bytes = await readFile(file);
  const manifest = {
    id: "slow",
    file: "slow.gguf",
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
    contextTokens: 4096,
  };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  return join(folder, "manifest.json");
}

/**
 * Starts a backend whose organization uses one model: the demo model, a slow one, or that of a manifest. With a
 * `source`, donors have to download it from there.
 */
export async function startDeployment(
  use: "demo" | "slow" | { readonly manifest: string; readonly source?: string },
): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-worker-"));
  const adminKey = secret("admin-");
  const started: Started[] = [];
  const backend = await start(
    [
      ...[
        "packages/embedded/main.ts",
        "--convex",
        join(root, "convex"),
        "--data",
        join(folder, "backend.sqlite"),
      ],
      ...["--port", "0", "--site-port", "0", "--with-parent", "--pass-env", "GLEANER_SIGNING_KEY"],
    ],
    { CONVEX_EMBEDDED_ADMIN_KEY: adminKey, GLEANER_SIGNING_KEY: randomBytes(32).toString("base64url") },
  );
  const url = String(backend.ready["url"]);
  const admin = adminCaller(url, adminKey);
  const manifest =
    typeof use === "object" ? use.manifest : use === "demo" ? demoManifestPath : await makeSlowModel(folder);
  const source = typeof use === "object" ? use.source : undefined;
  const model = (await readManifest(manifest)) as ModelFile;
  const [apiKey, code] = [secret("sk-gleaner-"), "GLN-0000-1111-2222"];
  await admin("setup:createOrganization", {
    name: "Test",
    signInTokenHash: hash(secret("gs_")),
    apiKeyHash: hash(apiKey),
    apiKeyName: "test",
    apiKeyPrefix: apiKey.slice(0, 14),
    enrollmentCodeHash: hash(code),
    enrollmentCodeUses: 100,
    model: {
      modelId: model.modelId,
      sha256: model.sha256,
      sizeBytes: model.sizeBytes,
      contextTokens: model.contextTokens,
      source: source ?? "bundled",
      promptMicro: 2n,
      completionMicro: 6n,
    },
    creditsMicro: 1_000_000_000n,
  });
  const jobs: string[] = [];
  let starts = 0;
  const client = new ConvexClient(url, { unsavedChangesWarning: false, logger: false });

  return {
    url,
    folder,
    admin,
    startDonor: async (name, idleSeconds, through = url, options = {}) => {
      starts += 1;
      // A second try of a test starts a device of the same name anew.
      const idleFile = join(folder, `${name}-${String(starts)}.idle`);
      const dataDir = join(folder, `${name}-${String(starts)}`);
      await writeFile(idleFile, String(idleSeconds));
      // Other tests run on this machine, and a donor would wait for them.
      await mkdir(dataDir);
      const rules = { maxOtherCpuLoad: 1, ...options.rules };
      const settings = { version: 1, pause: null, donateNowUntil: null, rules };
      await writeFile(join(dataDir, "settings.json"), JSON.stringify(settings));
      const { electron, env = {} } = options;
      const donor = await start(
        [
          ...(electron === undefined ? ["main/headless.ts"] : [root, ...electron.args]),
          ...["--data", dataDir, "--backend", through, "--code", code],
          ...["--name", name, "--with-parent", "--verbose"],
          ...(source === undefined ? ["--model", manifest] : []),
        ],
        electron === undefined ? { GLEANER_TEST_IDLE_FILE: idleFile, ...env } : env,
        electron?.command,
      );
      started.push(donor);
      return { ...donor, dataDir, setIdle: (seconds) => writeFile(idleFile, String(seconds)) };
    },
    submit: async (request, stream = false) => {
      const asked = { ...request, messages: [...request.messages], stop: [...request.stop] };
      const work = { kind: "chat", request: asked };
      const { keyId } = (await admin("requests:admit", { apiKey })) as { keyId: string };
      const args = { keyId, model: model.modelId, work, stream, handOver: true };
      const { jobId } = (await admin("requests:submit", args)) as { jobId: string };
      jobs.push(jobId);
      return jobId;
    },
    cancel: (jobId) => client.mutation(api.requests.cancel, { apiKey, jobId }),
    until: (jobId, holds, timeoutMs = 90_000) =>
      new Promise((resolve, reject) => {
        let last = "nothing";
        const finish = (act: () => void): void => {
          clearTimeout(timer);
          unsubscribe();
          act();
        };
        const timer = setTimeout(
          () => finish(() => reject(new NotInTime(`the job is only at ${last}`))),
          timeoutMs,
        );
        const unsubscribe = client.onUpdate(
          api.requests.watch,
          { apiKey, jobId },
          (job) => {
            last = JSON.stringify(convexToJson(job));
            const text = job.chunks.map((chunk) => chunk.text).join("");
            const view = {
              status: job.status,
              attempts: job.attempts,
              text,
              resultText: job.result !== null && "text" in job.result ? job.result.text : null,
              usage: job.result?.usage ?? null,
            };
            if (holds(view)) finish(() => resolve(view));
          },
          (error) => finish(() => reject(error)),
        );
      }),
    clear: async () => {
      for (const { process, exited } of started.splice(0)) {
        process.kill("SIGKILL");
        await exited;
      }
      // Most of them have ended, and cannot be canceled.
      await Promise.allSettled(
        jobs.splice(0).map((jobId) => client.mutation(api.requests.cancel, { apiKey, jobId })),
      );
    },
    stop: async () => {
      await client.close();
      for (const { process, exited } of [...started, backend]) {
        process.stdin?.end();
        process.kill("SIGTERM");
        const timer = setTimeout(() => process.kill("SIGKILL"), 10_000);
        await exited;
        clearTimeout(timer);
      }
      await rm(folder, { recursive: true });
    },
  };
}

/** Client methods that Convex's own CLI calls, but its published types omit. */
type AdminClient = {
  setAdminAuth(key: string): void;
  function(reference: unknown, componentPath: undefined, args: unknown): Promise<unknown>;
};

function adminCaller(url: string, adminKey: string): Deployment["admin"] {
  const client = new ConvexHttpClient(url, { logger: false }) as unknown as AdminClient;
  client.setAdminAuth(adminKey);
  return (path, args) => client.function(makeFunctionReference<"mutation">(path), undefined, args);
}
