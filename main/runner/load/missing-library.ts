import { getModuleVersion } from "node-llama-cpp";
import { z } from "zod";
import type { Backend } from "../../../app/contract/runner.ts";

/** What the packages with llama.cpp's libraries say of themselves. */
const libraryPackage = z.object({
  getBinsDir: z.function({ input: [], output: z.object({ packageVersion: z.string() }) }),
});

const systems: Partial<Record<NodeJS.Platform, string>> = { win32: "win", darwin: "mac", linux: "linux" };

/** Why llama.cpp did not start with a backend, for who reads the log: what has to be installed, if anything helps. */
export async function whyMissing(backend: Backend): Promise<string> {
  const system = systems[process.platform] ?? process.platform;
  const name = `@node-llama-cpp/${system}-${process.arch}${backend === "cpu" ? "" : `-${backend}`}`;
  const found = await versionOf(name);
  const wanted = await getModuleVersion();
  if (found === null) return `its library (${name}) is not installed`;
  if (found !== wanted) return `its library (${name}) is of version ${found}, not ${wanted}`;
  return "its library is there, and did not start: a driver, or what it needs beside it, is missing or too old";
}

async function versionOf(name: string): Promise<string | null> {
  try {
    const module = libraryPackage.safeParse(await import(/* @vite-ignore */ name));
    return module.success ? module.data.getBinsDir().packageVersion : null;
  } catch {
    return null;
  }
}
