import type { ControlAnswer } from "../../../main/control/calls.ts";
import type { Verb } from "../command.ts";
import { size } from "../progress.ts";
import { askDonor, donorOptions, donorUsage, readArguments, usageError } from "./ask.ts";
import { table } from "./words.ts";

const usage = `gleaner models [options]
gleaner models remove MODEL [options]
Lists the organization's models and where each stands on this computer; or takes one off it. A model that is used
right now stays.
${donorUsage}`;

export const models: Verb = { summary: "list the models on this computer, or remove one", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, donorOptions, usage, 2);
  const [action, modelId] = positionals;
  if (action !== undefined && action !== "remove") throw usageError(`There is no "${action}" here.`, usage);
  if (action === "remove" && modelId === undefined) throw usageError("Name the model to remove.", usage);
  const answer =
    modelId === undefined
      ? await askDonor(flags, "models", null)
      : await askDonor(flags, "removeModel", { modelId });
  console.log(flags.json ? JSON.stringify(answer) : sayModels(answer));
}

function sayModels({ models }: ControlAnswer<"models">): string {
  if (models.length === 0)
    return "The organization has no models for this computer, or it was not reached yet.";
  return table(
    models.map(({ modelId, sizeBytes, state, downloadedBytes, why }) => [
      modelId,
      size(sizeBytes),
      downloadedBytes === null ? state : `${state}, ${size(downloadedBytes)} here`,
      why ?? "",
    ]),
  );
}
