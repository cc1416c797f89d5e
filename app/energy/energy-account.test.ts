import { describe, expect, it } from "vitest";
import { EnergyAccount, type MeterReading, type PowerSample } from "./energy-account.ts";
import { energyMistake } from "./job-energy.ts";

const rapl = (joules: number): MeterReading => ({ meter: "rapl", joules });
const at = (
  seconds: number,
  reading: MeterReading | null,
  idleSeconds: number | null = 600,
): PowerSample => ({
  at: seconds * 1_000,
  reading,
  watts: 20,
  idleMs: idleSeconds === null ? null : idleSeconds * 1_000,
});

/** An account that knows a power at rest of 5 W from its first ten seconds. */
function rested(): EnergyAccount {
  const account = new EnergyAccount();
  account.advance(at(0, rapl(0)));
  account.advance(at(10, rapl(50)));
  return account;
}

describe("an account of energy", () => {
  it("measures a job, less the power at rest", () => {
    const account = rested();
    account.begin("a", at(20, rapl(100)));
    expect(account.end("a", at(30, rapl(350)))).toEqual({ microWh: 55_556, source: "measured" });
  });

  it("divides the energy among the jobs that run at the same time", () => {
    const account = rested();
    account.begin("a", at(10, rapl(50)));
    account.begin("b", at(20, rapl(200)));
    // From 10 to 20 s 100 J above rest are those of a, from 20 to 30 s half of 200 J, then all is b's.
    expect(account.end("a", at(30, rapl(450)))).toEqual({ microWh: 55_556, source: "measured" });
    expect(account.end("b", at(40, rapl(600)))).toEqual({ microWh: 55_556, source: "measured" });
  });

  it("estimates without a meter, and before the power at rest is known", () => {
    const blind = new EnergyAccount();
    blind.begin("a", at(0, null));
    expect(blind.end("a", at(36, null))).toEqual({ microWh: 200_000, source: "estimated" });
    const fresh = new EnergyAccount();
    fresh.begin("a", at(0, rapl(0)));
    expect(fresh.end("a", at(36, rapl(9_999)))).toEqual({ microWh: 200_000, source: "estimated" });
  });

  it("estimates the time in which the meter changed, and says so of the whole job", () => {
    const account = rested();
    account.begin("a", at(20, rapl(100)));
    account.advance(at(30, rapl(350)));
    expect(account.end("a", at(40, { meter: "battery", joules: 0 }))).toEqual({
      microWh: Math.round(((200 + 200) / 3_600) * 1e6),
      source: "estimated",
    });
  });

  it("estimates a time in which the meter counted more than a computer can draw", () => {
    const account = rested();
    account.begin("a", at(20, rapl(100)));
    const energy = account.end("a", at(56, rapl(262_143)));
    expect(energy).toEqual({ microWh: 200_000, source: "estimated" });
    expect(energy === null ? null : energyMistake(energy, 36_000)).toBeNull();
  });

  it("takes the median of the times at rest, and none that was too short", () => {
    const account = new EnergyAccount();
    let joules = 0;
    for (const [index, watts] of [4, 40, 5, 6, 4].entries()) {
      account.advance(at(10 * index, rapl(joules)));
      joules += 10 * watts;
    }
    account.advance(at(50, rapl(joules)));
    account.begin("a", at(51, rapl(joules + 1_000)));
    expect(account.end("a", at(61, rapl(joules + 1_000 + 10 * 41)))).toMatchObject({ microWh: 100_000 });
  });

  it.each([0, 29, null])("learns no power at rest after %j idle seconds of thirty", (idleSeconds) => {
    const account = new EnergyAccount();
    account.advance(at(0, rapl(0)));
    // 40 W while a person works.
    account.advance(at(30, rapl(1_200), idleSeconds));
    account.begin("a", at(30, rapl(1_200)));
    expect(account.end("a", at(66, rapl(1_200 + 36 * 25)))).toEqual({
      microWh: 200_000,
      source: "estimated",
    });
  });

  it("learns the power at rest as soon as nobody works, whatever it drew before", () => {
    const account = new EnergyAccount();
    for (let half = 0; half <= 20; half++) account.advance(at(30 * half, rapl(1_200 * half), 0));
    account.advance(at(630, rapl(24_150), 30));
    account.begin("a", at(630, rapl(24_150)));
    expect(account.end("a", at(666, rapl(24_150 + 36 * 25)))).toEqual({
      microWh: 200_000,
      source: "measured",
    });
  });

  it("estimates a job that drew no more than the computer at rest, and uses no energy twice", () => {
    const account = rested();
    account.begin("a", at(20, rapl(100)));
    expect(account.end("a", at(56, rapl(280)))).toEqual({ microWh: 200_000, source: "estimated" });
    expect(account.end("a", at(56, rapl(280)))).toBeNull();
  });
});
