import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelManifest, modelManifest } from "../../app/contract/model-manifest.ts";
import { LaunchError } from "../core/launch-error.ts";
import { paths } from "../core/paths.ts";

const remedy = "Restore it with: git checkout -- resources/demo-model";

/** Reads the demo model's manifest and checks the file against it. Throws a LaunchError that says how to restore it. */
export async function readDemoModel(folder: string = paths.demoModel): Promise<ModelManifest> {
  const text = await readFile(join(folder, "manifest.json"), "utf8").catch(() => {
    throw missing(join(folder, "manifest.json"));
  });
  const manifest = parseManifest(folder, text);
  const file = join(folder, manifest.file);
  const bytes = await readFile(file).catch(() => {
    throw missing(file);
  });
  if (createHash("sha256").update(bytes).digest("hex") !== manifest.sha256) {
    throw new LaunchError(`The demo model ${file} does not match its manifest: its SHA-256 differs.`, remedy);
  }
  return manifest;
}

function parseManifest(folder: string, text: string): ModelManifest {
  try {
    return modelManifest.parse(JSON.parse(text));
  } catch {
    throw new LaunchError(`The demo model's manifest is damaged: ${join(folder, "manifest.json")}.`, remedy);
  }
}

function missing(file: string): LaunchError {
  return new LaunchError(`The demo model is missing: ${file}.`, remedy);
}
