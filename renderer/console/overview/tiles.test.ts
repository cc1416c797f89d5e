import { expect, it } from "vitest";
import { attentionWords, tilesOf } from "./tiles.ts";

const summary = {
  ready: 0,
  running: 3,
  succeeded: 1_204,
  failed: 0,
  devicesOnline: 7,
  devicesDonating: 4,
  devicesPaused: 0,
  devicesOutdated: 0,
  money: { ledgerSum: 0n, spentMicro: 5_500_000n, earnedMicro: 5_500_000n },
};

it("keeps the same tiles while it loads", () => {
  expect(tilesOf(undefined).map((tile) => tile.label)).toEqual(tilesOf(summary).map((tile) => tile.label));
});

it("highlights figures that need attention", () => {
  const tones = (change: Partial<typeof summary>) =>
    Object.fromEntries(tilesOf({ ...summary, ...change }).map((tile) => [tile.label, tile.tone]));
  expect(tones({})).toMatchObject({ "Jobs queued": null, "Jobs done": null, Ledger: "good" });
  expect(tones({ ready: 5, devicesDonating: 0 })["Jobs queued"]).toBe("hold");
  expect(tones({ ready: 5 })["Jobs queued"]).toBeNull();
  expect(tones({ failed: 2 })["Jobs done"]).toBe("bad");
  expect(tones({ money: { ...summary.money, ledgerSum: -1n } })["Ledger"]).toBe("bad");
});

it("shows no credits to those who see no money", () => {
  const labels = tilesOf({ ...summary, money: null }).map(({ label }) => label);
  expect(labels).toEqual(["Devices online", "Jobs running", "Jobs queued", "Jobs done"]);
});

it("tells which devices get no jobs until somebody does something", () => {
  expect(attentionWords(undefined)).toBeNull();
  expect(attentionWords(summary)).toBeNull();
  expect(attentionWords({ ...summary, devicesOutdated: 1 })).toBe("1 device needs an update to get jobs.");
  expect(attentionWords({ ...summary, devicesPaused: 2, devicesOutdated: 3 })).toBe(
    "2 devices were paused automatically. 3 devices need an update to get jobs.",
  );
});
