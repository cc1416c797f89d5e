import { plural } from "../../app/format/quantity.ts";
import { readArguments } from "../command/arguments.ts";
import { CommandError, exitUsage, type Verb } from "../command/command.ts";
import { say, sayJson, table } from "../command/output.ts";
import { type Api, exitCodes, openApi } from "./client/api.ts";
import { modelList } from "./client/wire.ts";

const usage = `gleaner models [options]
Lists the models that your key can ask, the longest question and answer together, and the other names for them. What an
answer costs: gleaner quote. The models on this computer, if it donates: gleaner downloads.
  --json                 print the answer as JSON
${exitCodes}`;

const options = { json: { type: "boolean", default: false } } as const;

export const models: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  refuseDonorActions(args);
  const { values: flags } = readArguments(args, options, usage);
  const list = await (await openApiOrHint()).get("/models", modelList);
  if (flags.json) sayJson(list);
  else if (list.data.length === 0)
    say(
      "Your key can ask no model yet. An administrator adds models in the console, and says which ones a key may ask.",
    );
  else
    say(
      table(
        list.data.map(({ id, root, context_length: context }) => [
          id,
          context === undefined ? "" : plural(context, ["# token", "# tokens"]),
          root === undefined ? "" : `another name for ${root}`,
        ]),
      ),
    );
}

/** Donors look for the models on their computer here, too. */
function refuseDonorActions([action]: readonly string[]): void {
  if (action !== "remove" && action !== "fetch") return;
  throw new CommandError(
    `\`gleaner models\` lists the models that a key can ask. For those on this computer: gleaner downloads ${action} MODEL`,
    exitUsage,
  );
}

async function openApiOrHint(): Promise<Api> {
  return await openApi().catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${error.message}\nTo list the models on this computer, if it donates: gleaner downloads`,
      error.exitCode,
    );
  });
}
