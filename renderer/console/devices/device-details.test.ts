import { expect, it } from "vitest";
import { deviceSpeeds } from "./device-speeds.ts";
import { unknownWords } from "./fact-words.ts";

it("names what a device cannot tell, also what this console does not know", () => {
  expect(unknownWords(["temperatureC", "moonPhase"])).toBe("temperature, moonPhase");
  expect(unknownWords([])).toBe("");
  expect(unknownWords(null)).toBe("");
});

it("names the speeds that were measured", () => {
  const speed = { prefill: 420.4, generate: 3.81, backend: "cpu" };
  const models = [
    { modelId: "a", state: "ready", speed },
    { modelId: "b", state: "missing" },
  ] as const;
  expect(deviceSpeeds({ models: [...models] })).toEqual(["a 420 / 3.8 tok/s, cpu"]);
});
