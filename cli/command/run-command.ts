import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { visibleText } from "../../app/format/visible.ts";
import { explain, LaunchError } from "../../launch/core/launch-error.ts";
import { installed, root } from "../../launch/core/paths.ts";
import { CommandError, exitFailed, exitUsage, type VerbGroup, type Verbs } from "./command.ts";

/** Runs the command that this process's arguments name. Ends the process with the command's exit code. */
export function runCommand(groups: readonly VerbGroup[]): void {
  const own: Verbs = {
    completion: {
      summary: "print the completion of commands for bash, zsh or fish",
      load: async () => (await import("./completion.ts")).completion({ ...verbsOf(groups), ...own }),
    },
  };
  perform([...groups, { title: "For your shell", verbs: own }]).then(
    (code) => process.exit(code),
    (error: unknown) => {
      // The message can contain another program's words.
      if (error instanceof CommandError) console.error(error.message.split("\n").map(visibleText).join("\n"));
      else console.error(error instanceof LaunchError ? explain(error) : error);
      process.exit(error instanceof CommandError ? error.exitCode : exitFailed);
    },
  );
}

async function perform(groups: readonly VerbGroup[]): Promise<number> {
  const [name = "--help", ...args] = process.argv.slice(2);
  if (name === "--help" || name === "-h" || name === "help") {
    console.log(usageOf(groups));
    return 0;
  }
  if (name === "--version") {
    console.log(version());
    return 0;
  }
  const verbs = verbsOf(groups);
  const entry = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (entry === undefined) {
    console.error(`Unknown command "${name}".\n\n${usageOf(groups)}`);
    return exitUsage;
  }
  // A checkout runs without a build. The cache saves Node from stripping the types at every start. An Electron with an older
  // Node has no such function, and its command is built.
  if (!installed) nodeModule.enableCompileCache(join(root, "node_modules/.cache/gleaner"));
  const verb = await entry.load();
  if (args.includes("--help") || args.includes("-h")) {
    console.log(verb.usage);
    return 0;
  }
  await verb.run(args);
  return 0;
}

/** The version of this program, by its package.json. */
function version(): string {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return manifest.version;
}

function verbsOf(groups: readonly VerbGroup[]): Verbs {
  return Object.assign({}, ...groups.map(({ verbs }) => verbs)) as Verbs;
}

function usageOf(groups: readonly VerbGroup[]): string {
  const width = Math.max(...Object.keys(verbsOf(groups)).map((name) => name.length));
  const sections = groups.map(({ title, verbs }) => {
    const lines = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(width)} ${summary}`);
    return `${title}:\n${lines.join("\n")}\n`;
  });
  return `gleaner COMMAND [options]\n\n${sections.join("\n")}\nFor details: gleaner COMMAND --help. The version: gleaner --version`;
}
