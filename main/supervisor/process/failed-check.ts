import type { Readable } from "node:stream";

/** Sources of llama.cpp with checks that end the process. */
const sources: ReadonlySet<string> = new Set(
  `ggml.c ggml.cpp gguf.cpp ggml-alloc.c ggml-backend.cpp ggml-backend-reg.cpp ggml-opt.cpp ggml-quants.c ggml-threading.cpp
  ggml-cpu.c ggml-cpu.cpp ggml-cpu-quants.c binary-ops.cpp unary-ops.cpp ops.cpp vec.cpp quants.c repack.cpp sgemm.cpp traits.cpp
  ggml-cuda.cu common.cuh ggml-vulkan.cpp ggml-metal.m ggml-metal.cpp ggml-metal-device.m ggml-metal-context.m ggml-metal-ops.cpp
  llama.cpp llama-adapter.cpp llama-arch.cpp llama-batch.cpp llama-chat.cpp llama-context.cpp llama-cparams.cpp llama-grammar.cpp
  llama-graph.cpp llama-hparams.cpp llama-impl.cpp llama-io.cpp llama-kv-cache.cpp llama-kv-cache-iswa.cpp llama-memory.cpp
  llama-memory-hybrid.cpp llama-memory-recurrent.cpp llama-mmap.cpp llama-model.cpp llama-model-loader.cpp llama-sampling.cpp
  llama-vocab.cpp unicode.cpp`.split(/\s+/),
);

const check = /^(?:\S*[\\/])?([\w.-]{1,60}):(\d{1,5}): /;

/**
 * The place of a failed check, such as "llama-context.cpp:812", from a line like "/build/src/llama-context.cpp:812:
 * GGML_ASSERT(…) failed". llama.cpp also prints grammars, and a request may imitate such a line. So only the names above and
 * a number are taken. Null for every other line.
 */
export function failedCheckIn(line: string): string | null {
  const [, source = "", number = ""] = check.exec(line) ?? [];
  return sources.has(source) ? `${source}:${number}` : null;
}

/** Longer than a line with a failed check. */
const longestLine = 1_000;

/**
 * Reads what a runner prints and forgets all of it but the last failed check. It must be read: a process whose output
 * nobody takes stops when the pipe is full.
 */
export class PrintedChecks {
  #line = "";
  #last: string | null = null;

  constructor(output: Readable) {
    output.setEncoding("utf8");
    output.on("data", (text: string) => this.#take(text)).on("error", () => undefined);
  }

  /** The last failed check so far; null if there was none. */
  get last(): string | null {
    return failedCheckIn(this.#line) ?? this.#last;
  }

  #take(text: string): void {
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      if (index > 0) {
        this.#last = this.last;
        this.#line = "";
      }
      this.#line += part.slice(0, Math.max(0, longestLine - this.#line.length));
    }
  }
}
