import type { PanelHandlers, Reply } from "../../app/contract/donor-calls.ts";
import type { DonorSnapshot, ModelView } from "../../app/contract/snapshot.ts";
import { waitWords } from "../../app/models/wait-reasons.ts";
import type { Known } from "../../app/facts/facts.ts";
import { ruleNames } from "../../app/policy/rules.ts";
import { sayLimits } from "../../app/policy/say-limits.ts";
import { sayRule } from "../../app/policy/say-rule.ts";
import { explain } from "../journal/explain.ts";
import { readJournal } from "../journal/read-journal.ts";
import { wordsOf } from "../journal/span-words.ts";
import { errorName } from "../log.ts";
import type { ListedModel } from "../models/model-store.ts";
import type { MeasuredSpeed } from "../supervisor/plan/model-knowledge.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import type { ControlAnswer, ControlHandlers, ControlReply } from "./local-socket/calls.ts";
import type { ModelMeasuring } from "../models/model-benchmark.ts";

/** A fact with who said so, and when (ms since the epoch). */
type Reading = { readonly value: Known<unknown>; readonly source: string; readonly at: number | null };

/** A model that the organization offers, or whose file is still here. */
type Listed = Pick<
  ListedModel,
  "modelId" | "sizeBytes" | "state" | "downloadedBytes" | "why" | "lastUsedAt"
> & {
  readonly speed: MeasuredSpeed | null;
};

export type DonorModels = {
  readonly list: () => readonly Listed[];
  /** Takes a model's file off this device. */
  readonly remove: (modelId: string) => Promise<Reply>;
  /** Has it come again. */
  readonly fetch: (modelId: string) => Promise<Reply>;
};

export type DonorControls = {
  readonly folder: string;
  readonly snapshot: SnapshotStore;
  readonly panel: Pick<
    PanelHandlers,
    "pause" | "resume" | "donateNow" | "finishThenPause" | "setRules" | "resetRules"
  >;
  /** Asks the computer again, and tells each fact. */
  readonly readings: () => Promise<Readonly<Record<string, Reading>>>;
  readonly models: DonorModels;
  readonly measuring: Pick<ModelMeasuring, "measure">;
};

/** What a running donor answers to those who speak to it from a terminal. */
export function donorControlHandlers(donor: DonorControls): ControlHandlers {
  const status = (): ControlReply<"status"> => ok(statusOf(donor.snapshot.get()));
  const models = (): ControlReply<"models"> => ok({ models: donor.models.list().map(modelOf) });
  const after = async (reply: Reply | Promise<Reply>): Promise<ControlReply<"status">> => {
    const done = await reply;
    return done.kind === "ok" ? status() : done;
  };
  const rules = async (reply: Reply | Promise<Reply>): Promise<ControlReply<"rules">> => {
    const done = await reply;
    return done.kind === "ok" ? ok(rulesOf(donor.snapshot.get())) : done;
  };
  const thenModels = (done: Reply): ControlReply<"models"> => (done.kind === "ok" ? models() : done);
  return {
    status,
    facts: async () => ok({ facts: Object.entries(await donor.readings()).map(factOf) }),
    pause: ({ until }) => after(donor.panel.pause(until === null ? { minutes: null } : { until })),
    resume: () => after(donor.panel.resume(null)),
    donateNow: (argument) => after(donor.panel.donateNow(argument)),
    finish: () => after(donor.panel.finishThenPause(null)),
    rules: () => ok(rulesOf(donor.snapshot.get())),
    setRules: (values) => rules(donor.panel.setRules(values)),
    resetRules: (names) => rules(donor.panel.resetRules(names)),
    explain: async ({ since }) => {
      const now = Date.now();
      if (since >= now) return { kind: "refused", message: "That moment is not past." };
      const entries = await readJournal(donor.folder).catch(errorName);
      if (typeof entries === "string")
        return { kind: "refused", message: `The journal in ${donor.folder} cannot be read (${entries}).` };
      return ok(explain(entries, since, now));
    },
    models,
    removeModel: async ({ modelId }) => thenModels(await donor.models.remove(modelId)),
    fetchModel: async ({ modelId }) => thenModels(await donor.models.fetch(modelId)),
    bench: ({ modelId }, gone) => donor.measuring.measure(modelId, gone),
  };
}

function ok<T>(value: T): { readonly kind: "ok"; readonly value: T } {
  return { kind: "ok", value };
}

/** The text of a job is the panel's, for the person at the machine: here it is left out. */
function statusOf(snapshot: DonorSnapshot): ControlAnswer<"status"> {
  const { version, shell, connection, organization, device, activity, work } = snapshot;
  const { kind, reason, since } = activity;
  return {
    ...{ version, shell, connection, pid: process.pid },
    organization: organization?.name ?? null,
    device: device?.name ?? null,
    activity: {
      ...{ kind, reason, since },
      ...wordsOf({ kind, reason }),
      gives: activity.kind === "donating" ? sayLimits(activity.limits) : null,
    },
    recheckAt: snapshot.recheckAt === null ? null : Math.round(snapshot.recheckAt),
    pause: snapshot.pause,
    donateNowUntil: snapshot.donateNowUntil,
    finishing: snapshot.finishThenPause,
    job:
      work === null
        ? null
        : {
            ...{ attemptId: work.attemptId, modelId: work.modelId },
            ...{ phase: work.phase, startedAt: work.startedAt },
          },
  };
}

function rulesOf({ rules, ruleLayers }: DonorSnapshot): ControlAnswer<"rules"> {
  const { from, locked } = ruleLayers;
  return {
    rules: ruleNames.map((name) => ({
      ...{ name, value: rules[name], words: sayRule(name, rules[name]) },
      ...{ from: from[name], locked: locked.includes(name) },
    })),
  };
}

function modelOf(model: Listed): ControlAnswer<"models">["models"][number] {
  const { modelId, sizeBytes, state, downloadedBytes, why, lastUsedAt, speed } = model;
  return {
    ...{ modelId, sizeBytes, state, lastUsedAt, speed },
    downloadedBytes: downloadedBytes ?? null,
    why: why === undefined ? null : sayWhy(why),
  };
}

function sayWhy({ reason, detail }: NonNullable<ModelView["why"]>): string {
  return detail === null ? waitWords[reason] : `${waitWords[reason]} (${detail})`;
}

function factOf([name, { value, source, at }]: readonly [
  string,
  Reading,
]): ControlAnswer<"facts">["facts"][number] {
  return {
    name,
    fact: value.known ? { known: true, value: plain(value.value) } : value,
    source,
    at: at === null ? null : Math.round(at),
  };
}

function plain(value: unknown): string | number | boolean | null | string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return typeof value === "string" ? value : JSON.stringify(value);
}
