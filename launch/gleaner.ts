#!/usr/bin/env node
import { backup } from "./gleaner/backup.ts";
import { conflicts } from "./gleaner/conflicts.ts";
import { CommandError, EXIT_FAILED, EXIT_USAGE, type Verb } from "./gleaner/command.ts";
import { bench } from "./gleaner/donor/bench.ts";
import { donate } from "./gleaner/donor/donate.ts";
import { explain as explainDonor } from "./gleaner/donor/explain.ts";
import { facts } from "./gleaner/donor/facts.ts";
import { finish } from "./gleaner/donor/finish.ts";
import { models } from "./gleaner/donor/models.ts";
import { pause, snooze } from "./gleaner/donor/pause.ts";
import { resume } from "./gleaner/donor/resume.ts";
import { status } from "./gleaner/donor/status.ts";
import { entry } from "./gleaner/entry.ts";
import { restore } from "./gleaner/restore.ts";
import { explain, LaunchError } from "./launch-error.ts";

const verbs: ReadonlyMap<string, Verb> = new Map([
  ["donate", donate],
  ["status", status],
  ["pause", pause],
  ["snooze", snooze],
  ["finish", finish],
  ["resume", resume],
  ["explain", explainDonor],
  ["facts", facts],
  ["models", models],
  ["bench", bench],
  ["entry", entry],
  ["backup", backup],
  ["restore", restore],
  ["conflicts", conflicts],
]);

function usage(): string {
  const lines = [...verbs].map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return `gleaner COMMAND [options]\n\n${lines.join("\n")}\n\ngleaner COMMAND --help says more.`;
}

async function main(): Promise<number> {
  const [name = "--help", ...args] = process.argv.slice(2);
  if (name === "--help" || name === "-h" || name === "help") {
    console.log(usage());
    return 0;
  }
  const verb = verbs.get(name);
  if (verb === undefined) {
    console.error(`There is no command "${name}".\n\n${usage()}`);
    return EXIT_USAGE;
  }
  if (args.includes("--help") || args.includes("-h")) {
    console.log(verb.usage);
    return 0;
  }
  await verb.run(args);
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (error instanceof CommandError) console.error(error.message);
    else console.error(error instanceof LaunchError ? explain(error) : error);
    process.exit(error instanceof CommandError ? error.exitCode : EXIT_FAILED);
  },
);
