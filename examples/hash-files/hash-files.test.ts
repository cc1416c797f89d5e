import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { start, type Started } from "../../main/deployment.fixture.ts";

type Look = {
  readonly status: string | null;
  readonly error: { readonly code: string } | null;
  readonly result: unknown;
};
/** Methods that Convex's CLI uses, and that the published types omit. */
type AdminClient = {
  setAdminAuth(key: string): void;
  function(reference: unknown, componentPath: undefined, args: unknown): Promise<unknown>;
};

const adminKey = randomBytes(16).toString("hex");
const texts: Readonly<Record<string, string>> = { "a.txt": "one", "b.txt": "two", "c.txt": "three" };
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("workers that hash files, on a real backend", () => {
  let folder: string;
  let backend: Started;
  let client: AdminClient;
  const workers: { readonly process: ChildProcess; readonly exited: Promise<number | null> }[] = [];
  /** Standard error of all workers. */
  let said = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gleaner-hash-files-"));
    for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
    backend = await start(
      [
        ...["packages/embedded/main.ts", "--convex", "examples/hash-files/convex"],
        ...["--data", join(folder, "backend.sqlite"), "--port", "0", "--site-port", "0", "--with-parent"],
      ],
      { CONVEX_EMBEDDED_ADMIN_KEY: adminKey },
    );
    client = new ConvexHttpClient(String(backend.ready["url"]), { logger: false }) as unknown as AdminClient;
    client.setAdminAuth(adminKey);
  });

  afterAll(async () => {
    for (const { process, exited } of [...workers, backend]) {
      process.kill("SIGKILL");
      await exited;
    }
    await rm(folder, { recursive: true });
  });

  const run = (name: string, args: object): Promise<unknown> =>
    client.function(makeFunctionReference<"mutation">(name), undefined, args);
  const submit = (file: string): Promise<string> => run("files:submit", { file }) as Promise<string>;

  async function startWorker(name: string, registered = true) {
    const key = randomBytes(16).toString("hex");
    if (registered) await run("files:registerWorker", { key, name });
    const child = spawn(process.execPath, [join(import.meta.dirname, "worker.ts")], {
      env: {
        ...process.env,
        CONVEX_URL: String(backend.ready["url"]),
        WORKER_KEY: key,
        FOLDER: folder,
      },
      stdio: ["ignore", "inherit", "pipe"],
    });
    child.stderr.on("data", (data) => (said += String(data)));
    const worker = {
      process: child,
      exited: new Promise<number | null>((resolve) => child.once("exit", resolve)),
    };
    workers.push(worker);
    return worker;
  }

  async function ended(jobId: string): Promise<Look> {
    for (;;) {
      const look = (await run("files:look", { jobId })) as Look;
      if (look.status === "succeeded" || look.status === "failed") return look;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it("hashes files of jobs that were submitted before the workers started and while they wait", async () => {
    const before = await submit("a.txt");
    await startWorker("first");
    await startWorker("second");
    expect(await ended(before)).toMatchObject({ status: "succeeded", result: { sha256: sha256("one") } });
    const jobs = await Promise.all(Object.keys(texts).map(submit));
    const looks = await Promise.all(jobs.map(ended));
    expect(looks.map(({ result }) => result)).toEqual(
      Object.values(texts).map((text) => ({ sha256: sha256(text) })),
    );
  });

  it("fails a job for a missing file and one for a file outside of the folder", async () => {
    const [missing, outside] = await Promise.all([submit("missing.txt"), submit("../secret")]);
    expect(await ended(missing)).toMatchObject({ status: "failed", error: { code: "handler_error" } });
    expect(await ended(outside)).toMatchObject({ status: "failed", error: { code: "invalid" } });
    await vi.waitFor(() => expect(said).toMatch(/attempt\.failed.*invalid/), { timeout: 60_000 });
  });

  it("logs that a worker's key is unknown", async () => {
    const { process } = await startWorker("stranger", false);
    await vi.waitFor(() => expect(said).toContain("worker.unknown-key"), { timeout: 60_000 });
    process.kill("SIGKILL");
  });

  it("stops one worker on SIGTERM while the others continue", async () => {
    const [first] = workers;
    first?.process.kill("SIGTERM");
    expect(await first?.exited).toBe(0);
    expect(await ended(await submit("b.txt"))).toMatchObject({ status: "succeeded" });
  });
});
