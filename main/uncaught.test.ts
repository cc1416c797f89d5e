import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { placeOf } from "./uncaught.ts";

it("names the innermost place of an error, and nothing of its message", () => {
  const error = new Error("a\n    at secret (b.ts:1:1)");
  expect(placeOf(error)).toContain("uncaught.test.ts:");
  expect(placeOf("secret")).toBeNull();
});

const program = fileURLToPath(new URL("./uncaught.fixture.ts", import.meta.url));

it.each(["throws", "rejects"])("logs no message of an error that nobody caught (%s)", async (how) => {
  const child = spawn(process.execPath, [program, how], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (printed += text.toString()));
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(1);
  expect(JSON.parse(printed)).toMatchObject({ event: "program.failed", error: "SyntaxError" });
  expect(printed).toContain("JSON.parse");
  expect(printed).not.toContain("Quokka");
});
