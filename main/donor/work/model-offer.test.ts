import { expect, it } from "vitest";
import type { LoadPlan } from "../../../app/contract/runner.ts";
import type { MeasuredSpeed } from "../../../app/contract/speed.ts";
import { ModelOffer } from "./model-offer.ts";

const model = (modelId: string) => ({
  modelId,
  sha256: `hash of ${modelId}`,
  sizeBytes: 7,
  contextTokens: 64,
  path: `/models/${modelId}`,
});

type Speeds = { readonly [sha256: string]: MeasuredSpeed };

function offerOf(
  speeds: Speeds,
  vramMb: number | null = null,
  needsGpu = false,
  sequences: number | null = null,
  setups: Readonly<Record<string, number>> = {},
): ModelOffer {
  return new ModelOffer({
    plans: {
      contextTokens: () => 64,
      fits: () => true,
      learn: async () => false,
      needsGpu: () => needsGpu,
      vramMb,
      planFor: () => {
        if (sequences === null) throw new Error("No plan is needed.");
        return { sequences } as LoadPlan;
      },
      speed: (sha256) => speeds[sha256] ?? null,
    },
    usable: () => [model("small"), model("large")],
    isAccepting: () => true,
    setupMs: ({ sha256 }) => setups[sha256] ?? null,
    onChange: () => undefined,
  });
}

it("tells the measured speed of each model, in steps", () => {
  const offer = offerOf({ "hash of small": { prefill: 200, generate: 20, backend: "cpu" } });
  expect(offer.abilities(false)).toMatchObject({
    models: ["large", "small"],
    speeds: [{ of: "small", inputPerSecond: 212, outputPerSecond: 18.2 }],
  });
});

it("tells how long a model has to load before its next job", () => {
  const speed = { prefill: 200, generate: 20, backend: "cpu" } as const;
  const speeds = { "hash of small": speed, "hash of large": speed };
  const offer = offerOf(speeds, null, false, null, { "hash of large": 4_000 });
  const [small, large] = offer.abilities(false).speeds ?? [];
  expect(small).not.toHaveProperty("setupMs");
  expect(large).toMatchObject({ of: "large", setupMs: 4_000 });
});

it("tells no speeds before anything was measured", () => {
  expect(offerOf({}).abilities(false)).not.toHaveProperty("speeds");
});

it("tells the GPU's free memory only while it may be used", () => {
  expect(offerOf({}, 7_680).abilities(true)).toMatchObject({ vramMb: 7_680 });
  expect(offerOf({}).abilities(true)).not.toHaveProperty("vramMb");
});

it("tells that it computes on a GPU before anything was measured, if a model fits only there", () => {
  expect(offerOf({}, 7_680).abilities(true)).not.toHaveProperty("gpu");
  expect(offerOf({}, 7_680, true).abilities(true)).toMatchObject({ gpu: true });
});

it.each([
  ["one job of slow models", 4, { small: 90, large: 5 }, 1],
  ["one job of models of unknown speed", 4, { small: 90 }, 1],
  ["as many jobs of fast models as it runs at once", 4, { small: 200, large: 130 }, 4],
  ["one job of models that are fast with one job only", 4, { small: 200, large: 40 }, 1],
  ["one job of fast models if it runs one at once", 1, { small: 90, large: 40 }, 1],
  ["no job of slow models if it runs one at once", 1, { small: 90, large: 5 }, 0],
])("holds %s in reserve", (_, sequences, writes, prefetch) => {
  const speeds = Object.fromEntries(
    Object.entries(writes).map(([name, generate]): [string, MeasuredSpeed] => [
      `hash of ${name}`,
      { prefill: 10 * generate, generate, backend: "cpu" },
    ]),
  );
  expect(offerOf(speeds, null, false, sequences).capacity()).toEqual({ concurrency: sequences, prefetch });
});
