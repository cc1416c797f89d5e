import { describe } from "vitest";
import { known, unknown } from "../facts/facts.ts";
import { donating, holdingFor, inUse, now, testEdges } from "./decide.fixture.ts";
import { idleLimits } from "./limits.fixture.ts";

const asked = { donateNowUntil: now + 5 };
const onBattery = { power: known("battery" as const) };

describe("sleep and lid", () =>
  testEdges([
    { name: "going to sleep", facts: { suspended: true }, to: "suspended" },
    { name: "donate-now wakes nobody", facts: { suspended: true, ...asked }, to: "suspended" },
    {
      name: "just awake again",
      from: holdingFor("suspended"),
      to: "suspended",
      clearSince: now,
      recheckAt: now + 5_000,
    },
    { name: "a closed lid on mains power", facts: { lidClosed: known(true) }, to: "idle" },
    { name: "a lid of which nothing is known", facts: { lidClosed: unknown }, to: "idle" },
    {
      name: "a closed lid on a battery that may be used",
      facts: { lidClosed: known(true), ...onBattery },
      rules: { allowOnBattery: true },
      to: "lid-closed",
    },
    {
      name: "a closed lid where the power is unknown",
      facts: { lidClosed: known(true), power: unknown },
      rules: { allowOnBattery: true },
      to: "lid-closed",
    },
  ]));

describe("the battery's floor, held for it before", () => {
  const at = (percent: number) => ({ ...onBattery, batteryPercent: known(percent) });
  const rules = { allowOnBattery: true };
  const from = holdingFor("battery-low");
  testEdges([
    { name: "at the floor", facts: at(50), rules, from, to: "battery-low" },
    { name: "just above the floor", facts: at(51), rules, from, to: "battery-low" },
    { name: "clearly above the floor", facts: at(52), rules, from, to: "idle" },
    {
      name: "full, with a floor that nothing is above",
      facts: at(100),
      rules: { ...rules, batteryFloorPercent: 100 },
      from,
      to: "idle",
    },
  ]);
});

