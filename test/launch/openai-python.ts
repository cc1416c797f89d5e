import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

type Python =
  { readonly kind: "found"; readonly python: string } | { readonly kind: "lacking"; readonly reason: string };

/** Kept for later runs. `npm install` never makes it. */
const folder = join(root, "node_modules/.cache/openai-python");
const windows = process.platform === "win32";
const installWithinMs = 240_000;

/**
 * A Python with OpenAI's package: the one that GLEANER_PYTHON names, or the machine's, or one of our own, which is installed now. Rejects
 * if the named one lacks the package.
 */
export async function openaiPython(): Promise<Python> {
  const { GLEANER_PYTHON: named } = process.env;
  if (named !== undefined) {
    const python = resolve(root, named);
    await importOpenai(python);
    return { kind: "found", python };
  }
  const own = join(folder, windows ? "Scripts/python.exe" : "bin/python");
  const machines = windows ? "python" : "python3";
  for (const python of [machines, own]) if (await hasOpenai(python)) return { kind: "found", python };
  try {
    await run(machines, ["-m", "venv", "--clear", folder]);
    const options = ["--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout", "15"];
    await run(own, ["-m", "pip", "install", ...options, "openai"], { timeout: installWithinMs });
    await importOpenai(own);
    return { kind: "found", python: own };
  } catch (thrown) {
    const { message } = thrown as Error;
    const why = message.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
    const remedy = `${machines} -m venv venv && venv/bin/pip install openai, and set GLEANER_PYTHON=venv/bin/python`;
    return { kind: "lacking", reason: `OpenAI's Python package could not be installed (${why}): ${remedy}` };
  }
}

async function importOpenai(python: string): Promise<void> {
  await run(python, ["-c", "import openai"]);
}

async function hasOpenai(python: string): Promise<boolean> {
  return await importOpenai(python).then(
    () => true,
    () => false,
  );
}
