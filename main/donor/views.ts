import type { DonorSnapshot, FactsView, ModelView } from "../../app/contract/snapshot.ts";
import { type Facts, unknown } from "../../app/policy/facts.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import type { Enrolment } from "./identity.ts";
import type { Me } from "./organization.ts";
import type { Settings } from "./settings.ts";

type Program = {
  readonly name: string;
  readonly version: string;
  readonly shell: DonorSnapshot["shell"];
};

/** What a panel sees before anything is known. */
export function initialSnapshot(
  program: Program,
  settings: Settings,
  enrolment: Enrolment | null,
): DonorSnapshot {
  return {
    version: program.version,
    platform: process.platform,
    shell: program.shell,
    connection: "connecting",
    organization: enrolment === null ? null : { name: enrolment.organizationName },
    device: enrolment === null ? null : { id: enrolment.deviceId, name: program.name },
    activity: { kind: "holding", reason: "starting", since: Date.now() },
    recheckAt: null,
    ...settingsView(settings, Date.now()),
    facts: { idleSeconds: unknown, power: unknown, batteryPercent: unknown, otherCpuLoad: unknown },
    work: null,
    models: [],
    earnings: null,
    history: [],
  };
}

export function factsView({ idleSeconds, power, batteryPercent, otherCpuLoad }: Facts): FactsView {
  return { idleSeconds, power, batteryPercent, otherCpuLoad };
}

/** A pause or a "donate now" that has ended is none. */
export function settingsView(
  { pause, donateNowUntil, rules }: Settings,
  now: number,
): Pick<DonorSnapshot, "pause" | "donateNowUntil" | "rules"> {
  return {
    pause: pause !== null && pause.until !== null && pause.until <= now ? null : pause,
    donateNowUntil: donateNowUntil !== null && donateNowUntil <= now ? null : donateNowUntil,
    rules,
  };
}

/** The organization's models, and where each stands on this device. */
export function modelViews(me: Me | null, catalogue: ModelCatalogue): readonly ModelView[] {
  return (me?.models ?? []).map((model) => ({
    modelId: model.modelId,
    sizeBytes: model.sizeBytes,
    state: catalogue.stateOf(model),
  }));
}
