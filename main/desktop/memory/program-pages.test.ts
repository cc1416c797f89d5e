import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { unchangedMappings } from "./program-pages.ts";

const mapping = (line: string, changed: object = {}): string => {
  const sizes = { Rss: 8, Shared_Dirty: 0, Private_Dirty: 0, Anonymous: 0, Swap: 0, Locked: 0, ...changed };
  return [line, ...Object.entries(sizes).map(([name, size]) => `${name}:   ${String(size)} kB`)].join("\n");
};
const program = "/opt/Gleaner/gleaner desktop";
const code = `55d000001000-55d000003000 r-xp 00001000 fd:01 42                    ${program}`;

it("finds the code and the constants of the program's file", () => {
  const constants = `55d000000000-55d000001000 r--p 00000000 fd:01 42                    ${program}`;
  expect(unchangedMappings(`${mapping(constants)}\n${mapping(code)}\nVmFlags: rd ex mr\n`, program)).toEqual([
    { start: 0x55d000000000n, bytes: 0x1000, place: `55d000000000 55d000001000 ${program}` },
    { start: 0x55d000001000n, bytes: 0x2000, place: `55d000001000 55d000003000 ${program}` },
  ]);
});

it.each([
  ["a library's code", code.replace(program, "/usr/lib/libX11.so.6.4.0")],
  ["a shared file of the program", code.replace("r-xp", "r--s").replace(program, "/opt/Gleaner/icudtl.dat")],
])("finds %s", (_, line) => {
  expect(unchangedMappings(`${mapping(line)}\n`, program)).toHaveLength(1);
});

it.each([
  ["that was written before", mapping(code, { Anonymous: 4 })],
  ["that was changed and swapped out", mapping(code, { Rss: 0, Swap: 4 })],
  ["that was changed", mapping(code, { Private_Dirty: 4 })],
  ["that must stay in memory", mapping(code, { Locked: 8 })],
  ["without known changes", code],
  ["that can be written", mapping(code.replace("r-xp", "rw-p"))],
  [
    "of a shared library that others write",
    mapping(code.replace("r-xp", "r--s").replace(program, "/l/a.so")),
  ],
  ["of another file", mapping(code.replace(program, "/usr/share/fonts/a.ttf"))],
  ["of a file that was replaced", mapping(`${code} (deleted)`)],
  ["without a file", mapping("7f0000000000-7f0000001000 r--p 00000000 00:00 0 ")],
])("leaves a mapping alone %s", (_, text) => {
  expect(unchangedMappings(`${text}\n`, program)).toEqual([]);
});

it.runIf(process.platform === "linux")("gives memory back, and the program goes on", async () => {
  const script = `
    import { readFileSync } from "node:fs";
    import { ProgramPages } from "${new URL("program-pages.ts", import.meta.url).pathname}";
    const rss = () => Number(/^RssFile:\\s+(\\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
    const pages = new ProgramPages();
    const before = rss();
    pages.giveBack();
    const after = rss();
    console.log(JSON.stringify({ before, after, sum: [1, 2, 3].reduce((a, b) => a + b) }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const { before, after, sum } = JSON.parse(stdout) as Record<"before" | "after" | "sum", number>;
  expect(sum).toBe(6);
  expect(after).toBeLessThan(before / 2);
});
