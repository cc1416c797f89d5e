import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelFile } from "../../app/contract/runner.ts";
import { silentLog } from "../log.ts";
import { ModelCatalog } from "./catalog.ts";
import { readManifest } from "./manifest.ts";
import { verifyFile } from "./verify-file.ts";

let folder: string;
let file: ModelFile;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-models-"));
  const path = join(folder, "model.gguf");
  await writeFile(path, "weights");
  const sha256 = createHash("sha256").update("weights").digest("hex");
  file = { modelId: "bundled", path, sha256, sizeBytes: 7, contextTokens: 512 };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("ModelCatalogue", () => {
  it("offers a file once it is verified, under the organization's name for it", async () => {
    const catalogue = new ModelCatalog(silentLog);
    const states: string[] = [];
    catalogue.onChange(() => states.push(catalogue.stateOf(file)));
    await catalogue.add(file);
    expect(states).toEqual(["verifying", "ready"]);
    expect(catalogue.find({ ...file, modelId: "acme/small" })).toEqual({ ...file, modelId: "acme/small" });
  });

  it("offers nothing that is missing, corrupt, or another file", async () => {
    const catalogue = new ModelCatalog(silentLog);
    await writeFile(file.path, "weightz");
    await catalogue.add(file);
    expect(catalogue.stateOf(file)).toBe("corrupt");
    expect(catalogue.find(file)).toBeNull();
    await rm(file.path);
    await catalogue.recheck(file.sha256);
    expect(catalogue.stateOf(file)).toBe("missing");
    expect(catalogue.stateOf({ ...file, sha256: "0".repeat(64) })).toBe("missing");
    await writeFile(file.path, "weights");
    await catalogue.recheck(file.sha256);
    expect(catalogue.find(file)).not.toBeNull();
    expect(catalogue.find({ ...file, sizeBytes: 8 })).toBeNull();
    catalogue.stop();
  });

  it("finds a file again that was repaired, looking on its own, and says once that it is unusable", async () => {
    const events: string[] = [];
    const catalogue = new ModelCatalog((_level, event) => events.push(event), 20);
    await writeFile(file.path, "weightz");
    await catalogue.add(file);
    const states: string[] = [];
    catalogue.onChange(() => states.push(catalogue.stateOf(file)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await catalogue.recheck(file.sha256);
    expect(events).toEqual(["model.unusable"]);
    expect(states).toEqual([]);
    await writeFile(file.path, "weights");
    await vi.waitFor(() => expect(catalogue.find(file)).not.toBeNull());
    expect(states).toEqual(["ready"]);
    catalogue.stop();
  });
});

describe("verifyFile", () => {
  it("stops when it is told to", async () => {
    expect(await verifyFile(file, AbortSignal.abort())).toEqual({ kind: "aborted" });
  });

  it("takes a folder for no file", async () => {
    expect(await verifyFile({ ...file, path: folder })).toEqual({ kind: "missing" });
  });
});

describe("readManifest", () => {
  const manifest = {
    id: "demo",
    file: "model.gguf",
    sha256: "a".repeat(64),
    sizeBytes: 7,
    contextTokens: 512,
  };

  it("finds the file beside the manifest", async () => {
    const path = join(folder, "manifest.json");
    await writeFile(path, JSON.stringify({ ...manifest, license: "Apache-2.0" }));
    expect(await readManifest(path)).toMatchObject({ modelId: "demo", path: join(folder, "model.gguf") });
    expect(await readManifest(join(folder, "none.json"))).toBeNull();
  });

  it("follows no path out of its folder", async () => {
    const path = join(folder, "manifest.json");
    await writeFile(path, JSON.stringify({ ...manifest, file: "../../etc/passwd" }));
    await expect(readManifest(path)).rejects.toThrow();
  });
});
