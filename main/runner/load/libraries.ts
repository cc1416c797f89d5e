import { getLlama, getModuleVersion, type Llama, LlamaLogLevel } from "node-llama-cpp";
import * as z from "zod";
import type { Backend } from "../../../app/contract/speed.ts";

type Library =
  { readonly kind: "ready"; readonly llama: Llama } | { readonly kind: "missing"; readonly why: string };

/** llama.cpp's build for each backend. Each is loaded at its first use, and only once. */
export class Libraries {
  readonly #found = new Map<Backend, Promise<Library>>();
  readonly #loaded = new Set<Llama>();
  #threads: number | null = null;

  async get(backend: Backend, threads: number): Promise<Library> {
    let finding = this.#found.get(backend);
    if (finding === undefined) {
      finding = find(backend, threads);
      this.#found.set(backend, finding);
    }
    const library = await finding;
    if (library.kind === "ready") {
      this.#loaded.add(library.llama);
      library.llama.maxThreads = this.#threads ?? threads;
    }
    return library;
  }

  /** Holds from llama.cpp's next evaluation on, and overrides the `threads` of `get`. */
  setThreads(threads: number): void {
    this.#threads = threads;
    for (const llama of this.#loaded) llama.maxThreads = threads;
  }
}

async function find(backend: Backend, threads: number): Promise<Library> {
  try {
    const llama = await getLlama({
      gpu: backend === "cpu" ? false : backend,
      build: "never",
      maxThreads: threads,
      logLevel: LlamaLogLevel.disabled,
      // Its log may quote a prompt or a grammar.
      logger: () => undefined,
      progressLogs: false,
    });
    if (backend === "cpu") return { kind: "ready", llama };
    if ((await llama.getGpuDeviceNames()).length === 0) {
      await llama.dispose();
      return { kind: "missing", why: "there is no device for it" };
    }
    return { kind: "ready", llama };
  } catch {
    return { kind: "missing", why: await whyMissing(backend) };
  }
}

/** The exports of each package with a library of llama.cpp. */
const libraryPackage = z.object({
  getBinsDir: z.function({ input: [], output: z.object({ packageVersion: z.string() }) }),
});

const systems: Partial<Record<NodeJS.Platform, string>> = { win32: "win", darwin: "mac", linux: "linux" };

/** Why llama.cpp did not start with a backend. Tells a reader of the log what to install, if anything helps. */
async function whyMissing(backend: Backend): Promise<string> {
  const system = systems[process.platform] ?? process.platform;
  const name = `@node-llama-cpp/${system}-${process.arch}${backend === "cpu" ? "" : `-${backend}`}`;
  const found = await versionOf(name);
  const wanted = await getModuleVersion();
  if (found === null) return `its library (${name}) is not installed`;
  if (found !== wanted) return `its library (${name}) is of version ${found}, not ${wanted}`;
  return "its library did not start: a driver or another library that it needs is missing or too old";
}

async function versionOf(name: string): Promise<string | null> {
  try {
    const module = libraryPackage.safeParse(await import(/* @vite-ignore */ name));
    return module.success ? module.data.getBinsDir().packageVersion : null;
  } catch {
    return null;
  }
}
