import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const shells = ["bash", "zsh", "fish"] as const;
const isHere = (shell: string): boolean => spawnSync(shell, ["--version"]).error === undefined;

let folder: string;

async function output(command: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { cwd: folder })).stdout;
}

const fileOf = (shell: string): string => join(folder, `completion.${shell}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-completion-"));
  for (const shell of shells) {
    const script = await output(process.execPath, [join(root, "cli/gleaner.ts"), "completion", shell]);
    await writeFile(fileOf(shell), script);
  }
  await writeFile(join(folder, "table.csv"), "");
});
afterAll(() => rm(folder, { recursive: true }));

/** Completes the last of these words in bash, as its Tab key does. */
async function inBash(...words: readonly string[]): Promise<readonly string[]> {
  const list = ["gleaner", ...words].map((word) => `'${word}'`).join(" ");
  const script = `source ${fileOf("bash")}; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _gleaner; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return (await output("bash", ["-c", script])).split("\n").filter((line) => line !== "");
}

describe("the completion in bash", () => {
  it("completes commands", async () => {
    expect(await inBash("do")).toEqual(["donate", "donate-now", "downloads"]);
    expect(await inBash("")).toEqual(expect.arrayContaining(["status", "backup", "completion", "--help"]));
  });

  it("completes the actions of a command, but only as its first argument", async () => {
    expect(await inBash("downloads", "")).toEqual(["remove", "fetch"]);
    expect(await inBash("completion", "z")).toEqual(["zsh"]);
    expect(await inBash("downloads", "fetch", "")).toEqual([]);
  });

  it("completes a command's own options", async () => {
    expect(await inBash("pause", "--")).toEqual(["--data", "--for", "--until", "--json", "--help"]);
    expect(await inBash("entry", "--s")).toEqual(["--source"]);
  });

  it("leaves the values of options and all other arguments to bash, which completes files", async () => {
    expect(await inBash("pause", "--data", "")).toEqual([]);
    expect(await inBash("entry", "t")).toEqual([]);
    expect(await output("bash", ["-c", `source ${fileOf("bash")}; complete -p gleaner`])).toContain(
      "-o default",
    );
  });
});

describe.each(shells)("the script for %s", (shell) => {
  it.runIf(isHere(shell))("has no mistake that the shell finds", async () => {
    expect(await output(shell, ["-n", fileOf(shell)])).toBe("");
  });
});

it.runIf(isHere("fish"))("completes commands, actions, options and files in fish", async () => {
  const inFish = async (line: string): Promise<readonly string[]> => {
    const out = await output("fish", ["-c", `source ${fileOf("fish")}; complete -C '${line}'`]);
    return out.split("\n").flatMap((each) => each.split("\t")[0] || []);
  };
  expect(await inFish("gleaner do")).toEqual(["donate", "donate-now", "downloads"]);
  expect(await inFish("gleaner completion ")).toEqual(expect.arrayContaining(["bash", "fish", "zsh"]));
  expect(await inFish("gleaner downloads ")).toEqual(expect.arrayContaining(["fetch", "remove"]));
  expect(await inFish("gleaner downloads fetch r")).toEqual([]);
  expect(await inFish("gleaner downloads pause --f")).toEqual([]);
  expect(await inFish("gleaner entry --s")).toEqual(["--source"]);
  expect(await inFish("gleaner entry t")).toEqual(["table.csv"]);
});

it("refuses other shells", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "cli/gleaner.ts"), "completion", "csh"]);
  expect(status).toBe(2);
  expect(stderr.toString()).toContain("bash, zsh or fish");
});
