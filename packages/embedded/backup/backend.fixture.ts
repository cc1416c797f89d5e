import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import type { Value } from "convex/values";
import type { Backend, BackendOptions } from "../compose/backend-options.ts";
import { startRestartingBackend } from "../restarting-backend.ts";

const modules = join(import.meta.dirname, "../../../node_modules");
const cli = join(modules, "convex/bin/main.js");
const adminKey = "backup-test|0123456789abcdef";

type Ran = { readonly code: number; readonly output: string };

/** A folder with backends in it, and a project from which the real `convex` command is run. */
export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "backup-"));
  readonly #backends: Backend[] = [];

  constructor() {
    writeFileSync(
      join(this.folder, "package.json"),
      JSON.stringify({ name: "p", dependencies: { convex: "*" } }),
    );
    symlinkSync(modules, join(this.folder, "node_modules"));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Starts a backend on a data file of this name, on free ports unless told otherwise. */
  async backend(name: string, options: Partial<BackendOptions> = {}): Promise<Deployment> {
    const backend = await startRestartingBackend({
      convexDir: join(import.meta.dirname, "fixtures/convex"),
      dataFile: this.path(`${name}.sqlite`),
      port: 0,
      sitePort: 0,
      adminKey,
      ...options,
    });
    this.#backends.push(backend);
    return new Deployment(backend);
  }

  /** Runs `npx convex …` on a deployment. */
  convex({ url }: Deployment, ...args: string[]): Promise<Ran> {
    const env = { PATH: process.env["PATH"], HOME: this.folder };
    const all = [cli, ...args, "--url", url, "--admin-key", adminKey];
    return new Promise((resolve) => {
      execFile(process.execPath, all, { cwd: this.folder, env, timeout: 60_000 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
      });
    });
  }

  /** Runs `gleaner …` on a deployment, or on a data folder without a backend. */
  gleaner(deployment: Deployment | null, ...args: string[]): Promise<Ran> {
    writeFileSync(this.path("admin-key"), adminKey);
    const where = deployment === null ? [] : ["--url", deployment.url];
    const key = ["--admin-key-file", this.path("admin-key")];
    const env = { PATH: process.env["PATH"], HOME: this.folder, GLEANER_DATA: this.folder };
    const all = [join(import.meta.dirname, "../../../cli/gleaner.ts"), ...args, ...where, ...key];
    return new Promise((resolve) => {
      execFile(process.execPath, all, { cwd: this.folder, env, timeout: 60_000 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
      });
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A backend that serves the functions in fixtures/convex, with shortcuts to call them. */
export class Deployment {
  readonly backend: Backend;
  readonly url: string;
  readonly adminKey = adminKey;
  readonly #client: ConvexHttpClient;

  constructor(backend: Backend) {
    this.backend = backend;
    this.url = backend.url;
    this.#client = new ConvexHttpClient(backend.url);
  }

  query(name: string, args: Record<string, Value> = {}): Promise<Value> {
    return this.#client.query(makeFunctionReference<"query">(name), args) as Promise<Value>;
  }

  mutation(name: string, args: Record<string, Value> = {}): Promise<Value> {
    return this.#client.mutation(makeFunctionReference<"mutation">(name), args) as Promise<Value>;
  }

  action(name: string, args: Record<string, Value> = {}): Promise<Value> {
    return this.#client.action(makeFunctionReference<"action">(name), args) as Promise<Value>;
  }

  /** Sends a request as the admin. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { ...init, headers: { authorization: `Convex ${adminKey}` } });
  }
}
