import { formatExactCredits } from "../money/credits.ts";

/**
 * Why an API key cannot pay for something, in the unit that people see, and who can change that.
 * @param what such as "The request".
 * @param mostMicro the micro-credits that the key must have.
 */
export function tooFewCredits(what: string, mostMicro: bigint, hasMicro: bigint): string {
  return `${what} may cost up to ${formatExactCredits(mostMicro)} credits, but the API key has ${formatExactCredits(hasMicro)}. An administrator can give it more.`;
}

/**
 * The same of a request, which its sender can change, too.
 * @param jobs of a request with several, those up to the first one that the key cannot pay for; else 1.
 */
export function tooFewForRequest(jobs: number, mostMicro: bigint, hasMicro: bigint): string {
  const what = jobs === 1 ? "The request" : `The request, with the first ${String(jobs)} of its jobs,`;
  return `${tooFewCredits(what, mostMicro, hasMicro)} A shorter request or a lower limit of tokens costs less.`;
}
