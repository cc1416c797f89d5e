import { formatExactCredits } from "../money/credits.ts";

/**
 * Why an API key cannot pay for something, in the unit that people see, and who can change that.
 * @param what such as "The request".
 * @param mostMicro the micro-credits that the key must have.
 * @param formula how the amount came about; "" if nobody asks.
 */
export function tooFewCredits(what: string, mostMicro: bigint, hasMicro: bigint, formula = ""): string {
  const most = `${formatExactCredits(mostMicro)} credits${formula === "" ? "" : ` (${formula})`}`;
  return `${what} may cost up to ${most}, but the API key has ${formatExactCredits(hasMicro)}. An administrator can give it more.`;
}

/**
 * The same of a request, which its sender can change, too.
 * @param jobs of a request with several, those up to the first one that the key cannot pay for; else 1.
 * @param formula of a request with one job: how the highest price came about.
 */
export function tooFewForRequest(jobs: number, mostMicro: bigint, hasMicro: bigint, formula: string): string {
  const what = jobs === 1 ? "The request" : `The request, with the first ${String(jobs)} of its jobs,`;
  return `${tooFewCredits(what, mostMicro, hasMicro, jobs === 1 ? formula : "")} A shorter request or a lower limit of tokens costs less.`;
}

/** The same in the playground, whose person has no API key to look at. */
export function tooFewInPlayground(mostMicro: bigint, hasMicro: bigint): string {
  const [most, has] = [mostMicro, hasMicro].map((micro) => `${formatExactCredits(micro)} credits`);
  return `This request may cost up to ${most}, and you have ${has} left in the playground for today. A shorter request or a lower limit of tokens costs less, and an administrator can raise the credits.`;
}
