import { writeSync } from "node:fs";

/** A runner that prints a request's text in every way, and ends as llama.cpp does at a failed check. */
const marker = "Quokka-4711";
process.send?.({ type: "started" });
writeSync(1, marker);
// More than a pipe holds.
for (let line = 0; line < 4_000; line += 1)
  writeSync(2, `parse: error parsing grammar: ${marker}\nroot ::= ${marker}\n`);
writeSync(2, `${marker}.cpp:7: GGML_ASSERT(${marker}) failed\n`);
writeSync(
  2,
  `/build/llama.cpp/src/llama-context.cpp:812: GGML_ASSERT(n_tokens > 0 && "${marker}") failed\n${marker}`,
);
process.abort();
