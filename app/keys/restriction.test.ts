import { describe, expect, it } from "vitest";
import {
  isRestricted,
  restrictionOf,
  restrictionRules,
  restrictionWords,
  type RunnerStop,
  withoutJob,
  withStop,
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
    expect(restrictionOf(stopsBy(devices), now)).toBeNull();
  });

  it.each([
    ["abc", "constrained", 1],
    ["abab", "constrained", 1],
    ["aaaabb", "constrained", 3],
    ["aabbcc", "constrained", 3],
    ["abABC", "all", 3],
    ["abcABC", "all", 4],
  ])("restrict the key: %s", (devices, of, lastNeeded) => {
    expect(restrictionOf(stopsBy(devices), now)).toEqual({ of, until: lastNeeded * 1_000 + withinMs });
  });

  it("restrict it only until too few of them are within the hour", () => {
    const stops = stopsBy("abc");
    expect(restrictionOf(stops, withinMs + 999)).not.toBeNull();
    expect(restrictionOf(stops, withinMs + 1_000)).toBeNull();
  });

  it("restrict requests with a grammar longer than all, if those stopped more", () => {
    const stops = [...stopsBy("ABC"), ...stopsBy("abc").map((stop) => ({ ...stop, at: stop.at + 500_000 }))];
    expect(restrictionOf(stops, now)?.of).toBe("all");
    expect(restrictionOf(stops, withinMs + 400_000)?.of).toBe("constrained");
  });

  it("do not count once another device has answered the job", () => {
    expect(restrictionOf(withoutJob(stopsBy("abc"), "job 1"), now)).toBeNull();
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

describe("a restriction", () => {
  it("applies to plain requests only if they were the cause", () => {
    expect(isRestricted(null, true)).toBe(false);
    expect(isRestricted({ of: "constrained", until: 1 }, true)).toBe(true);
    expect(isRestricted({ of: "constrained", until: 1 }, false)).toBe(false);
    expect(isRestricted({ of: "all", until: 1 }, false)).toBe(true);
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
