import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { waitWords } from "../../app/models/wait-reasons.ts";
import { type Deployment, startDeployment } from "../deployment.fixture.ts";
import { callDonor } from "../face/local-socket/client.ts";
import { chat, demoManifestPath } from "../runner/runner.fixture.ts";
import { ModelServer } from "./download/model-server.fixture.ts";
import { readManifest } from "./manifest.ts";

let folder: string;
let server: ModelServer;
let deployment: Deployment;
let mirror: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-fetched-"));
  const demo = await readManifest(demoManifestPath);
  const { file } = JSON.parse(await readFile(demoManifestPath, "utf8")) as { file: string };
  // Works like the bundled file, but has another hash.
  const bytes = Buffer.concat([await readFile(join(dirname(demoManifestPath), file)), Buffer.alloc(32, 1)]);
  server = new ModelServer(bytes, 65_536);
  const manifest = join(folder, "manifest.json");
  const { sha256 } = server;
  const entry = { id: "fetched", file: "m.gguf", sha256, sizeBytes: bytes.length };
  await writeFile(manifest, JSON.stringify({ ...entry, contextTokens: demo?.contextTokens }));
  await writeFile(join(folder, "m.gguf"), bytes);
  mirror = new URL(await server.listen()).origin;
  deployment = await startDeployment({ manifest, source: "hf:test/models/m.gguf" });
});

afterEach(async () => {
  await deployment.stop();
  server.close();
  await rm(folder, { recursive: true });
});

/** The server of this test replaces Hugging Face. */
const throughMirror = () => ({ env: { GLEANER_HF_MIRROR: mirror } });

it("a donor fetches its organization's model while nobody uses the computer, and answers with it", async () => {
  const donor = await deployment.startDonor("fetcher", 9_999, undefined, throughMirror());
  const jobId = await deployment.submit(chat("What is the capital of Norway?"));
  const job = await deployment.until(jobId, ({ status }) => status === "succeeded");
  expect(job.resultText).toBe("The capital of Norway is Oslo.");
  expect(server.sent).toBe(server.bytes.length);
  expect(await readdir(join(donor.dataDir, "models"))).toContain(`${server.sha256}.gguf`);
});

it("a donor fetches nothing while somebody uses the computer", async () => {
  const donor = await deployment.startDonor("busy", 0, undefined, throughMirror());
  const jobId = await deployment.submit(chat("What is the capital of Norway?"));
  await vi.waitFor(
    async () =>
      expect(await callDonor(donor.dataDir, "models", null)).toMatchObject({
        value: { models: [{ state: "waiting", why: waitWords["in-use"] }] },
      }),
    { timeout: 60_000, interval: 100 },
  );
  expect(server.requests).toBe(0);
  await donor.setIdle(9_999);
  await deployment.until(jobId, ({ status }) => status === "succeeded");
});
