import { expect, it } from "vitest";
import { cardCounter } from "./card-energy.ts";

type Card = { joules: number | null };

/** NVIDIA's library as koffi shows it: functions by their declarations, with results in arrays. */
function libraryOf(cards: readonly Card[], starts = true) {
  const opened: string[] = [];
  const functions: Record<string, (...args: never[]) => number> = {
    nvmlInit_v2: () => (starts ? 0 : 9),
    nvmlDeviceGetCount_v2: (count: number[]) => {
      count[0] = cards.length;
      return 0;
    },
    nvmlDeviceGetHandleByIndex_v2: (index: number, handle: unknown[]) => {
      handle[0] = cards[index];
      return 0;
    },
    nvmlDeviceGetTotalEnergyConsumption: ({ joules }: Card, millijoules: unknown[]) => {
      if (joules === null) return 3;
      millijoules[0] = BigInt(joules) * 1_000n;
      return 0;
    },
  };
  const func = (declaration: string) => functions[/(\w+)\(/.exec(declaration)?.[1] ?? ""];
  const open = (name: string) => {
    opened.push(name);
    return { func } as never;
  };
  return { open, opened };
}

it("adds up the counters of all cards, and opens the library once", () => {
  const cards: Card[] = [{ joules: 1_000 }, { joules: 20 }];
  const { open, opened } = libraryOf(cards);
  const read = cardCounter(open, "linux");
  expect(opened).toEqual([]);
  expect(read()).toBe(1_020);
  cards[0] = Object.assign(cards[0] ?? {}, { joules: 1_500 });
  expect(read()).toBe(1_520);
  expect(opened).toEqual(["libnvidia-ml.so.1"]);
});

it("does not know the energy if a card does not count it", () => {
  expect(cardCounter(libraryOf([{ joules: 1 }, { joules: null }]).open, "linux")()).toBeNull();
});

it("knows nothing without a card, a driver that starts, or a library", () => {
  expect(cardCounter(libraryOf([]).open, "win32")()).toBeNull();
  expect(cardCounter(libraryOf([{ joules: 1 }], false).open, "linux")()).toBeNull();
  expect(cardCounter(libraryOf([{ joules: 1 }]).open, "darwin")()).toBeNull();
  const missing = (): never => {
    throw new Error("Failed to load shared library");
  };
  expect(cardCounter(missing, "linux")()).toBeNull();
});
