import { describe } from "vitest";
import { known, unknown } from "../facts/facts.ts";
import { donating, inUse, now, standbyFor, testEdges } from "./decide.fixture.ts";
import { idleLimits } from "./limits.fixture.ts";

const asked = { donateNowUntil: now + 5 };
const onBattery = { power: known("battery" as const) };

describe("sleep and lid", () =>
  testEdges([
    { when: "the computer goes to sleep", facts: { suspended: true }, to: "suspended" },
    {
      when: "the computer goes to sleep, although its user asked to donate now",
      facts: { suspended: true, ...asked },
      to: "suspended",
    },
    {
      when: "the computer has just woken up",
      from: standbyFor("suspended"),
      to: "suspended",
      clearSince: now,
      recheckAt: now + 5_000,
    },
    { when: "the lid is closed on mains power", facts: { lidClosed: known(true) }, to: "idle" },
    { when: "nothing is known about the lid", facts: { lidClosed: unknown }, to: "idle" },
    {
      when: "the lid is closed on a battery that may be used",
      facts: { lidClosed: known(true), ...onBattery },
      rules: { allowOnBattery: true },
      to: "lid-closed",
    },
    {
      when: "the lid is closed and the power is unknown",
      facts: { lidClosed: known(true), power: unknown },
      rules: { allowOnBattery: true },
      to: "lid-closed",
    },
  ]));

describe("the battery's floor, held for it before", () => {
  const at = (percent: number) => ({ ...onBattery, batteryPercent: known(percent) });
  const rules = { allowOnBattery: true };
  const from = standbyFor("battery-low");
  testEdges([
    {
      when: "the battery is at its floor after it was too low",
      facts: at(50),
      rules,
      from,
      to: "battery-low",
    },
    {
      when: "the battery is just above its floor after it was too low",
      facts: at(51),
      rules,
      from,
      to: "battery-low",
    },
    {
      when: "the battery is clearly above its floor after it was too low",
      facts: at(52),
      rules,
      from,
      to: "idle",
    },
    {
      when: "the battery is full and its floor is 100 %",
      facts: at(100),
      rules: { ...rules, batteryFloorPercent: 100 },
      from,
      to: "idle",
    },
  ]);
});

