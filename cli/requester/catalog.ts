import { readArguments } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson, table } from "../command/output.ts";
import { exitCodes, openApi } from "./client/api.ts";
import { modelList } from "./client/wire.ts";

const usage = `gleaner catalog [options]
Lists the models that your key can ask, and the other names for them. \`gleaner models\` is about a donor's models.
  --json                 print the answer as JSON
${exitCodes}`;

const options = { json: { type: "boolean", default: false } } as const;

export const catalog: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags } = readArguments(args, options, usage);
  const list = await (await openApi()).get("/models", modelList);
  if (flags.json) sayJson(list);
  else if (list.data.length === 0)
    say("The organization has no models yet. An administrator adds them in the console.");
  else
    say(table(list.data.map(({ id, root }) => [id, root === undefined ? "" : `another name for ${root}`])));
}
