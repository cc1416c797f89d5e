import { describe, expect, it } from "vitest";
import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import { type ModelStanding, viewOf } from "./model-view.ts";

const model: OfferedModel = {
  modelId: "m",
  source: "https://models.example/m.gguf",
  sha256: "a".repeat(64),
  sizeBytes: 1_000,
  licence: "MIT",
  contextTokens: 512,
  template: null,
};

/** Wanted, and nothing is against it: its turn has not come yet. */
const waiting: ModelStanding = {
  state: "missing",
  download: null,
  partBytes: 300,
  isRefused: false,
  isWanted: true,
  trouble: null,
  hold: null,
  internetHold: null,
};
const trouble = { why: "unreachable", detail: "The connection was cut." } as const;
const wrong = { why: "wrong-content", detail: "its SHA-256 was wrong" } as const;
const download = { heldBytes: 400, bytesPerSecond: 50 };

describe("a model that the organization offers is shown", () => {
  it.each<[string, Partial<ModelStanding>, object]>([
    ["as its file is, where it is here", { state: "ready", download, trouble }, { state: "ready" }],
    [
      "as coming, with how fast",
      { download },
      { state: "downloading", downloadedBytes: 400, bytesPerSecond: 50 },
    ],
    [
      "as verified once all of it came",
      { download: { ...download, heldBytes: 1_000 } },
      { state: "verifying" },
    ],
    [
      "as waiting while the network is needed, although its download has not stopped yet",
      { download, hold: "in-use" },
      { state: "waiting", downloadedBytes: 300, why: { reason: "in-use", detail: null } },
    ],
    ["as waiting for its turn", {}, { state: "waiting", why: { reason: "turn", detail: null } }],
    [
      "as waiting for tomorrow's budget",
      { internetHold: "day-budget" },
      { state: "waiting", why: { reason: "day-budget", detail: null } },
    ],
    [
      "with what went wrong with it",
      { trouble },
      { state: "waiting", why: { reason: "unreachable", detail: trouble.detail } },
    ],
    [
      "with why nothing moves rather than with what went wrong before",
      { trouble, hold: "offline" },
      { state: "waiting", why: { reason: "offline", detail: null } },
    ],
    [
      "but as wrong in any case, since waiting is of no use then",
      { trouble: wrong, hold: "offline" },
      { state: "waiting", why: { reason: "wrong-content", detail: wrong.detail } },
    ],
    [
      "as removed",
      { isRefused: true, trouble },
      { state: "missing", why: { reason: "removed", detail: null } },
    ],
    ["as missing, where it is not to come from there any more", { isWanted: false }, { state: "missing" }],
  ])("%s", (_how, standing, view) => {
    const shown = viewOf(model, { ...waiting, ...standing });
    expect(shown).toMatchObject({ modelId: "m", sizeBytes: 1_000, ...view });
    if (!("why" in view)) expect(shown.why).toBeUndefined();
  });

  it("as without a source, where it was to come with the program", () => {
    expect(viewOf({ ...model, source: "bundled" }, { ...waiting, isWanted: false })).toEqual({
      modelId: "m",
      sizeBytes: 1_000,
      state: "missing",
      why: { reason: "no-source", detail: null },
    });
  });
});
