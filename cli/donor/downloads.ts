import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import { formatBytes } from "../../app/format/quantity.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson, table } from "../command/output.ts";
import { askDonor, donorOptions, donorUsage } from "./ask.ts";

const usage = `gleaner downloads [options]
gleaner downloads remove MODEL [options]
gleaner downloads fetch MODEL [options]
Lists the organization's models, with their state and speed on this computer. \`remove\` deletes a model's file, and the
model is not downloaded again until \`fetch\`. A model in use cannot be removed.
\`gleaner models\` lists the models that requests can ask.
${donorUsage}`;

export const downloads: Verb = { usage, options: donorOptions, actions: ["remove", "fetch"], run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, donorOptions, usage, 2);
  const [action, modelId] = positionals;
  if (action !== undefined && modelId === undefined) throw usageError("Name the model.", usage);
  if (action !== undefined && modelId !== undefined) await askDonor(flags, callFor(action), { modelId });
  const answer = await askDonor(flags, "models", null);
  if (flags.json) sayJson(answer);
  else say(sayModels(answer));
}

function callFor(action: string): "removeModel" | "fetchModel" {
  if (action === "remove") return "removeModel";
  if (action === "fetch") return "fetchModel";
  throw usageError(`Unknown action "${action}": use remove or fetch.`, usage);
}

function sayModels({ models }: CallAnswer<"models">): string {
  if (models.length === 0)
    return "The organization has no models for this computer, or could not be reached yet.";
  return table(
    models.map(({ modelId, sizeBytes, state, downloadedBytes, why, speed }) => [
      modelId,
      formatBytes(sizeBytes),
      downloadedBytes === null ? state : `${state}, ${formatBytes(downloadedBytes)} downloaded`,
      why ??
        (speed === null
          ? ""
          : `reads ${speed.prefill}, writes ${speed.generate} tokens/s (${speed.backend})`),
    ]),
  );
}
