import type { DonorSnapshot, FactSources, FactsView } from "../../../app/contract/snapshot.ts";
import { factNames, type Facts, type Known, unknownComputer } from "../../../app/facts/facts.ts";
import type { EffectiveRules } from "../../../app/policy/rule-layers.ts";
import type { Identity } from "../organization/identity.ts";
import type { Settings } from "../settings.ts";

type Program = {
  readonly name: string;
  readonly version: string;
  readonly shell: DonorSnapshot["shell"];
  readonly canStartAtLogin?: boolean;
};

/** The snapshot before anything is known. */
export function initialSnapshot(
  program: Program,
  settings: Settings,
  policy: EffectiveRules,
  enrollment: Identity["enrollment"],
): DonorSnapshot {
  return {
    version: program.version,
    platform: process.platform,
    shell: program.shell,
    connection: "connecting",
    organization: enrollment === null ? null : { name: enrollment.organizationName },
    device: enrollment === null ? null : { id: enrollment.deviceId, name: program.name },
    activity: { kind: "standby", reason: "starting", since: Date.now() },
    recheckAt: null,
    ...settingsView(settings, policy, Date.now()),
    startAtLogin: program.canStartAtLogin === true ? { problem: null } : null,
    facts: unknownComputer,
    factSources: {},
    confinement: null,
    work: null,
    models: [],
    earnings: null,
    history: [],
  };
}

/** A fact that no rule needs is shown for this long after a person asked for it, in ms. It is not kept up to date. */
const askedForMs = 60_000;

/** The facts of the decision, and recently requested facts that no rule needs. */
export function factsView(
  facts: Facts,
  readings: {
    readonly [Name in keyof FactsView]: { readonly value: Known<unknown>; readonly at: number | null };
  },
): FactsView {
  const shown = factNames.map((name) => {
    const { value, at } = readings[name];
    const isFresh = at !== null && facts.now - at < askedForMs;
    return [name, !facts[name].known && isFresh ? value : facts[name]];
  });
  return Object.fromEntries(shown) as FactsView;
}

/** The source and the time of each reading. */
export function sourcesView(readings: {
  readonly [Name in keyof FactsView]: { readonly source: string; readonly at: number | null };
}): FactSources {
  return Object.fromEntries(
    factNames.map((name) => {
      const { source, at } = readings[name];
      return [name, { source, at }];
    }),
  );
}

/** Leaves out a pause or a "donate now" that has ended. */
export function settingsView(
  { pause, donateNowUntil, finishThenPause }: Settings,
  { rules, from, locked }: EffectiveRules,
  now: number,
): Pick<DonorSnapshot, "pause" | "donateNowUntil" | "finishThenPause" | "rules" | "ruleLayers"> {
  return {
    pause: pause !== null && pause.until !== null && pause.until <= now ? null : pause,
    donateNowUntil: donateNowUntil !== null && donateNowUntil <= now ? null : donateNowUntil,
    finishThenPause,
    rules,
    ruleLayers: { from, locked },
  };
}
