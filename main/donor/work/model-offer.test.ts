import { expect, it } from "vitest";
import type { MeasuredSpeed } from "../../../app/contract/speed.ts";
import { ModelOffer } from "./model-offer.ts";

const model = (modelId: string) => ({
  modelId,
  sha256: `hash of ${modelId}`,
  sizeBytes: 7,
  contextTokens: 64,
  path: `/models/${modelId}`,
});

function offerOf(speeds: { readonly [sha256: string]: MeasuredSpeed }): ModelOffer {
  return new ModelOffer({
    plans: {
      contextTokens: () => 64,
      fits: () => true,
      learn: async () => false,
      planFor: () => {
        throw new Error("No plan is needed.");
      },
      speed: (sha256) => speeds[sha256] ?? null,
    },
    usable: () => [model("small"), model("large")],
    isAccepting: () => true,
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

it("tells no speeds before anything was measured", () => {
  expect(offerOf({}).abilities(false)).not.toHaveProperty("speeds");
});
