import { describe, expect, it } from "vitest";
import {
  isRestricted,
  restrictionAdvice,
  restrictionOf,
  restrictionRules,
  restrictionWords,
  type RunnerStop,
  withoutJob,
  withStop,
  withUnmet,
} from "./restriction.ts";

const { withinMs, perDevice } = restrictionRules;

/** Stops by devices, one a second. An upper-case letter is a plain request's. */
function stopsBy(devices: string): RunnerStop[] {
  return devices.split("").map((name, at) => ({
    at: (at + 1) * 1_000,
    deviceId: name.toLowerCase(),
    jobId: `job ${String(at)}`,
    constrained: name === name.toLowerCase(),
  }));
}

const now = 60_000;

describe("the stops of a key's requests", () => {
  it.each(["", "a", "ab", "aaaa", "aaaab", "aB", "aAbB", "aaBB"])("restrict nothing: %j", (devices) => {
    expect(restrictionOf({ runnerStops: stopsBy(devices) }, now)).toBeNull();
  });

  it.each([
    ["abc", "constrained", 1],
    ["abab", "constrained", 1],
    ["aaaabb", "constrained", 3],
    ["aabbcc", "constrained", 3],
    ["abABC", "all", 3],
    ["abcABC", "all", 4],
  ])("restrict the key: %s", (devices, of, lastNeeded) => {
    expect(restrictionOf({ runnerStops: stopsBy(devices) }, now)).toEqual({
      of,
      until: lastNeeded * 1_000 + withinMs,
    });
  });

  it("restrict it only until too few of them are within the hour", () => {
    const stops = stopsBy("abc");
    expect(restrictionOf({ runnerStops: stops }, withinMs + 999)).not.toBeNull();
    expect(restrictionOf({ runnerStops: stops }, withinMs + 1_000)).toBeNull();
  });

  it("restrict requests with a grammar longer than all, if those stopped more", () => {
    const stops = [...stopsBy("ABC"), ...stopsBy("abc").map((stop) => ({ ...stop, at: stop.at + 500_000 }))];
    expect(restrictionOf({ runnerStops: stops }, now)?.of).toBe("all");
    expect(restrictionOf({ runnerStops: stops }, withinMs + 400_000)?.of).toBe("constrained");
  });

  it("do not count once another device has answered the job", () => {
    expect(restrictionOf({ runnerStops: withoutJob(stopsBy("abc"), "job 1") }, now)).toBeNull();
  });

  it("fill only a short list, however many one device reports, and crowd out no other device's", () => {
    let stops = stopsBy("bBc");
    for (let i = 0; i < 100; i += 1) {
      stops = withStop(stops, {
        at: 4_000 + i,
        deviceId: "a",
        jobId: `more ${String(i)}`,
        constrained: i % 2 === 0,
      });
    }
    expect(stops).toHaveLength(3 + 2 * perDevice);
    expect(stops.slice(0, 3)).toEqual(stopsBy("bBc"));
    expect(stops.at(-1)?.jobId).toBe("more 99");
  });

  it("are forgotten after an hour", () => {
    const added = { at: withinMs + 1_500, deviceId: "d", jobId: "new", constrained: true };
    expect(withStop(stopsBy("ab"), added).map(({ deviceId }) => deviceId)).toEqual(["b", "d"]);
  });
});

describe("the jobs of a key without an answer that met their schema", () => {
  const { unmet } = restrictionRules;
  const after = (jobs: number): number[] =>
    Array.from({ length: jobs }, (_, at) => at).reduce<number[]>(withUnmet, []);

  it("restrict it once there are too many of them, for an hour", () => {
    expect(restrictionOf({ unmetSchemas: after(unmet - 1) }, now)).toBeNull();
    const until = restrictionRules.withinMs;
    expect(restrictionOf({ unmetSchemas: after(unmet) }, now)).toEqual({ of: "checked", until });
    expect(restrictionOf({ unmetSchemas: after(unmet) }, until)).toBeNull();
  });

  it("fill only a short list", () => {
    expect(after(unmet + 5)).toHaveLength(unmet);
    expect(withUnmet(after(unmet), restrictionRules.withinMs + unmet)).toHaveLength(1);
  });
});

describe("a restriction", () => {
  it("applies to plain requests only if they were the cause", () => {
    const constrained = { constrained: true };
    expect(isRestricted(null, constrained)).toBe(false);
    expect(isRestricted({ of: "constrained", until: 1 }, constrained)).toBe(true);
    expect(isRestricted({ of: "constrained", until: 1 }, {})).toBe(false);
    expect(isRestricted({ of: "all", until: 1 }, {})).toBe(true);
    expect(isRestricted({ of: "checked", until: 1 }, constrained)).toBe(false);
    expect(isRestricted({ of: "checked", until: 1 }, { constrained: true, tries: 3 })).toBe(true);
  });

  it("says which rules the model did not meet", () => {
    const words = restrictionAdvice({ of: "checked", until: 1_800_000_000_000 });
    expect(words).toContain(
      "such as a bound or a pattern, are refused until 2027-01-15 08:00 UTC. Leave those rules out",
    );
  });

  it("says what happened and when it ends", () => {
    expect(restrictionWords({ of: "constrained", until: 1_800_000_000_000 })).toBe(
      "Requests of this API key with a grammar, a JSON schema or tools stopped the model's program on several devices. " +
        "Such requests are refused until 2027-01-15 08:00 UTC.",
    );
    const later = restrictionWords({ of: "all", until: 1_800_000_000_001 }, (at) => String(at));
    expect(later).toMatch(/Its requests are refused until 1800000060000\.$/);
  });
});
