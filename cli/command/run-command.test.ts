import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { donors } from "../donor/verbs.ts";
import { administrators, operators } from "../operator/verbs.ts";
import { requesters } from "../requester/verbs.ts";
import { exitUnreachable } from "./command.ts";

const root = join(import.meta.dirname, "../..");

/** Prints the address of each module that Node loads. */
const printModules = `
import { writeSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    writeSync(2, url + "\\n");
    return next(url, context);
  },
});`;

type Loaded = {
  readonly code: number;
  readonly commands: readonly string[];
  readonly packages: readonly string[];
};

/** Runs a command. Tells which modules of commands and which packages it loads. */
function loadedBy(...args: readonly string[]): Promise<Loaded> {
  const hook = `data:text/javascript,${encodeURIComponent(printModules)}`;
  return new Promise((resolve) => {
    const command = ["--import", hook, join(root, "cli/gleaner.ts"), ...args];
    execFile(process.execPath, command, { timeout: 60_000 }, (error, _, printed) => {
      const found = (pattern: RegExp): readonly string[] =>
        [...new Set([...printed.matchAll(pattern)].map(([, name = ""]) => name))].toSorted();
      resolve({
        code: error === null ? 0 : Number(error.code),
        commands: found(/\/cli\/((?:donor|operator|requester)\/.*)$/gm),
        packages: found(/\/(?:node_modules|packages)\/((?:@[^/\n]+\/)?[^/\n]+)/g),
      });
    });
  });
}

const tables = ["donor/verbs.ts", "operator/verbs.ts", "requester/verbs.ts"];

it("loads for `status` no module of another command, and no package but zod", async () => {
  expect(await loadedBy("status", "--data", import.meta.dirname)).toEqual({
    code: exitUnreachable,
    commands: ["donor/activity.ts", "donor/ask.ts", "donor/times.ts", ...tables].toSorted(),
    packages: ["zod"],
  });
});

it.each([["--help"], ["--version"]])("loads no command for %s", async (flag) => {
  expect(await loadedBy(flag)).toEqual({ code: 0, commands: tables, packages: [] });
});

it("takes no inherited property for a command", async () => {
  expect((await loadedBy("constructor")).code).toBe(2);
});

describe.each(
  Object.entries({ ...requesters.verbs, ...donors.verbs, ...administrators.verbs, ...operators.verbs }),
)("the command %s", (name, { load }) => {
  it("loads the module with its own usage", async () => {
    expect((await load()).usage).toMatch(new RegExp(`gleaner ${name}\\b`));
  });

  it("describes exactly the options that it parses", async () => {
    const { usage, options } = await load();
    const described = [...usage.matchAll(/^ {2}(?:--[\w-]+, )*--([\w-]+)/gm)].map(([, option]) => option);
    expect(described.toSorted()).toEqual(Object.keys(options).toSorted());
  });
});
