import { describe, expect, it } from "vitest";
import { known, unknownComputer } from "../../app/facts/facts.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { askedOf, disturbs, mayDownload, takesRelease } from "./decide.ts";

const own = { version: "1.2.3", seed: "seed", rolledBack: null, asked: null };

describe("a release", () => {
  it.each([
    ["1.2.4", true],
    ["2.0.0", true],
    ["1.2.3", false],
    ["1.2.2", false],
  ])("of version %s is taken: %s", (version, taken) => {
    expect(takesRelease({ version, percent: 100 }, own)).toBe(taken);
  });

  it("reaches about its share of the computers, and other ones each time", () => {
    const reached = (version: string): readonly string[] =>
      Array.from({ length: 2_000 }, (_, index) => `seed-${index}`).filter((seed) =>
        takesRelease({ version, percent: 10 }, { ...own, seed }),
      );
    expect(reached("1.3.0").length).toBeGreaterThan(140);
    expect(reached("1.3.0").length).toBeLessThan(260);
    expect(reached("1.4.0")).not.toEqual(reached("1.3.0"));
  });

  it("at 0 % reaches no computer, and at 100 % all", () => {
    const seeds = Array.from({ length: 500 }, (_, index) => `seed-${index}`);
    const reached = (percent: number) =>
      seeds.filter((seed) => takesRelease({ version: "1.3.0", percent }, { ...own, seed })).length;
    expect([reached(0), reached(100)]).toEqual([0, seeds.length]);
  });

  it("keeps a computer that it has reached while its share grows", () => {
    for (let index = 0; index < 200; index++) {
      const taken = [5, 10, 50, 100].map((percent) =>
        takesRelease({ version: "1.3.0", percent }, { ...own, seed: `seed-${index}` }),
      );
      expect(taken).toEqual(taken.toSorted());
    }
  });

  it("that the organization asks for does not wait for its stage, but an older one does", () => {
    expect(takesRelease({ version: "1.3.0", percent: 0 }, { ...own, asked: "1.3.0" })).toBe(true);
    expect(takesRelease({ version: "1.4.0", percent: 0 }, { ...own, asked: "1.3.0" })).toBe(true);
    expect(takesRelease({ version: "1.2.9", percent: 0 }, { ...own, asked: "1.3.0" })).toBe(false);
  });

  it("that was rolled back is not tried again, even if it is asked for. A newer one is", () => {
    const after = { ...own, rolledBack: "1.3.0", asked: "1.3.0" };
    expect(takesRelease({ version: "1.3.0", percent: 100 }, after)).toBe(false);
    expect(takesRelease({ version: "1.3.1", percent: 100 }, after)).toBe(true);
  });
});

it("knows the version that the organization needs before the one that it asks for", () => {
  expect(askedOf({ organization: null })).toBeNull();
  expect(askedOf({ organization: { name: "Acme", askedVersion: "1.3.0" } })).toBe("1.3.0");
  expect(askedOf({ organization: { name: "Acme", askedVersion: "1.3.0", needsVersion: "1.4.0" } })).toBe(
    "1.4.0",
  );
});

describe("a moment", () => {
  const away = { ...unknownComputer, idleSeconds: known(600) };
  const work = {
    attemptId: "a",
    kind: "chat",
    modelId: "m",
    startedAt: 0,
    phase: "writing",
    writtenChars: 1,
  } as const;
  const moment = { facts: away, rules: defaultRules, work: null };

  it("disturbs nobody while nobody is there and no job runs", () => {
    expect(disturbs(moment)).toBeNull();
    expect(disturbs({ ...moment, facts: { ...unknownComputer, locked: known(true) } })).toBeNull();
  });

  it("is wrong while a job runs", () => {
    expect(disturbs({ ...moment, work })).toBe("job");
  });

  it.each(["fullScreen", "cameraInUse", "microphoneInUse", "mediaPlaying"] as const)(
    "is wrong in a presentation, a call or a film: %s",
    (name) => {
      expect(disturbs({ ...moment, facts: { ...away, [name]: known(true) } })).toBe("presentation");
      const locked = { ...away, locked: known(true), [name]: known(true) };
      expect(disturbs({ ...moment, facts: locked })).toBe("presentation");
    },
  );

  it("is wrong while somebody is there, or may be", () => {
    const { idleAfterSeconds } = defaultRules;
    const after = (seconds: number) => ({ ...unknownComputer, idleSeconds: known(seconds) });
    expect(disturbs({ ...moment, facts: after(idleAfterSeconds - 1) })).toBe("in-use");
    expect(disturbs({ ...moment, facts: after(idleAfterSeconds) })).toBeNull();
    expect(disturbs({ ...moment, facts: unknownComputer })).toBe("in-use");
  });

  it("needs nobody to be away where it donates in use, but still no presentation", () => {
    const rules = { ...defaultRules, requireIdle: false };
    expect(disturbs({ facts: unknownComputer, rules, work: null })).toBeNull();
    const presenting = { ...unknownComputer, fullScreen: known(true) };
    expect(disturbs({ facts: presenting, rules, work: null })).toBe("presentation");
  });
});

it("downloads nothing on a metered network or on battery", () => {
  expect(mayDownload({ facts: unknownComputer })).toBe(true);
  expect(mayDownload({ facts: { ...unknownComputer, metered: known(true) } })).toBe(false);
  expect(mayDownload({ facts: { ...unknownComputer, power: known("battery") } })).toBe(false);
  expect(mayDownload({ facts: { ...unknownComputer, power: known("ac"), metered: known(false) } })).toBe(
    true,
  );
});