describe("heat", () =>
  testEdges([
    { name: "at the cap less five", facts: { temperatureC: known(80) }, to: "idle" },
    {
      name: "near the cap it works at half speed",
      facts: { temperatureC: known(80.5) },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    {
      name: "exactly at the cap",
      facts: { temperatureC: known(85) },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    { name: "above the cap", facts: { temperatureC: known(85.1) }, to: "too-hot" },
    { name: "donate-now warms nothing", facts: { temperatureC: known(90), ...asked }, to: "too-hot" },
    {
      name: "cooling, not cool enough",
      facts: { temperatureC: known(77.5) },
      from: holdingFor("too-hot"),
      to: "too-hot",
    },
    {
      name: "cool enough, for the first time",
      facts: { temperatureC: known(77) },
      from: holdingFor("too-hot"),
      to: "too-hot",
      clearSince: now,
      recheckAt: now + 60_000,
    },
    {
      name: "cool enough for a minute: it begins at half speed",
      facts: { temperatureC: known(77) },
      from: { kind: "holding", reason: "too-hot", since: 3, clearSince: now - 60_000 },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    { name: "no cap", facts: { temperatureC: known(99) }, rules: { maxTemperatureC: null }, to: "idle" },
    { name: "a temperature that is unknown", facts: { temperatureC: unknown }, to: "idle" },
    { name: "the system says serious", facts: { thermal: known("serious") }, to: "too-hot" },
    { name: "the system says critical", facts: { thermal: known("critical") }, to: "too-hot" },
    {
      name: "the system says fair",
      facts: { thermal: known("fair") },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    { name: "quiet", rules: { quiet: true }, to: "idle", limits: { dutyCycle: 0.5 } },
    {
      name: "quiet and warm",
      facts: { thermal: known("fair") },
      rules: { quiet: true },
      to: "idle",
      limits: { dutyCycle: 0.25 },
    },
  ]));

describe("networks", () => {
  const requiredNetworks = ["Office", "vpn.example.org"];
  const rules = { requiredNetworks };
  testEdges([
    { name: "metered", facts: { metered: known(true) }, to: "metered" },
    { name: "donate-now pays for no traffic", facts: { metered: known(true), ...asked }, to: "metered" },
    {
      name: "metered and allowed",
      facts: { metered: known(true) },
      rules: { allowMetered: true },
      to: "idle",
    },
    { name: "not metered", facts: { metered: known(false) }, to: "idle" },
    { name: "metered or not: unknown", facts: { metered: unknown }, to: "idle" },
    {
      name: "the office, in other letters",
      facts: { networks: known(["wlan0", "OFFICE"]) },
      rules,
      to: "idle",
    },
    { name: "at home", facts: { networks: known(["wlan0", "Home"]) }, rules, to: "other-network" },
    { name: "on no network", facts: { networks: known([]) }, rules, to: "other-network" },
    { name: "networks unknown", facts: { networks: unknown }, rules, to: "network-unknown" },
    { name: "any network will do", facts: { networks: unknown }, to: "idle" },
  ]);
});

describe("programs, full screen, calls, media", () => {
  const rules = { excludedPrograms: ["game"] };
  testEdges([
    { name: "it runs", facts: { excludedProgram: known("game") }, rules, to: "excluded-program" },
    {
      name: "donate-now does not outrank it",
      facts: { excludedProgram: known("game"), ...asked },
      rules,
      to: "excluded-program",
    },
    { name: "none runs", facts: { excludedProgram: known(null) }, rules, to: "idle" },
    { name: "nobody can tell", facts: { excludedProgram: unknown }, rules, to: "programs-unknown" },
    { name: "none is named, nobody can tell", facts: { excludedProgram: unknown }, to: "idle" },
    { name: "full screen", facts: { fullScreen: known(true) }, to: "full-screen" },
    {
      name: "full screen is fine",
      facts: { fullScreen: known(true) },
      rules: { holdOnFullScreen: false },
      to: "idle",
    },
    { name: "camera", facts: { cameraInUse: known(true) }, to: "in-call" },
    { name: "microphone", facts: { cameraInUse: known(false), microphoneInUse: known(true) }, to: "in-call" },
    { name: "calls are fine", facts: { cameraInUse: known(true) }, rules: { holdOnCall: false }, to: "idle" },
    { name: "media", facts: { mediaPlaying: known(true) }, to: "media-playing" },
    {
      name: "media is fine",
      facts: { mediaPlaying: known(true) },
      rules: { holdOnMedia: false },
      to: "idle",
    },
    {
      name: "unknown, these hold nothing",
      facts: { fullScreen: unknown, cameraInUse: unknown, microphoneInUse: unknown, mediaPlaying: unknown },
      to: "idle",
    },
    {
      name: "donate-now goes on in a call",
      facts: { cameraInUse: known(true), fullScreen: known(true), mediaPlaying: known(true), ...asked },
      to: "donate-now",
      recheckAt: now + 5,
    },
    {
      name: "the call just ended",
      from: holdingFor("in-call"),
      to: "in-call",
      clearSince: now,
      recheckAt: now + 30_000,
    },
    {
      name: "the call ended a while ago",
      from: { kind: "holding", reason: "in-call", since: 3, clearSince: now - 29_999 },
      to: "in-call",
      clearSince: now - 29_999,
      recheckAt: now + 1,
    },
    {
      name: "the call ended long enough ago",
      from: { kind: "holding", reason: "in-call", since: 3, clearSince: now - 30_000 },
      to: "idle",
    },
    {
      name: "the call goes on after all",
      facts: { cameraInUse: known(true) },
      from: { kind: "holding", reason: "in-call", since: 3, clearSince: now - 1 },
      to: "in-call",
    },
    {
      name: "the call just ended, but somebody asks to donate now",
      facts: asked,
      from: holdingFor("in-call"),
      to: "donate-now",
      recheckAt: now + 5,
    },
    {
      name: "the clock was set back while it waited",
      from: { kind: "holding", reason: "in-call", since: 3, clearSince: now + 9_999_999 },
      to: "in-call",
      clearSince: now,
      recheckAt: now + 30_000,
    },
  ]);
});

describe("memory, disk, GPU", () => {
  const noModel = { modelReady: false };
  const withoutGpu = { ...donating, limits: { ...idleLimits, gpu: false } };
  testEdges([
    { name: "memory is needed", facts: { memoryFreeMb: known(511) }, to: "memory-low" },
    { name: "memory exactly at the floor", facts: { memoryFreeMb: known(512) }, to: "idle" },
    { name: "memory unknown", facts: { memoryFreeMb: unknown }, to: "idle" },
    {
      name: "memory, not enough of it again",
      facts: { memoryFreeMb: known(767) },
      from: holdingFor("memory-low"),
      to: "memory-low",
    },
    { name: "a full disk beside a model", facts: { diskFreeMb: known(0) }, to: "idle" },
    { name: "a full disk without a model", facts: { diskFreeMb: known(5_119), ...noModel }, to: "disk-full" },
    { name: "room on the disk", facts: { diskFreeMb: known(5_120), ...noModel }, to: "no-model" },
    {
      name: "a little room on a disk that was full",
      facts: { diskFreeMb: known(5_631), ...noModel },
      from: holdingFor("disk-full"),
      to: "disk-full",
    },
    { name: "a disk that is unknown", facts: { diskFreeMb: unknown, ...noModel }, to: "no-model" },
    { name: "others use the GPU", facts: { otherGpuLoad: known(0.31) }, to: "idle", limits: { gpu: false } },
    {
      name: "between the limits, on the GPU",
      facts: { otherGpuLoad: known(0.2) },
      from: donating,
      to: "idle",
    },
    {
      name: "between the limits, not on the GPU yet",
      facts: { otherGpuLoad: known(0.2) },
      from: inUse,
      to: "idle",
      limits: { gpu: false },
    },
    {
      name: "the GPU is calm again",
      facts: { otherGpuLoad: known(0.1) },
      from: withoutGpu,
      to: "idle",
      limits: {},
    },
    {
      name: "of the GPU nothing is known while it was busy at the last look",
      facts: { otherGpuLoad: unknown },
      from: withoutGpu,
      to: "idle",
      limits: { gpu: false },
    },
    {
      name: "of the GPU nothing is known after a person's own limits kept off it",
      facts: { otherGpuLoad: unknown },
      from: { ...withoutGpu, reason: "within-limits" },
      to: "idle",
      limits: {},
    },
    {
      name: "a GPU that is left alone",
      rules: {
        gpus: [
          { index: 1, allow: false },
          { index: 0, allow: true },
        ],
      },
      to: "idle",
      limits: { deniedGpus: [1] },
    },
    {
      name: "the rules' own limits",
      rules: { idle: { threads: 2, gpu: false, memoryMb: 4_096 } },
      to: "idle",
      limits: { threads: 2, gpu: false, memoryMb: 4_096 },
    },
  ]);
});
