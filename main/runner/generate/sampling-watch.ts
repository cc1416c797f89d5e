import type { RequestStep } from "../../../app/contract/runner.ts";

/** Milliseconds of processor time that this process has used. A starved process uses none, so it is not called slow. */
export type CpuTime = () => number;

const usedByProcess: CpuTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** A choice that takes longer is told, before anything can happen to the process in it. */
const tellAfterMs = 50;
/** Ordinary choices take milliseconds. */
const mostMs = 3_000;
const windowTokens = 8;

/**
 * Watches how long llama.cpp takes to choose tokens that fit a grammar. A small grammar can have so many readings of the
 * same text that each choice takes twice as long as the one before, and the jobs in the same batch wait with it.
 */
export class SamplingWatch {
  readonly #tell: (step: RequestStep | null) => void;
  readonly #cpuTime: CpuTime;
  readonly #recent: number[] = [];
  #begunAt: number | null = null;
  #told = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (step: RequestStep | null) => void, cpuTime: CpuTime = usedByProcess) {
    this.#tell = tell;
    this.#cpuTime = cpuTime;
  }

  /** A choice begins. */
  begin(): void {
    this.end();
    this.#begunAt = this.#cpuTime();
    this.#timer = setTimeout(() => {
      this.#told = true;
      this.#tell("sample");
    }, tellAfterMs);
  }

  /** The choice has ended, if one was under way. */
  end(): void {
    if (this.#begunAt === null) return;
    this.#recent.push(this.#cpuTime() - this.#begunAt);
    if (this.#recent.length > windowTokens) this.#recent.shift();
    this.#begunAt = null;
    clearTimeout(this.#timer);
    if (this.#told) this.#tell(null);
    this.#told = false;
  }

  /** Whether the last few choices took so long together that the job should end. */
  get isTooSlow(): boolean {
    return this.#recent.reduce((sum, ms) => sum + ms, 0) > mostMs;
  }
}
