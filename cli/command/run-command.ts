import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { visibleText } from "../../app/format/visible.ts";
import { explain, LaunchError } from "../../launch/core/launch-error.ts";
import { installed, root } from "../../launch/core/paths.ts";
import { CommandError, exitFailed, exitUsage, type Verb } from "./command.ts";

/** The commands by name, in the order of the help text. `load` imports the command's module, so that only one is loaded. */
export type Verbs = Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Verb> }>
>;

/** Runs the command that this process's arguments name. Ends the process with the command's exit code. */
export function runCommand(verbs: Verbs): void {
  perform(verbs).then(
    (code) => process.exit(code),
    (error: unknown) => {
      // The message can contain another program's words.
      if (error instanceof CommandError) console.error(error.message.split("\n").map(visibleText).join("\n"));
      else console.error(error instanceof LaunchError ? explain(error) : error);
      process.exit(error instanceof CommandError ? error.exitCode : exitFailed);
    },
  );
}

async function perform(verbs: Verbs): Promise<number> {
  const [name = "--help", ...args] = process.argv.slice(2);
  if (name === "--help" || name === "-h" || name === "help") {
    console.log(usageOf(verbs));
    return 0;
  }
  if (name === "--version") {
    console.log(version());
    return 0;
  }
  const entry = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (entry === undefined) {
    console.error(`Unknown command "${name}".\n\n${usageOf(verbs)}`);
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

function usageOf(verbs: Verbs): string {
  const width = Math.max(...Object.keys(verbs).map((name) => name.length));
  const lines = Object.entries(verbs).map(([name, { summary }]) => `  ${name.padEnd(width)} ${summary}`);
  return `gleaner COMMAND [options]\n\n${lines.join("\n")}\n\nFor details: gleaner COMMAND --help. The version: gleaner --version`;
}
