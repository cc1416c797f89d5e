import type { ClaimedJob } from "@gleaner/queue/validators";
import { type ModelFile, parseRunnerWork } from "../../app/contract/runner.ts";
import type { BenchRunner } from "../../bench/trust/answers.ts";
import type { Conduct } from "./malicious-device.ts";

/**
 * A device that does chats and replays as a donor does, on another model than the one that it names.
 * @param model the one that it runs.
 * @param named the one that it names in its reports.
 */
export function withOtherModel(runner: BenchRunner, model: ModelFile, named: ModelFile): Conduct {
  return {
    kinds: ["chat", "replay"],
    tell: async ({ kind, payload }: ClaimedJob) => {
      const work = parseRunnerWork(kind, payload);
      if (work === null) throw new Error(`no runner does a job of the kind ${kind}`);
      const { usage, timing, ...result } = await runner.run(model, work);
      return { kind: "answer", result, report: { usage, timing, model: named.sha256 } };
    },
  };
}
