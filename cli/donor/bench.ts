import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import { formatDuration } from "../../app/format/time.ts";
import { readArguments } from "../command/arguments.ts";
import { CommandError, type Verb } from "../command/command.ts";
import { Progress, say, sayJson, table } from "../command/output.ts";
import { askDonor, donorOptions, donorUsage } from "./ask.ts";

const usage = `gleaner bench [MODEL] [options]
Measures how many tokens per second this computer reads and writes with a model, or with each model that is here. It uses
the donor's own runner and limits, and works even while the donor does not donate. It stops with Ctrl-C, when a person
comes back to the computer, or when the donor would yield.
${donorUsage}`;

export const bench: Verb = { usage, options: donorOptions, run };

const measuredWithinMs = 15 * 60_000;

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, donorOptions, usage, 1);
  const progress = new Progress(flags.json);
  progress.at("Measuring");
  const answer = await askDonor(flags, "bench", { modelId: positionals[0] ?? null }, measuredWithinMs);
  progress.at("");
  if (flags.json) sayJson(answer);
  else say(sayMeasured(answer));
  if (answer.models.some(({ kind }) => kind === "failed")) {
    throw new CommandError("Not every model could be measured.");
  }
}

function sayMeasured({ models }: CallAnswer<"bench">): string {
  const head = ["model", "reads (tokens/s)", "writes (tokens/s)", "backend", "loaded in"];
  const rows = models.map((model) =>
    model.kind === "failed"
      ? [model.modelId, "", "", model.why, ""]
      : [
          ...[model.modelId, String(model.prefill), String(model.generate)],
          model.gpuLayers > 0
            ? `${model.backend}, ${model.gpuLayers} layers on the GPU`
            : `${model.backend}, ${model.threads} threads`,
          model.loadMs === 0 ? "already loaded" : formatDuration(model.loadMs),
        ],
  );
  return table([head, ...rows]);
}
