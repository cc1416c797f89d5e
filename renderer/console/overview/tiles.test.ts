import { expect, it } from "vitest";
import { tilesOf } from "./tiles.ts";

const summary = {
  succeeded: 1_204,
  failed: 0,
  devicesOnline: 7,
  devicesDonating: 4,
  money: { ledgerSum: 0n, spentMicro: 5_500_000n, earnedMicro: 5_500_000n },
};

const exactly = (count: number) => ({ count, exact: true });
const queue = { ready: exactly(0), waiting: exactly(0), running: exactly(3) };

it("keeps the same tiles while it loads", () => {
  const labels = tilesOf(summary, queue).map((tile) => tile.label);
  expect(tilesOf(undefined, undefined).map((tile) => tile.label)).toEqual(labels);
});

it("highlights figures that need attention", () => {
  const tones = (change: Partial<typeof summary>, ready = 0) => {
    const tiles = tilesOf({ ...summary, ...change }, { ...queue, ready: exactly(ready) });
    return Object.fromEntries(tiles.map((tile) => [tile.label, tile.tone]));
  };
  expect(tones({})).toMatchObject({ "Jobs queued": null, "Jobs done": null, Ledger: "good" });
  expect(tones({ devicesDonating: 0 }, 5)["Jobs queued"]).toBe("hold");
  expect(tones({}, 5)["Jobs queued"]).toBeNull();
  expect(tones({ failed: 2 })["Jobs done"]).toBe("bad");
  expect(tones({ money: { ...summary.money, ledgerSum: -1n } })["Ledger"]).toBe("bad");
});

it("shows no credits to those who see no money", () => {
  const labels = tilesOf({ ...summary, money: null }, queue).map(({ label }) => label);
  expect(labels).toEqual(["Devices online", "Jobs running", "Jobs queued", "Jobs done"]);
});