describe("heat", () =>
  testEdges([
    { when: "the temperature is five degrees below its cap", facts: { temperatureC: known(80) }, to: "idle" },
    {
      when: "the temperature is near its cap, where it works at half speed",
      facts: { temperatureC: known(80.5) },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    {
      when: "the temperature is exactly at its cap",
      facts: { temperatureC: known(85) },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    { when: "the temperature is above its cap", facts: { temperatureC: known(85.1) }, to: "too-hot" },
    {
      when: "the temperature is above its cap, although its user asked to donate now",
      facts: { temperatureC: known(90), ...asked },
      to: "too-hot",
    },
    {
      when: "it cools down after it was too hot and is not cool enough",
      facts: { temperatureC: known(77.5) },
      from: standbyFor("too-hot"),
      to: "too-hot",
    },
    {
      when: "it has just become cool enough",
      facts: { temperatureC: known(77) },
      from: standbyFor("too-hot"),
      to: "too-hot",
      clearSince: now,
      recheckAt: now + 60_000,
    },
    {
      when: "it has been cool enough for a minute, and starts at half speed",
      facts: { temperatureC: known(77) },
      from: { kind: "standby", reason: "too-hot", since: 3, clearSince: now - 60_000 },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    {
      when: "the temperature has no cap",
      facts: { temperatureC: known(99) },
      rules: { maxTemperatureC: null },
      to: "idle",
    },
    { when: "the temperature is unknown", facts: { temperatureC: unknown }, to: "idle" },
    { when: "the system reports serious heat", facts: { thermal: known("serious") }, to: "too-hot" },
    { when: "the system reports critical heat", facts: { thermal: known("critical") }, to: "too-hot" },
    {
      when: "the system reports fair heat, and it works at half speed",
      facts: { thermal: known("fair") },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    {
      when: "it has to be quiet, and works at half speed",
      rules: { quiet: true },
      to: "idle",
      limits: { dutyCycle: 0.5 },
    },
    {
      when: "it has to be quiet and is warm, and works at a quarter of its speed",
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
    { when: "the network is metered", facts: { metered: known(true) }, to: "metered" },
    {
      when: "the network is metered, although its user asked to donate now",
      facts: { metered: known(true), ...asked },
      to: "metered",
    },
    {
      when: "the network is metered and that is allowed",
      facts: { metered: known(true) },
      rules: { allowMetered: true },
      to: "idle",
    },
    { when: "the network is not metered", facts: { metered: known(false) }, to: "idle" },
    { when: "it is unknown whether the network is metered", facts: { metered: unknown }, to: "idle" },
    {
      when: "a required network is here in different letter case",
      facts: { networks: known(["wlan0", "OFFICE"]) },
      rules,
      to: "idle",
    },
    {
      when: "no required network is among the networks",
      facts: { networks: known(["wlan0", "Home"]) },
      rules,
      to: "other-network",
    },
    {
      when: "networks are required and there is no network",
      facts: { networks: known([]) },
      rules,
      to: "other-network",
    },
    {
      when: "networks are required and the networks are unknown",
      facts: { networks: unknown },
      rules,
      to: "network-unknown",
    },
    { when: "no network is required and the networks are unknown", facts: { networks: unknown }, to: "idle" },
  ]);
});

describe("programs, full screen, calls, media", () => {
  const rules = { excludedPrograms: ["game"] };
  testEdges([
    {
      when: "an excluded program runs",
      facts: { excludedProgram: known("game") },
      rules,
      to: "excluded-program",
    },
    {
      when: "an excluded program runs, although its user asked to donate now",
      facts: { excludedProgram: known("game"), ...asked },
      rules,
      to: "excluded-program",
    },
    { when: "no excluded program runs", facts: { excludedProgram: known(null) }, rules, to: "idle" },
    {
      when: "programs are excluded and the running programs are unknown",
      facts: { excludedProgram: unknown },
      rules,
      to: "programs-unknown",
    },
    {
      when: "no program is excluded and the running programs are unknown",
      facts: { excludedProgram: unknown },
      to: "idle",
    },
    { when: "a program fills the screen", facts: { fullScreen: known(true) }, to: "full-screen" },
    {
      when: "a program fills the screen and that is allowed",
      facts: { fullScreen: known(true) },
      rules: { holdOnFullScreen: false },
      to: "idle",
    },
    { when: "the camera is in use", facts: { cameraInUse: known(true) }, to: "in-call" },
    {
      when: "the microphone is in use",
      facts: { cameraInUse: known(false), microphoneInUse: known(true) },
      to: "in-call",
    },
    {
      when: "the camera is in use and that is allowed",
      facts: { cameraInUse: known(true) },
      rules: { holdOnCall: false },
      to: "idle",
    },
    { when: "media is playing", facts: { mediaPlaying: known(true) }, to: "media-playing" },
    {
      when: "media is playing and that is allowed",
      facts: { mediaPlaying: known(true) },
      rules: { holdOnMedia: false },
      to: "idle",
    },
    {
      when: "full screen, calls and media are unknown",
      facts: { fullScreen: unknown, cameraInUse: unknown, microphoneInUse: unknown, mediaPlaying: unknown },
      to: "idle",
    },
    {
      when: "its user asked to donate now and is on a call",
      facts: { cameraInUse: known(true), fullScreen: known(true), mediaPlaying: known(true), ...asked },
      to: "donate-now",
      recheckAt: now + 5,
    },
    {
      when: "a call has just ended",
      from: standbyFor("in-call"),
      to: "in-call",
      clearSince: now,
      recheckAt: now + 30_000,
    },
    {
      when: "a call ended a millisecond less than the cooldown ago",
      from: { kind: "standby", reason: "in-call", since: 3, clearSince: now - 29_999 },
      to: "in-call",
      clearSince: now - 29_999,
      recheckAt: now + 1,
    },
    {
      when: "a call ended as long ago as the cooldown",
      from: { kind: "standby", reason: "in-call", since: 3, clearSince: now - 30_000 },
      to: "idle",
    },
    {
      when: "a call continues after a pause",
      facts: { cameraInUse: known(true) },
      from: { kind: "standby", reason: "in-call", since: 3, clearSince: now - 1 },
      to: "in-call",
    },
    {
      when: "a call has just ended and its user asks to donate now",
      facts: asked,
      from: standbyFor("in-call"),
      to: "donate-now",
      recheckAt: now + 5,
    },
    {
      when: "the clock was set back during the cooldown of a call",
      from: { kind: "standby", reason: "in-call", since: 3, clearSince: now + 9_999_999 },
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
    {
      when: "others leave less memory than the rules allow",
      facts: { memoryFreeMb: known(511) },
      to: "memory-low",
    },
    {
      when: "others leave exactly as much memory as the rules allow",
      facts: { memoryFreeMb: known(512) },
      to: "idle",
    },
    { when: "the free memory is unknown", facts: { memoryFreeMb: unknown }, to: "idle" },
    {
      when: "others leave enough memory again, but not the margin",
      facts: { memoryFreeMb: known(767) },
      from: standbyFor("memory-low"),
      to: "memory-low",
    },
    { when: "the disk is full and a model is here", facts: { diskFreeMb: known(0) }, to: "idle" },
    {
      when: "the disk is full and no model is here",
      facts: { diskFreeMb: known(5_119), ...noModel },
      to: "disk-full",
    },
    {
      when: "the disk has room and no model is here",
      facts: { diskFreeMb: known(5_120), ...noModel },
      to: "no-model",
    },
    {
      when: "the disk was full and has a little room now",
      facts: { diskFreeMb: known(5_631), ...noModel },
      from: standbyFor("disk-full"),
      to: "disk-full",
    },
    {
      when: "the free disk is unknown and no model is here",
      facts: { diskFreeMb: unknown, ...noModel },
      to: "no-model",
    },
    {
      when: "others use the GPU",
      facts: { otherGpuLoad: known(0.31) },
      to: "idle",
      limits: { gpu: false, gpuHeldBy: "others" },
    },
    {
      when: "others use the GPU a little and it was on the GPU before",
      facts: { otherGpuLoad: known(0.2) },
      from: donating,
      to: "idle",
    },
    {
      when: "others use the GPU a little and it was not on the GPU before",
      facts: { otherGpuLoad: known(0.2) },
      from: inUse,
      to: "idle",
      limits: { gpu: false, gpuHeldBy: "others" },
    },
    {
      when: "others no longer use the GPU",
      facts: { otherGpuLoad: known(0.1) },
      from: withoutGpu,
      to: "idle",
      limits: {},
    },
    {
      when: "a job is about to use the GPU and its load is unknown",
      facts: { otherGpuLoad: unknown, gpuSampled: true },
      to: "idle",
      limits: { gpu: false, gpuHeldBy: "unknown" },
    },
    {
      when: "the GPU's load becomes unknown while a job uses it",
      facts: { otherGpuLoad: unknown, gpuSampled: true },
      from: donating,
      to: "idle",
      limits: { gpu: false, gpuHeldBy: "unknown" },
    },
    {
      when: "no job runs, so that nobody asked for the GPU's load",
      facts: { otherGpuLoad: unknown, gpuSampled: false },
      from: withoutGpu,
      to: "idle",
      limits: { gpu: true },
    },
    {
      when: "the rules allow any load of the GPU, also an unknown one",
      rules: { maxOtherGpuLoad: 1 },
      facts: { otherGpuLoad: unknown, gpuSampled: true },
      to: "idle",
      limits: { gpu: true },
    },
    {
      when: "one GPU is not allowed",
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
      when: "the rules limit threads, GPU and memory",
      rules: { idle: { threads: 2, gpu: false, memoryMb: 4_096 } },
      to: "idle",
      limits: { threads: 2, gpu: false, memoryMb: 4_096 },
    },
  ]);
});
