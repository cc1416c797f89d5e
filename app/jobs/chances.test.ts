import { describe, expect, it } from "vitest";
import {
  ableShare,
  awayMs,
  chanceOf,
  gpuOf,
  type KnownDevice,
  noChances,
  refusalWords,
  type WantedDevice,
  withDevice,
} from "./chances.ts";

const now = Date.parse("2026-11-28T08:00:00Z");
const dayMs = 24 * 3_600_000;

const laptop: KnownDevice = {
  inService: true,
  online: true,
  lastSeenAt: now,
  groups: ["office"],
  tags: ["eu"],
  dataClasses: [],
  kinds: ["chat"],
  models: ["small"],
  allowedModels: null,
  memoryMb: 8_192,
  gpu: false,
  gpuMemory: false,
};
const small: WantedDevice = { modelId: "small", modelBytes: 1e9, kind: "chat", needs: {} };
const large: WantedDevice = { modelId: "large", modelBytes: 20e9, kind: "chat", needs: {} };

describe("a device", () => {
  it("cannot answer a kind of job that it does not do", () => {
    expect(chanceOf(laptop, { ...small, kind: "tokens" }, now)).toBe("other-kinds");
    expect(chanceOf({ ...laptop, kinds: null }, { ...small, kind: "tokens" }, now)).toBe("able");
    const chances = withDevice(noChances, laptop, { ...small, kind: "tokens" }, now);
    expect(refusalWords(chances, small)).toContain("1 device does no jobs of this kind");
  });

  it("could answer if it has the model, also while it is asleep for some days", () => {
    expect(chanceOf(laptop, small, now)).toBe("able");
    const asleep = { ...laptop, online: false, lastSeenAt: now - 14 * 3_600_000 };
    expect(chanceOf(asleep, small, now)).toBe("able");
    expect(chanceOf({ ...asleep, lastSeenAt: now - awayMs }, small, now)).toBe("able");
    expect(chanceOf({ ...asleep, lastSeenAt: now - awayMs - 1 }, small, now)).toBe("away");
  });

  it("could get a model that its memory holds, or if it has not told its memory", () => {
    expect(chanceOf({ ...laptop, models: [] }, small, now)).toBe("able");
    expect(chanceOf(laptop, large, now)).toBe("too-small");
    expect(chanceOf({ ...laptop, memoryMb: null }, large, now)).toBe("able");
    expect(chanceOf({ ...laptop, gpu: true }, large, now)).toBe("too-small");
    expect(chanceOf({ ...laptop, gpu: true, gpuMemory: true }, large, now)).toBe("able");
    expect(chanceOf({ ...laptop, models: ["large"] }, large, now)).toBe("able");
    expect(chanceOf({ ...laptop, allowedModels: ["other"] }, small, now)).toBe("too-small");
  });

  it("must be in service, and meet each requirement", () => {
    expect(chanceOf({ ...laptop, inService: false }, small, now)).toBe("out-of-service");
    const met = [{ groups: ["lab", "office"] }, { tags: ["eu"] }, { memoryGb: 8 }, {}];
    for (const needs of met) expect(chanceOf(laptop, { ...small, needs }, now)).toBe("able");
    const unmet = [
      { groups: ["lab"] },
      { tags: ["eu", "fast"] },
      { dataClass: "medical" },
      { gpu: true },
      { vramGb: 4 },
      { memoryGb: 16 },
    ];
    for (const needs of unmet) expect(chanceOf(laptop, { ...small, needs }, now)).toBe("unmatched");
  });

  it("may have a GPU while it may not use it, and before its first report", () => {
    expect(gpuOf(null)).toEqual({ gpu: true, gpuMemory: false });
    expect(gpuOf({ gpu: false, tags: ["backend:cuda"] })).toEqual({ gpu: true, gpuMemory: true });
    expect(gpuOf({ gpu: false, tags: ["backend:metal"] })).toEqual({ gpu: true, gpuMemory: false });
    expect(gpuOf({ gpu: true, vramMb: 4_000 })).toEqual({ gpu: true, gpuMemory: true });
    expect(gpuOf({ gpu: false, tags: ["backend:cpu"] })).toEqual({ gpu: false, gpuMemory: false });
  });
});

describe("the share of devices that could answer", () => {
  const [away, retired] = [
    { ...laptop, online: false, lastSeenAt: now - awayMs - 1 },
    { ...laptop, inService: false },
  ];
  const other = { ...laptop, groups: ["lab"] };
  const ofOffice: WantedDevice = { ...small, needs: { groups: ["office"] } };

  it("counts those in service that are online or were lately", () => {
    const devices = [laptop, other, other, other, away, retired];
    expect(ableShare(devices, ofOffice, now, true)).toBe(1 / 4);
    expect(ableShare(devices, small, now, true)).toBe(1);
    expect(ableShare([other], ofOffice, now, true)).toBe(0);
    expect(ableShare([away, retired], small, now, true)).toBeNull();
  });

  it("is never nothing if there are more devices than were looked at", () => {
    expect(ableShare([other, other], ofOffice, now, false)).toBe(1 / 2);
  });
});

describe("a call", () => {
  const count = (wanted: WantedDevice, ...devices: readonly KnownDevice[]) =>
    devices.reduce((chances, device) => withDevice(chances, device, wanted, now), noChances);

  it("waits if one device could answer it, whatever the others are", () => {
    expect(refusalWords(count(small, { ...laptop, inService: false }, laptop), small)).toBeNull();
  });

  it("is refused without such a device, with who could", () => {
    expect(refusalWords(count(small), small)).toContain("It has no devices.");
    const away = { ...laptop, online: false, lastSeenAt: now - 12.5 * dayMs };
    const longAway = { ...away, lastSeenAt: now - 40 * dayMs };
    const words = refusalWords(
      count(small, longAway, away, { ...laptop, inService: false }, { ...laptop, models: [], memoryMb: 512 }),
      small,
    );
    expect(words).toContain("2 devices could, but have not been online for 12 days");
    expect(words).toContain("1 device is paused, retired, outdated or not approved yet");
    expect(words).toContain("1 device has too little memory for a model of 1 GB");
    expect(words).toContain("respond-async");
  });
});
