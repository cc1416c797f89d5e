import { expect, it } from "vitest";
import { downloadLine } from "./download-line.ts";

const model = { modelId: "small", sizeBytes: 1_000 };

it("shows the current download, or why a model waits", () => {
  const ready = { ...model, modelId: "other", state: "ready" } as const;
  expect(downloadLine([])).toBeNull();
  expect(downloadLine([ready, { ...model, state: "missing" }])).toBeNull();
  const coming = { ...model, state: "downloading", downloadedBytes: 429 } as const;
  expect(downloadLine([ready, coming])).toBe("Downloading small: 42%");
  const why = { reason: "metered", detail: null } as const;
  const waiting = { ...model, state: "waiting", downloadedBytes: 429, why } as const;
  expect(downloadLine([waiting])).toBe("small: 42% downloaded. Waits for a network that is not metered");
  expect(downloadLine([waiting, coming])).toBe("Downloading small: 42%");
  expect(downloadLine([{ ...waiting, downloadedBytes: 0 }])).toMatch(/^small: Waits/);
});
