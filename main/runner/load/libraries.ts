import { getLlama, type Llama, LlamaLogLevel } from "node-llama-cpp";
import type { Backend } from "../../../app/contract/runner.ts";
import { whyMissing } from "./missing-library.ts";

export type Library =
  { readonly kind: "ready"; readonly llama: Llama } | { readonly kind: "missing"; readonly why: string };

/** llama.cpp as it was built for each backend: loaded when it is first asked for, and asked for once. */
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

  /** For the steps that begin from now on, whatever was asked for before. */
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
      // What it says may quote a prompt or a grammar.
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
