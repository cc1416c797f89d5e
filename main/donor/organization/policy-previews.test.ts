import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DeviceTotals } from "../../../app/policy/replay/totals.ts";
import { effectiveRules } from "../../../app/policy/rule-layers.ts";
import { defaultRules } from "../../../app/policy/rules.ts";
import { FactFiles } from "../../journal/fact-files.ts";
import { silentLog } from "../../log.ts";
import type { PreviewRequest } from "./organization.ts";
import { PolicyPreviews } from "./policy-previews.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-previews-"));
});
afterEach(() => rm(folder, { recursive: true }));

type Answer = readonly [string, DeviceTotals | null];

/** The server refuses the first `refusals` answers. */
function startPreviews(refusals = 0): {
  readonly previews: PolicyPreviews;
  readonly ask: (requests: readonly PreviewRequest[]) => void;
  readonly answers: Answer[];
} {
  const answers: Answer[] = [];
  let refused = 0;
  let ask: (requests: readonly PreviewRequest[]) => void = () => undefined;
  const previews = new PolicyPreviews({
    organization: {
      onPreviews: (listener) => {
        ask = listener;
        return Object.assign(() => undefined, { unsubscribe: () => undefined });
      },
      answerPreview: (previewId, totals) => {
        if (refused++ < refusals) return Promise.reject(new Error("Server Error"));
        answers.push([previewId, totals]);
        return Promise.resolve();
      },
    },
    dataDir: folder,
    rules: () => defaultRules,
    rulesUnder: (organization) => effectiveRules({ base: defaultRules, donor: {}, organization }).rules,
    log: silentLog,
  });
  previews.follow();
  return { previews, ask: (requests) => ask(requests), answers };
}

const never: PreviewRequest = {
  previewId: "p1",
  rules: { values: { schedule: [] }, locked: [] },
  spreadMs: 0,
};

/** Two hours of an idle computer on mains power, until now. */
function seed(): void {
  const files = new FactFiles(folder, silentLog);
  const from = Date.now() - 7_200_000;
  const set = {
    donating: [true],
    lastInput: [from - 3_600_000],
    power: ["ac"],
    suspended: [false],
    connection: ["online"],
    membership: ["active"],
    pause: [null],
    finishThenPause: [false],
    donateNowUntil: [null],
    modelReady: [true],
  } as const;
  for (let at = from; at < Date.now(); at += 600_000) {
    files.append({
      at,
      full: true,
      ...(at === from && { starts: true }),
      set: structuredClone(set) as never,
    });
  }
}

describe("a device that is asked to preview rules", () => {
  it("answers once, with totals only", async () => {
    seed();
    const { ask, answers, previews } = startPreviews();
    ask([never]);
    ask([never]);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    expect(answers).toEqual([
      ["p1", { recorded: 120, happened: 120, now: 120, draft: 0, nowSpans: 1, draftSpans: 0, unsure: 0 }],
    ]);
    ask([never, { ...never, previewId: "p2" }]);
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    previews.stop();
  });

  it("says so if it has recorded nothing", async () => {
    const { ask, answers } = startPreviews();
    ask([never]);
    await vi.waitFor(() => expect(answers).toEqual([["p1", null]]));
  });

  it("answers again if the server refuses its answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { ask, answers } = startPreviews(2);
    ask([never]);
    for (let turn = 0; turn < 100 && answers.length === 0; turn++) {
      await vi.advanceTimersByTimeAsync(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(answers).toEqual([["p1", null]]);
    vi.useRealTimers();
  });

  it("answers no preview that ended before its turn", async () => {
    seed();
    const { ask, answers } = startPreviews();
    ask([{ ...never, spreadMs: 50 }]);
    ask([]);
    ask([{ ...never, previewId: "p2" }]);
    await vi.waitFor(() => expect(answers.map(([id]) => id)).toEqual(["p2"]));
  });
});
