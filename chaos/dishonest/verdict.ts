import type { Farm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";
import type { Admin } from "./admin.ts";
import { names } from "./cheats.ts";

export const honestNames = ["honest-1", "honest-2", "honest-3"];

/** Devices that name the demo model, and have to be found. One with 4 bits writes nearly the same. */
export const foundByReplays: readonly string[] = [names.noise, names.other];
const mustBeFound = [...foundByReplays, names.silent];

type Case = Awaited<ReturnType<Admin["cases"]>>[number];

/** A case with the figures of each voice. */
function evidenceOf({ jobId, device, state, isSeries, voices }: Case, withTools: ReadonlySet<string>) {
  return {
    hasTools: withTools.has(jobId),
    device: device.name,
    state,
    isSeries,
    voices: voices.map(
      ({ checker, verdict: said, tokens, misses, impossible, meanRegret, limit, overclaim }) => ({
        checker: checker.name,
        verdict: said,
        tokens,
        misses,
        impossible,
        meanRegret,
        limit,
        isOverclaim: overclaim !== null,
      }),
    ),
  };
}

type Told = Awaited<ReturnType<Admin["devicesWithEvents"]>>[number];

/** Why a device is as it is, so that a failure explains itself. */
function wordsAbout({ status, answers, earnedMicro, counts, attempts, events }: Told): string {
  const pauses = events.filter(
    ({ action }) => action.startsWith("device.pause") || action === "device.resumed",
  );
  const told = pauses.map(({ second, action, detail }) => `${action} after ${String(second)} s: ${detail}`);
  return [
    `it is ${status}, gave ${String(answers)} answers and earned ${String(earnedMicro)} micro-credits`,
    ...(told.length === 0 ? ["nothing paused it"] : told),
    `its standing: ${JSON.stringify(counts)}`,
    `its attempts: ${JSON.stringify(attempts)}`,
  ].join("; ");
}

/**
 * How each device stands and what happened to it, the canaries, the cases with their evidence, and what should not be.
 * @param withTools the jobs of requests with tools.
 */
export async function verdict(farm: Farm, admin: Admin, withTools: ReadonlySet<string>) {
  const [all, cases, asked] = await Promise.all([admin.devicesWithEvents(), admin.cases(), admin.canaries()]);
  const devices = all.map(({ name, status, pause, earnedMicro, answers, counts, attempts, events }) => {
    const ofDevice = cases.filter(({ device }) => device.name === name);
    const ended = (state: string) => ofDevice.filter((found) => found.state === state).length;
    return {
      name,
      status,
      cause: pause?.cause ?? null,
      answers,
      counts,
      earnedMicro: Number(earnedMicro),
      wrong: ended("wrong"),
      right: ended("right"),
      undecided: ended("undecided"),
      attempts,
      events,
    };
  });
  const canaries = asked.map(({ device, state }) => ({ device: device.name, state }));
  const isAccused = (name: string): boolean =>
    cases.some(({ device, state }) => device.name === name && state === "wrong");
  const isTested = canaries.some(({ device, state }) => device === names.silent && state === "mismatch");
  const faults = [
    ...all
      .filter(({ name, pause, earnedMicro }) => {
        const wasFound = pause?.cause === "wrong" && earnedMicro === 0n;
        return mustBeFound.includes(name) && !wasFound;
      })
      .map((device) => `the device "${device.name}" was not found: ${wordsAbout(device)}`),
    ...all
      .filter(({ name, status }) => honestNames.includes(name) && (isAccused(name) || status === "paused"))
      .map((device) => `${device.name} was accused, and is honest: ${wordsAbout(device)}`),
    ...(isTested
      ? []
      : all
          .filter(({ name }) => name === names.silent)
          .map((device) => {
            const states = canaries.filter((canary) => canary.device === device.name);
            const told = states.length === 0 ? "it got none" : states.map(({ state }) => state).join(", ");
            return `no canary found the device "${device.name}" (${told}): ${wordsAbout(device)}`;
          })),
    ...ledgerFaults(await farm.setup.ledgerCheck()),
  ];
  return { devices, canaries, cases: cases.map((each) => evidenceOf(each, withTools)), faults };
}
