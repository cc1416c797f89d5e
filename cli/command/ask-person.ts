import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Asks the person at the terminal for a line. */
export async function askLine(question: string): Promise<string> {
  const lines = openTerminal(process.stderr);
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** The same, without showing what the person types. */
export async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const lines = openTerminal(new Writable({ write: (_chunk, _encoding, done) => done() }));
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** Lines of the terminal. Ctrl-C reaches the process, which a terminal that reads lines would keep from it. */
export function openTerminal(output: NodeJS.WritableStream): Interface {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  return lines;
}

/** The first line of the input, such as of a pipe. */
export async function firstInputLine(): Promise<string> {
  return (await allInput()).split("\n", 1)[0] ?? "";
}

/** The whole input, such as of a pipe. */
export async function allInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
