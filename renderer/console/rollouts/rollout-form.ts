import {
  defaultPace,
  defaultSizes,
  mistakeInPace,
  mistakeInSizes,
  parseSizes,
  planStages,
  type RolloutPace,
  sizesText,
  type StageSize,
} from "../../../app/models/rollout/stages.ts";

/** The form of a roll-out, as typed. */
export type RolloutForm = {
  readonly inStages: boolean;
  readonly sizes: string;
  readonly minMinutes: string;
  readonly readyPercent: string;
  readonly failedPercent: string;
  readonly byHand: boolean;
};

export const emptyRollout: RolloutForm = {
  inStages: false,
  sizes: sizesText(defaultSizes),
  minMinutes: String(defaultPace.minMinutes),
  readyPercent: String(defaultPace.readyPercent),
  failedPercent: String(defaultPace.failedPercent),
  byHand: defaultPace.byHand,
};

export type WantedRollout = { readonly sizes: readonly StageSize[]; readonly pace: RolloutPace };

type Parsed =
  | { readonly kind: "ok"; readonly rollout: WantedRollout | null }
  | { readonly kind: "wrong"; readonly field: "sizes" | "pace"; readonly why: string };

/** Reads the form. `rollout` is null for all devices at once. */
export function parseRollout(form: RolloutForm): Parsed {
  if (!form.inStages) return { kind: "ok", rollout: null };
  const sizes = parseSizes(form.sizes);
  if (sizes === null) {
    return {
      kind: "wrong",
      field: "sizes",
      why: `Enter numbers and percents, such as ${sizesText(defaultSizes)}.`,
    };
  }
  const mistake = mistakeInSizes(sizes);
  if (mistake !== null) return { kind: "wrong", field: "sizes", why: mistake };
  const pace = {
    minMinutes: wholeNumber(form.minMinutes),
    readyPercent: wholeNumber(form.readyPercent),
    failedPercent: wholeNumber(form.failedPercent),
    byHand: form.byHand,
  };
  const why = mistakeInPace(pace);
  return why === null ? { kind: "ok", rollout: { sizes, pace } } : { kind: "wrong", field: "pace", why };
}

function wholeNumber(typed: string): number {
  return /^\s*\d{1,6}\s*$/.test(typed) ? Number(typed) : Number.NaN;
}

/** The devices of each stage in a fleet of some size. */
export function devicesByStage(sizes: readonly StageSize[], devices: number): readonly number[] {
  const fleet = Array.from({ length: devices }, (_, at) => ({ rank: at / devices, able: true }));
  return planStages(sizes, fleet).map((stage) => stage.devices);
}
