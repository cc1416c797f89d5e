import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { ConvexReactClient } from "convex/react";
import { type FunctionType, makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, expect } from "vitest";

export const appsFolder = join(import.meta.dirname, "apps");
export const convexCommand = join(import.meta.dirname, "node_modules/convex/bin/main.js");
const backendCommand = join(import.meta.dirname, "../../packages/embedded/main.ts");
const adminKey = "published|0123456789abcdef";

type Args = Readonly<Record<string, unknown>>;
type Client = Pick<ConvexClient | ConvexHttpClient, "query" | "mutation" | "action">;

/** An app on an embedded backend in its own process, with Convex's clients. It lasts as long as the test file. */
export class PublishedApp {
  url = "";
  siteUrl = "";
  /** The backend's log. */
  readonly log: string[] = [];
  readonly #name: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #closers: (() => unknown)[] = [];

  /** @param env The variables that its functions find at the start. */
  constructor(name: string, env: Readonly<Record<string, string>> = {}) {
    this.#name = name;
    this.#env = env;
    beforeAll(() => this.#start());
    afterAll(async () => {
      for (const close of this.#closers.reverse()) await close();
    });
  }

  query(path: string, args: Args = {}, client: Client = this.httpClient()): Promise<unknown> {
    return client.query(reference<"query">(path), args);
  }

  mutation(path: string, args: Args = {}, client: Client = this.httpClient()): Promise<unknown> {
    return client.mutation(reference<"mutation">(path), args);
  }

  action(path: string, args: Args = {}, client: Client = this.httpClient()): Promise<unknown> {
    return client.action(reference<"action">(path), args);
  }

  /** @param token Authenticates the client's calls. */
  httpClient(token?: string): ConvexHttpClient {
    return new ConvexHttpClient(this.url, { logger: false, ...(token !== undefined && { auth: token }) });
  }

  /** A client with a WebSocket. It is closed with the app. */
  liveClient(): ConvexClient {
    const client = new ConvexClient(this.url, { logger: false, unsavedChangesWarning: false });
    this.#closers.push(() => client.close());
    return client;
  }

  /** The client of React's hooks. It is closed with the app. */
  reactClient(): ConvexReactClient {
    const client = new ConvexReactClient(this.url, { logger: false, unsavedChangesWarning: false });
    this.#closers.push(() => client.close());
    return client;
  }

  /** Subscribes to a query. The array that it returns grows with each of its results and errors. */
  watch(path: string, args: Args = {}, client = this.liveClient()): readonly unknown[] {
    const results: unknown[] = [];
    const add = (result: unknown) => results.push(result);
    client.onUpdate(reference<"query">(path), args, add, add);
    return results;
  }

  /** Waits until a query's result matches. */
  async until(path: string, args: Args, expected: unknown): Promise<void> {
    await expect.poll(() => this.query(path, args)).toEqual(expected);
  }

  /** Runs the `convex` command as an operator, for example `run`, or `env set`. */
  async convex(...args: readonly string[]): Promise<string> {
    const project = await mkdtemp(join(tmpdir(), "published-"));
    await writeFile(join(project, "package.json"), JSON.stringify({ dependencies: { convex: "*" } }));
    const { stdout } = await promisify(execFile)(process.execPath, [convexCommand, ...args], {
      cwd: project,
      env: { ...process.env, CONVEX_SELF_HOSTED_URL: this.url, CONVEX_SELF_HOSTED_ADMIN_KEY: adminKey },
    });
    await rm(project, { recursive: true });
    return stdout;
  }

  async #start(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "published-"));
    this.#closers.push(() => rm(folder, { recursive: true }));
    const ports = ["--port", "0", "--site-port", "0", "--with-parent", "--log-format", "text"];
    const child = spawn(
      process.execPath,
      [
        ...[backendCommand, "--convex", join(appsFolder, this.#name)],
        ...["--data", join(folder, "data.sqlite"), ...ports],
        ...Object.keys(this.#env).flatMap((variable) => ["--pass-env", variable]),
      ],
      {
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...process.env, ...this.#env, CONVEX_EMBEDDED_ADMIN_KEY: adminKey },
      },
    );
    this.#closers.push(() => stop(child));
    createInterface({ input: child.stderr }).on("line", (line) => this.log.push(line));
    for await (const line of createInterface({ input: child.stdout })) {
      const { url, siteUrl } = JSON.parse(line) as { readonly url?: string; readonly siteUrl?: string };
      if (url === undefined || siteUrl === undefined) break;
      this.url = url;
      this.siteUrl = siteUrl;
      return;
    }
    throw new Error(`The backend did not start:\n${this.log.join("\n")}`);
  }
}

/** A function by its name. */
export const reference = <Type extends FunctionType>(path: string) =>
  makeFunctionReference<Type, Record<string, unknown>, unknown>(path);

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
