import { expect, it } from "vitest";
import { fleetShare, progressOf, readyWords, restOfFleet, speedWords, whyWords } from "./model-words.ts";

const fleet = {
  of: null,
  missing: 0,
  waiting: 1,
  downloading: 2,
  verifying: 0,
  ready: 1,
  corrupt: 0,
  downloadedBytes: 1_500,
  prefill: null,
  generate: null,
};

it("counts unfinished downloads, and the share of all copies that exists", () => {
  expect(restOfFleet({ fleet })).toBe("2 downloading, 1 waiting");
  expect(fleetShare({ fleet, sizeBytes: 1_000 })).toBe(0.625);
  const none = { ...fleet, waiting: 0, downloading: 0, ready: 0 };
  expect(fleetShare({ fleet: none, sizeBytes: 1_000 })).toBe(0);
  expect(readyWords({ fleet })).toBe("1 of 4 ready");
  expect(readyWords({ fleet: none })).toBeNull();
});

it("says of a large fleet how many devices were looked at", () => {
  const large = { ...fleet, ready: 9_120, of: 250 };
  expect(readyWords({ fleet: large })).toBe("9,120 ready");
  expect(restOfFleet({ fleet: large })).toBe("Of the first 250 devices: 2 downloading, 1 waiting");
  expect(fleetShare({ fleet: large, sizeBytes: 1_000 })).toBeNull();
});

it("shows the progress of a download until it ends", () => {
  const model = { modelId: "m", state: "downloading", downloadedBytes: 1_200_000_000 } as const;
  expect(progressOf(model, 2_500_000_000)).toBe("1.2 GB of 2.5 GB");
  expect(progressOf({ ...model, state: "ready" }, 2_500_000_000)).toBeNull();
});

it("formats speeds and reasons, including a reason of a newer device", () => {
  expect(speedWords(420.4, 3.84)).toBe("420 / 3.8 tok/s");
  expect(speedWords(null, 3)).toBeNull();
  expect(whyWords("metered")).toBe("Waits for a network that is not metered");
  expect(whyWords("full-moon")).toBe("full-moon");
});
