import { setImmediate as nextTurn } from "node:timers/promises";
import type { Unsubscribe } from "@gleaner/queue/worker";
import { newReplay, type ReplayOptions, replayTo } from "../../../app/policy/replay/replay.ts";
import { type DeviceTotals, deviceTotals, replayedDays } from "../../../app/policy/replay/totals.ts";
import type { OrganizationRules } from "../../../app/policy/rule-layers.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { readFacts } from "../../journal/fact-files.ts";
import { errorName, type Log } from "../../log.ts";
import { minuteOfWeek } from "../../sensors/local-time.ts";
import type { Organization, PreviewRequest } from "./organization.ts";

type PreviewDeps = {
  readonly organization: Pick<Organization, "onPreviews" | "answerPreview">;
  readonly dataDir: string;
  /** The rules in force. */
  readonly rules: () => Rules;
  /** The rules under a draft of the organization's. */
  readonly rulesUnder: (draft: OrganizationRules) => Rules;
  readonly log: Log;
};

/** The donor has to yield within milliseconds, so a replay works in short turns. */
const recordsPerTurn = 100;
const maxSpreadMs = 120_000;
/** The server refuses an answer that meets too many others. It is sent again at another moment. */
const maxTries = 4;
const retryWithinMs = 5_000;

/**
 * Answers the organization's previews of rules: replays this device's own record of its last days, and tells totals. The
 * record itself never leaves the device.
 */
export class PolicyPreviews {
  readonly #deps: PreviewDeps;
  /** The previews that are asked now, with the timer of the answer. */
  readonly #asked = new Map<string, NodeJS.Timeout>();
  #unfollow: Unsubscribe | null = null;
  #replaying: Promise<void> = Promise.resolve();

  constructor(deps: PreviewDeps) {
    this.#deps = deps;
  }

  follow(): void {
    this.#unfollow?.();
    this.#unfollow = this.#deps.organization.onPreviews((previews) => this.#ask(previews));
  }

  stop(): void {
    this.#unfollow?.();
    this.#unfollow = null;
    this.#ask([]);
  }

  #ask(previews: readonly PreviewRequest[]): void {
    const ids = new Set(previews.map(({ previewId }) => previewId));
    for (const [id, timer] of this.#asked) {
      if (ids.has(id)) continue;
      clearTimeout(timer);
      this.#asked.delete(id);
    }
    for (const preview of previews) {
      const { previewId, spreadMs } = preview;
      if (this.#asked.has(previewId)) continue;
      this.#answerWithin(preview, Math.min(maxSpreadMs, spreadMs), maxTries);
    }
  }

  #answerWithin(preview: PreviewRequest, withinMs: number, tries: number): void {
    const answer = (): void => {
      this.#replaying = this.#replaying.then(() => this.#answer(preview, tries));
    };
    this.#asked.set(preview.previewId, setTimeout(answer, Math.random() * withinMs));
  }

  /** Never rejects. */
  async #answer(preview: PreviewRequest, tries: number): Promise<void> {
    const { previewId, rules: draft } = preview;
    const { organization, dataDir, rules, rulesUnder, log } = this.#deps;
    try {
      const isAsked = (): boolean => this.#asked.has(previewId);
      const totals = await replayDraft(dataDir, rules(), rulesUnder(draft), Date.now(), isAsked);
      if (totals !== undefined) await organization.answerPreview(previewId, totals);
    } catch (error) {
      log("warn", "preview.not-answered", { error: errorName(error) });
      if (tries > 1 && this.#asked.has(previewId)) this.#answerWithin(preview, retryWithinMs, tries - 1);
    }
  }
}

/**
 * A device's totals under its rules and under a draft of them, from its own record. Null without a record, undefined if
 * nobody asks any longer.
 */
export async function replayDraft(
  dataDir: string,
  rules: Rules,
  draft: Rules,
  now: number,
  isAsked: () => boolean = () => true,
): Promise<DeviceTotals | null | undefined> {
  const since = now - replayedDays * 24 * 3_600_000;
  const clock = { since, minuteOfWeek: (at: number) => minuteOfWeek(new Date(at)) };
  const options: Record<"now" | "draft", ReplayOptions> = {
    now: { ...clock, rules },
    draft: { ...clock, rules: draft },
  };
  let replays = { now: newReplay(), draft: newReplay() };
  const go = (record: Parameters<typeof replayTo>[1]): void => {
    replays = {
      now: replayTo(replays.now, record, options.now),
      draft: replayTo(replays.draft, record, options.draft),
    };
  };
  for await (const records of readFacts(dataDir)) {
    for (let at = 0; at < records.length; at += recordsPerTurn) {
      for (const record of records.slice(at, at + recordsPerTurn)) if (record.at <= now) go(record);
      await nextTurn();
      if (!isAsked()) return undefined;
    }
  }
  // The last facts hold until now.
  go({ at: now, set: {} });
  return deviceTotals(replays.now.totals, replays.draft.totals);
}
