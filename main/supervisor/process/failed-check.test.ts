import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { failedCheckIn, PrintedChecks } from "./failed-check.ts";

const place = "llama-context.cpp:812";

it.each([
  ["/build/llama.cpp/src/llama-context.cpp:812: GGML_ASSERT(n > 0) failed", place],
  ["llama-context.cpp:812: fatal error", place],
  ["C:\\build\\llama-context.cpp:812: GGML_ASSERT(x) failed", place],
  ["secret.cpp:812: GGML_ASSERT(x) failed", null],
  ["llama-context.cpp:812345: x", null],
  ["the secret llama-context.cpp:812: x", null],
  ["root ::= secret", null],
  ["", null],
])("finds in %j the check %j", (line, expected) => {
  expect(failedCheckIn(line)).toBe(expected);
});

it("finds a check in pieces, and among lines of any length", async () => {
  const output = new PassThrough();
  const printed = new PrintedChecks(output);
  expect(printed.last).toBeNull();
  output.write(`${"x".repeat(1_000_000)}llama-context.cpp:1: x\nggml.c:5: GGML_ASSERT(a)\nllama-con`);
  output.write("text.cpp:8");
  output.write("12: GGML_ASSERT");
  output.end();
  await once(output, "end");
  expect(printed.last).toBe(place);
});

const donorFixture = fileURLToPath(new URL("./logging-donor.fixture.ts", import.meta.url));
const runnerFixture = fileURLToPath(new URL("./talkative-runner.fixture.ts", import.meta.url));

it("logs of a crash only the place in llama.cpp, and passes on nothing that the runner prints", async () => {
  // The fixture prints it.
  const marker = "Quokka-4711";
  const donor = spawn(process.execPath, [donorFixture, runnerFixture], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [donor.stdout, donor.stderr])
    stream.on("data", (text: Buffer) => (printed += text.toString()));
  await once(donor, "close");
  expect(printed).toContain('"event":"runner.crashed"');
  expect(printed).toContain(`"failedCheck":"${place}"`);
  expect(printed).not.toContain(marker);
});
