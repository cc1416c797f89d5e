import { describe, expect, it } from "vitest";
import { promiseMoments, replayPromises } from "./replay.ts";

const options = { laptops: 40, weeks: 3, promises: 200, seed: 2, lengthSpread: 0.4 };

describe("promises of when a batch ends", () => {
  it.each(promiseMoments)("are kept 184 to 196 times of 200 when made %s", (moment) => {
    const { kept } = replayPromises(moment, options);
    expect(kept).toBeGreaterThanOrEqual(184);
    expect(kept).toBeLessThanOrEqual(196);
  });

  it("become sharper as a batch shows its pace", () => {
    const slackOf = (moment: (typeof promiseMoments)[number]) => replayPromises(moment, options).slack;
    expect(slackOf("half-way")).toBeLessThan(slackOf("at the start"));
  });

  it("repeat themselves with the same seed", () => {
    expect(replayPromises("half-way", options)).toEqual(replayPromises("half-way", options));
  });
});
