import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forecastOf } from "./forecast.ts";

const dayMs = 86_400_000;
/** A Friday. The month has 31 days. */
const now = Date.UTC(2027, 0, 15, 12);
const today = Date.UTC(2027, 0, 15);

/** So many whole days before today. */
const past = (days: number, micro: (at: number) => bigint) =>
  Array.from({ length: days }, (_, at) => today - (days - at) * dayMs).map((startAt) => ({
    startAt,
    micro: micro(startAt),
  }));
const isWeekend = (at: number): boolean => [0, 6].includes(new Date(at).getUTCDay());

describe("the forecast of a month", () => {
  it("continues a steady use to the end of the month", () => {
    const forecast = forecastOf(
      past(28, () => 10n),
      now,
    );
    expect(forecast).toEqual({ spentMicro: 140n, forecastMicro: 310n, days: 28 });
  });

  it("knows that weekends are quiet", () => {
    const forecast = forecastOf(
      past(28, (at) => (isWeekend(at) ? 0n : 10n)),
      now,
    );
    // January 2027 has 21 working days.
    expect(forecast.forecastMicro).toBe(210n);
  });

  it("takes the mean of all days if it knows less than two weeks", () => {
    expect(
      forecastOf(
        past(4, () => 6n),
        now,
      ),
    ).toEqual({ spentMicro: 24n, forecastMicro: 24n + 17n * 6n, days: 4 });
  });

  it("expects nothing of what was never used, and counts a busy today only once", () => {
    expect(forecastOf([], now)).toEqual({ spentMicro: 0n, forecastMicro: 0n, days: 0 });
    const busy = [...past(28, () => 10n), { startAt: today, micro: 50n }];
    expect(forecastOf(busy, now)).toMatchObject({ spentMicro: 190n, forecastMicro: 350n });
  });

  it("never is below what is spent, and ends at it on the last day if that day is over its mean", () => {
    const days = fc.array(fc.record({ ago: fc.nat(60), micro: fc.bigInt(0n, 10n ** 12n) }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(days, fc.nat(40), (list, later) => {
        const spent = list.map(({ ago, micro }) => ({ startAt: today - ago * dayMs, micro }));
        const unique = [...new Map(spent.map((each) => [each.startAt, each])).values()];
        const { spentMicro, forecastMicro } = forecastOf(unique, now + later * dayMs);
        expect(forecastMicro).toBeGreaterThanOrEqual(spentMicro);
      }),
    );
  });
});
