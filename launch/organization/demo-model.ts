import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelManifest, modelManifest } from "../../app/contract/model-manifest.ts";
import { LaunchError } from "../core/launch-error.ts";
import { paths } from "../core/paths.ts";

/** Reads the demo model's manifest and checks the file against it. Throws a LaunchError that says what to restore. */
export async function readDemoModel(folder: string = paths.demoModel): Promise<ModelManifest> {
  const manifest = parseManifest(folder, await readOrExplain(join(folder, "manifest.json")));
  const file = join(folder, manifest.file);
  const bytes = await readFile(file).catch(() => {
    throw missing(file);
  });
  if (createHash("sha256").update(bytes).digest("hex") !== manifest.sha256) {
    throw new LaunchError(
      `The demo model ${file} is not the one its manifest names: its SHA-256 differs.`,
      "Restore it with: git checkout -- resources/demo-model",
    );
  }
  return manifest;
}

function parseManifest(folder: string, text: string): ModelManifest {
  try {
    return modelManifest.parse(JSON.parse(text));
  } catch {
    throw new LaunchError(
      `The demo model's manifest is damaged: ${join(folder, "manifest.json")}.`,
      "Restore it with: git checkout -- resources/demo-model",
    );
  }
}

async function readOrExplain(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => {
    throw missing(file);
  });
}

function missing(file: string): LaunchError {
  return new LaunchError(
    `The demo model is missing: ${file}.`,
    "Restore it with: git checkout -- resources/demo-model",
  );
}
