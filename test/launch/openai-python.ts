import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

export type Python =
  { readonly kind: "found"; readonly python: string } | { readonly kind: "lacking"; readonly reason: string };

/** Kept for later runs. `npm install` never makes it. */
const folder = join(root, "node_modules/.cache/openai-python");
const windows = process.platform === "win32";

/** Each search for a Python with the package ends within this time, whatever its programs do. */
const searchedWithinMs = 240_000;
/** A hook with this limit gets the reason of a search that took too long. */
export const pythonHookMs = searchedWithinMs + 30_000;

/**
 * A Python with OpenAI's package: the one that GLEANER_PYTHON names, or the machine's, or one of our own, which is installed now. Rejects
 * if the named one lacks the package.
 */
export async function openaiPython(): Promise<Python> {
  const signal = AbortSignal.timeout(searchedWithinMs);
  const { GLEANER_PYTHON: named } = process.env;
  if (named !== undefined) {
    const python = resolve(root, named);
    await importOpenai(python, signal);
    return { kind: "found", python };
  }
  const own = join(folder, windows ? "Scripts/python.exe" : "bin/python");
  const machines = windows ? "python" : "python3";
  for (const python of [machines, own]) if (await hasOpenai(python, signal)) return { kind: "found", python };
  try {
    await run(machines, ["-m", "venv", "--clear", folder], { signal });
    const options = ["--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout", "15"];
    await run(own, ["-m", "pip", "install", ...options, "openai"], { signal });
    await importOpenai(own, signal);
    return { kind: "found", python: own };
  } catch (thrown) {
    const { message } = thrown as Error;
    const last = message.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
    const why = signal.aborted ? `it took longer than ${String(searchedWithinMs / 1_000)} s` : last;
    const remedy = `${machines} -m venv venv && venv/bin/pip install openai, and set GLEANER_PYTHON=venv/bin/python`;
    return { kind: "lacking", reason: `OpenAI's Python package could not be installed (${why}): ${remedy}` };
  }
}

async function importOpenai(python: string, signal: AbortSignal): Promise<void> {
  await run(python, ["-c", "import openai"], { signal });
}

async function hasOpenai(python: string, signal: AbortSignal): Promise<boolean> {
  return await importOpenai(python, signal).then(
    () => true,
    () => false,
  );
}
