import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelFile } from "../../app/contract/runner.ts";
import { silentLog } from "../log.ts";
import { sha256Of, verifyFile } from "../store/verify-file.ts";
import { ModelCatalog } from "./catalog.ts";
import { readManifest } from "./manifest.ts";

let folder: string;
let file: ModelFile;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-models-"));
  const path = join(folder, "model.gguf");
  await writeFile(path, "weights");
  const sha256 = sha256Of("weights");
  file = { modelId: "bundled", path, sha256, sizeBytes: 7, contextTokens: 512 };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("ModelCatalog", () => {
  it("offers a verified file under the organization's name for it", async () => {
    const catalog = new ModelCatalog(silentLog);
    const states: string[] = [];
    catalog.onChange(() => states.push(catalog.stateOf(file)));
    await catalog.add(file);
    expect(states).toEqual(["verifying", "ready"]);
    expect(catalog.find({ ...file, modelId: "acme/small" })).toEqual({ ...file, modelId: "acme/small" });
  });

  it("offers no missing, corrupt or different file", async () => {
    const catalog = new ModelCatalog(silentLog);
    await writeFile(file.path, "weightz");
    await catalog.add(file);
    expect(catalog.stateOf(file)).toBe("corrupt");
    expect(catalog.find(file)).toBeNull();
    await rm(file.path);
    await catalog.recheck(file.sha256);
    expect(catalog.stateOf(file)).toBe("missing");
    expect(catalog.stateOf({ ...file, sha256: "0".repeat(64) })).toBe("missing");
    await writeFile(file.path, "weights");
    await catalog.recheck(file.sha256);
    expect(catalog.find(file)).not.toBeNull();
    expect(catalog.find({ ...file, sizeBytes: 8 })).toBeNull();
    catalog.stop();
  });

  it("logs an unusable file once, and notices by itself when it was repaired", async () => {
    const events: string[] = [];
    const catalog = new ModelCatalog((_level, event) => events.push(event), 20);
    await writeFile(file.path, "weightz");
    await catalog.add(file);
    const states: string[] = [];
    catalog.onChange(() => states.push(catalog.stateOf(file)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await catalog.recheck(file.sha256);
    expect(events).toEqual(["model.unusable"]);
    expect(states).toEqual([]);
    await writeFile(file.path, "weights");
    await vi.waitFor(() => expect(catalog.find(file)).not.toBeNull());
    expect(states).toEqual(["ready"]);
    catalog.stop();
  });
});

describe("verifyFile", () => {
  it("stops the verification of a file on abort", async () => {
    expect(await verifyFile(file, AbortSignal.abort())).toEqual({ kind: "aborted" });
  });

  it("reports a folder as a missing file", async () => {
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

  it("finds the model file in the manifest's folder", async () => {
    const path = join(folder, "manifest.json");
    await writeFile(path, JSON.stringify({ ...manifest, license: "Apache-2.0" }));
    expect(await readManifest(path)).toMatchObject({ modelId: "demo", path: join(folder, "model.gguf") });
    expect(await readManifest(join(folder, "none.json"))).toBeNull();
  });

  it("rejects a manifest whose file is outside of its folder", async () => {
    const path = join(folder, "manifest.json");
    await writeFile(path, JSON.stringify({ ...manifest, file: "../../etc/passwd" }));
    await expect(readManifest(path)).rejects.toThrow();
  });
});
