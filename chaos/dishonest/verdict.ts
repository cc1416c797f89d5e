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

/**
 * How each device stands, the canaries, the cases with their evidence, and what should not be.
 * @param withTools the jobs of requests with tools.
 */
export async function verdict(farm: Farm, admin: Admin, withTools: ReadonlySet<string>) {
  const [all, cases, asked] = await Promise.all([admin.devices(), admin.cases(), admin.canaries()]);
  const devices = all.map(({ name, status, earnedMicro, answers, counts }) => {
    const ofDevice = cases.filter(({ device }) => device.name === name);
    const ended = (state: string) => ofDevice.filter((found) => found.state === state).length;
    return {
      name,
      status,
      answers,
      counts,
      earnedMicro: Number(earnedMicro),
      wrong: ended("wrong"),
      right: ended("right"),
      undecided: ended("undecided"),
    };
  });
  const canaries = asked.map(({ device, state }) => ({ device: device.name, state }));
  const faults = [
    ...devices
      .filter(({ name, status, earnedMicro }) => {
        const wasFound = status === "paused" && earnedMicro === 0;
        return mustBeFound.includes(name) && !wasFound;
      })
      .map(
        ({ name, status, earnedMicro }) =>
          `the device "${name}" is ${status} and earned ${String(earnedMicro)} micro-credits`,
      ),
    ...devices
      .filter(({ name, wrong, status }) => honestNames.includes(name) && (wrong > 0 || status === "paused"))
      .map(({ name }) => `${name} was accused, and is honest`),
    ...(canaries.some(({ device, state }) => device === names.silent && state === "mismatch")
      ? []
      : [`no canary found the device "${names.silent}"`]),
    ...ledgerFaults(await farm.setup.ledgerCheck()),
  ];
  return { devices, canaries, cases: cases.map((each) => evidenceOf(each, withTools)), faults };
}
