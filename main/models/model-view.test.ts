import { describe, expect, it } from "vitest";
import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import { type ModelViewInputs, viewOf } from "./model-view.ts";

const model: OfferedModel = {
  modelId: "m",
  source: "https://models.example/m.gguf",
  sha256: "a".repeat(64),
  sizeBytes: 1_000,
  licence: "MIT",
  contextTokens: 512,
  template: null,
};

/** A wanted model whose turn has not come yet. */
const waiting: ModelViewInputs = {
  state: "missing",
  download: null,
  partBytes: 300,
  isRefused: false,
  isWanted: true,
  error: null,
  hold: null,
  internetHold: null,
};
const error = { why: "unreachable", detail: "The connection was cut." } as const;
const wrong = { why: "wrong-content", detail: "its SHA-256 was wrong" } as const;
const download = { heldBytes: 400, bytesPerSecond: 50 };

describe("the view of an offered model", () => {
  it.each<[string, Partial<ModelViewInputs>, object]>([
    ["has the state of an existing file", { state: "ready", download, error }, { state: "ready" }],
    [
      "shows a download with its rate",
      { download },
      { state: "downloading", downloadedBytes: 400, bytesPerSecond: 50 },
    ],
    [
      "shows the verification of a complete download",
      { download: { ...download, heldBytes: 1_000 } },
      { state: "verifying" },
    ],
    [
      "waits while the network is needed, although the download has not stopped yet",
      { download, hold: "in-use" },
      { state: "waiting", downloadedBytes: 300, why: { reason: "in-use", detail: null } },
    ],
    ["waits for its turn", {}, { state: "waiting", why: { reason: "turn", detail: null } }],
    [
      "waits for tomorrow's budget",
      { internetHold: "day-budget" },
      { state: "waiting", why: { reason: "day-budget", detail: null } },
    ],
    [
      "shows the error of its download",
      { error },
      { state: "waiting", why: { reason: "unreachable", detail: error.detail } },
    ],
    [
      "shows the hold of the network rather than an earlier error",
      { error, hold: "offline" },
      { state: "waiting", why: { reason: "offline", detail: null } },
    ],
    [
      "shows wrong content in any case, since waiting does not help",
      { error: wrong, hold: "offline" },
      { state: "waiting", why: { reason: "wrong-content", detail: wrong.detail } },
    ],
    [
      "says that the person removed it",
      { isRefused: true, error },
      { state: "missing", why: { reason: "removed", detail: null } },
    ],
    ["is missing if the model is no longer wanted", { isWanted: false }, { state: "missing" }],
  ])("%s", (_behavior, inputs, view) => {
    const shown = viewOf(model, { ...waiting, ...inputs });
    expect(shown).toMatchObject({ modelId: "m", sizeBytes: 1_000, ...view });
    if (!("why" in view)) expect(shown.why).toBeUndefined();
  });

  it("says that a bundled model has no source", () => {
    expect(viewOf({ ...model, source: "bundled" }, { ...waiting, isWanted: false })).toEqual({
      modelId: "m",
      sizeBytes: 1_000,
      state: "missing",
      why: { reason: "no-source", detail: null },
    });
  });
});
