import { describe, expect, it } from "vitest";
import { runSubprocess, subprocessCounts } from "./subprocess.ts";

const node = (script: string, limits = {}) => runSubprocess(process.execPath, ["-e", script], limits);

describe("runSubprocess", () => {
  it("returns what a program printed, and counts the program", async () => {
    const before = subprocessCounts()[process.execPath] ?? 0;
    expect(await node("console.log('so it is')")).toEqual({ kind: "ok", stdout: "so it is\n" });
    expect(subprocessCounts()[process.execPath]).toBe(before + 1);
  });

  it("says why a program failed: its exit code, its absence, its time or its length", async () => {
    expect(await node("process.exit(3)")).toEqual({ kind: "failed", why: "exit" });
    expect(await runSubprocess("surely-not-there", [])).toEqual({ kind: "failed", why: "missing" });
    expect(await node("setInterval(() => undefined, 1000)", { timeoutMs: 300 })).toEqual({
      kind: "failed",
      why: "timeout",
    });
    expect(await node("process.stdout.write('x'.repeat(100000))", { maxBytes: 1_000 })).toEqual({
      kind: "failed",
      why: "too long",
    });
  });
});
