import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import { formatBytes } from "../../app/format/quantity.ts";
import type { Verb } from "../command/command.ts";
import { size } from "../command/progress.ts";
import { askDonor, donorOptions, donorUsage, readArguments, usageError } from "./ask.ts";
import { table } from "./words.ts";

const usage = `gleaner models [options]
gleaner models remove MODEL [options]
gleaner models fetch MODEL [options]
Lists the organization's models and where each stands on this computer, with its speed once that was measured; takes one
off it, which then stays away; or has one come again, as the rules allow. A model that is used right now stays.
${donorUsage}`;

export const models: Verb = { summary: "list the models on this computer, remove or fetch one", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, donorOptions, usage, 2);
  const [action, modelId] = positionals;
  if (action !== undefined && modelId === undefined) throw usageError("Name the model.", usage);
  if (action !== undefined && modelId !== undefined) await askDonor(flags, callFor(action), { modelId });
  const answer = await askDonor(flags, "models", null);
  console.log(flags.json ? JSON.stringify(answer) : sayModels(answer));
}

function callFor(action: string): "removeModel" | "fetchModel" {
  if (action === "remove") return "removeModel";
  if (action === "fetch") return "fetchModel";
  throw usageError(`There is no "${action}" here.`, usage);
}

function sayModels({ models }: CallAnswer<"models">): string {
  if (models.length === 0)
    return "The organization has no models for this computer, or it was not reached yet.";
  return table(
    models.map(({ modelId, sizeBytes, state, downloadedBytes, why, speed }) => [
      modelId,
      formatBytes(sizeBytes),
      downloadedBytes === null ? state : `${state}, ${formatBytes(downloadedBytes)} here`,
      why ??
        (speed === null
          ? ""
          : `reads ${speed.prefill}, writes ${speed.generate} tokens/s (${speed.backend})`),
    ]),
  );
}
