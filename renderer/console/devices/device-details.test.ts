import { expect, it } from "vitest";
import { deviceSpeeds, unknownWords } from "./device-details.ts";

it("names the facts that a device cannot measure, including ones that this console does not know", () => {
  expect(unknownWords(["temperatureC", "moonPhase"])).toBe("temperature, moonPhase");
  expect(unknownWords([])).toBe("");
  expect(unknownWords(null)).toBe("");
});

it("lists a device's measured speeds", () => {
  const speed = { prefill: 420.4, generate: 3.81, backend: "cpu" };
  const models = [
    { modelId: "a", state: "ready", speed },
    { modelId: "b", state: "missing" },
  ] as const;
  expect(deviceSpeeds({ models: [...models] })).toEqual(["a 420 / 3.8 tok/s, cpu"]);
});
