import { mayReplay, openCase, stateOf, type TrustCase, withVoice } from "../../app/trust/case.ts";
import {
  type HonestReplays,
  type Limits,
  limitsOf,
  noReplays,
  withReplay,
} from "../../app/trust/honest-replays.ts";
import type { Replay } from "../../app/trust/replay.ts";
import { costShareOf, replayChance, replayShare } from "../../app/trust/replay-chance.ts";
import type { Side } from "../../app/trust/sides.ts";
import {
  isDrifting,
  isOnProbation,
  lowerBoundOf,
  newStanding,
  type Standing,
  withEvent,
} from "../../app/trust/standing.ts";
import { excessOf, seriesVerdictOf, verdictOf } from "../../app/trust/verdict.ts";
import { type Random, randomFrom } from "../structures/random.ts";
import {
  type Answer,
  drawAnswer,
  drawMisses,
  type Fraud,
  honestReport,
  inventedReport,
  type Misses,
} from "./answers.ts";

/** The behavior of the dishonest devices of a fleet, with each of their jobs. */
export type Behavior = {
  readonly fraud: Fraud;
  /** The jobs that a device answers honestly before. */
  readonly honestJobs: number;
  /** Pairs call each other's answers right, and now and then accuse somebody else. */
  readonly inPairs: boolean;
  /** The devices of a pair belong to one person. All other devices are of different people. */
  readonly ofOneOwner?: boolean;
};

export type FleetOptions = {
  readonly devices: number;
  /** Jobs of each device. */
  readonly jobs: number;
  /** The share of devices that are dishonest. */
  readonly dishonest: number;
  readonly behavior: Behavior | null;
  readonly seed: number;
};

export type FleetFigures = {
  /** The share of dishonest devices that were out within `caughtWithin` wrong answers. */
  readonly caught: number;
  /** Wrong answers of a device until it was out; null if none was. */
  readonly jobsUntilCaughtP95: number | null;
  /** The share of all delivered answers that were wrong. */
  readonly wrongDelivered: number;
  /** The time that replays took, as a share of the time that answers took, after each device's first jobs. */
  readonly overhead: number;
  /** The share of honest devices that a case ended against. */
  readonly honestAccused: number;
};

const caughtWithin = 50;
/** By then the replays of new devices are over. */
const steadyFrom = 100;
/** A replay waits for an idle device. Meanwhile the device answers this number of other jobs. */
const delayJobs = 2;
const jobMs = 72 * 60_000;
/**
 * In tokens per second, of a small model on a laptop. A replay then costs 61 % of a usual answer. Measured were 45 to 80 %, in
 * processor time on one thread.
 */
const speed = { prefill: 100, generate: 34 };
/** How much more the computers of three kinds differ from each other than from themselves. */
const kindsOfComputers = 3;
const noiseBetweenKinds = 3;
/** The share of replays in which a device of a pair accuses somebody who is honest. */
const slander = 0.05;

type Device = {
  readonly index: number;
  readonly side: Side;
  readonly isHonest: boolean;
  readonly partner: number | null;
  readonly kind: number;
  standing: Standing;
  owed: number;
  answered: number;
  wrong: number;
  /** Wrong answers until it was out. Null: it is not out. */
  caughtAfter: number | null;
  isOut: boolean;
  readonly pending: Pending[];
};

/** A replay that is under way. */
type Pending = {
  readonly due: number;
  readonly answer: Answer;
  readonly misses: Misses;
  readonly about: { readonly case: TrustCase; readonly isSeries: boolean; readonly replay: Replay } | null;
};

/** Simulates a fleet whose decisions are all made by the functions of app/trust/. */
export function simulateFleet(options: FleetOptions): FleetFigures {
  return new Fleet(options).run();
}

class Fleet {
  readonly #options: FleetOptions;
  readonly #random: Random;
  readonly #devices: readonly Device[];
  readonly #honest = new Map<string, HonestReplays>();
  readonly #limits = new Map<string, Limits>();
  #answers = 0;
  #wrongAnswers = 0;
  #steady = { answerTime: 0, replayTime: 0 };
  /** Of the present round and the one before, for devices with a good record. */
  #spent = { answerTime: 1, replayTime: 0 };

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#random = randomFrom(options.seed);
    const liars = Math.round(options.devices * options.dishonest);
    this.#devices = Array.from({ length: options.devices }, (_, index) => ({
      index,
      side: {
        device: String(index),
        owner: {
          id: String(options.behavior?.ofOneOwner === true && index < liars ? index - (index % 2) : index),
          teams: [],
        },
      },
      isHonest: index >= liars,
      partner:
        options.behavior?.inPairs === true && index < liars
          ? index % 2 === 0
            ? index + 1
            : index - 1
          : null,
      kind: this.#random.below(kindsOfComputers),
      standing: newStanding(0),
      owed: 0,
      answered: 0,
      wrong: 0,
      caughtAfter: null,
      isOut: false,
      pending: [],
    }));
  }

  run(): FleetFigures {
    for (let job = 0; job < this.#options.jobs; job += 1) {
      for (const device of this.#devices) if (!device.isOut) this.#answer(device, job);
      this.#spent = { answerTime: this.#spent.answerTime * 0.9, replayTime: this.#spent.replayTime * 0.9 };
    }
    const liars = this.#devices.filter(({ isHonest }) => !isHonest);
    const honest = this.#devices.filter(({ isHonest }) => isHonest);
    const caught = liars.flatMap(({ caughtAfter }) => (caughtAfter === null ? [] : [caughtAfter]));
    return {
      caught: liars.length === 0 ? 1 : caught.filter((jobs) => jobs <= caughtWithin).length / liars.length,
      jobsUntilCaughtP95: caught.toSorted((a, b) => a - b)[Math.floor(caught.length * 0.95)] ?? null,
      wrongDelivered: this.#wrongAnswers / this.#answers,
      overhead: this.#steady.replayTime / this.#steady.answerTime,
      honestAccused: honest.filter(({ isOut }) => isOut).length / honest.length,
    };
  }

  #answer(device: Device, job: number): void {
    const now = job * jobMs;
    while ((device.pending[0]?.due ?? Infinity) <= device.answered && !device.isOut) {
      const pending = device.pending.shift();
      if (pending !== undefined) this.#replay(device, pending, now);
    }
    if (device.isOut) return;
    const { behavior } = this.#options;
    const lies = !device.isHonest && behavior !== null && device.answered >= behavior.honestJobs;
    const answer = drawAnswer(this.#random, lies ? behavior.fraud : null);
    device.answered += 1;
    this.#answers += 1;
    if (lies) {
      device.wrong += 1;
      this.#wrongAnswers += 1;
    }
    const time = answer.prompt / speed.prefill + answer.tokens / speed.generate;
    if (device.answered > steadyFrom) this.#steady.answerTime += time;
    this.#spent.answerTime += time;
    const costShare = costShareOf({ prompt: answer.prompt, answer: answer.tokens }, speed);
    const spentShare = this.#spent.replayTime / this.#spent.answerTime;
    const { standing } = device;
    const share = replayShare({ standing, answerTokens: answer.tokens, costShare, worth: 1, spentShare });
    if (this.#random.next() >= replayChance(share, device.owed)) {
      device.owed += share;
      device.standing = withEvent(device.standing, "result", now);
      return;
    }
    device.owed = 0;
    device.pending.push({
      due: device.answered + delayJobs,
      answer,
      misses: drawMisses(this.#random, answer),
      about: null,
    });
  }

  #replay(device: Device, pending: Pending, now: number): void {
    const { answer, misses, about } = pending;
    const checker = this.#checkerFor(device, about?.case.voices ?? []);
    if (checker === null) return;
    const time = (answer.prompt + answer.tokens) / speed.prefill;
    if (device.answered > steadyFrom) this.#steady.replayTime += time;
    if (!isOnProbation(device.standing)) this.#spent.replayTime += time;
    const name = [device.kind, checker.kind].toSorted().join(" ");
    const limits = this.#limits.get(name) ?? limitsOf(noReplays);
    const replay = this.#reportOf(checker, device, answer, misses);
    if (about === null) this.#judge(device, checker, pending, replay, limits, name, now);
    else this.#hear(device, checker, { ...pending, about }, replay, limits, now);
  }

  /** The first replay of an answer. */
  #judge(
    device: Device,
    checker: Device,
    { answer, misses }: Pending,
    replay: Replay,
    limits: Limits,
    name: string,
    now: number,
  ): void {
    const verdict = verdictOf(replay, limits);
    if (verdict !== "mismatch") {
      device.standing = withEvent(device.standing, verdict, now, excessOf(replay, limits));
      this.#learn(name, replay);
    }
    const isSeries = verdict !== "mismatch" && isDrifting(device.standing);
    if (verdict !== "mismatch" && !isSeries) return;
    const begun = openCase(device.side, { ...checker.side, verdict: "mismatch" });
    device.pending.unshift({
      due: device.answered + delayJobs,
      answer,
      misses,
      about: { case: begun, isSeries, replay },
    });
  }

  /** One more replay of a doubted answer. */
  #hear(
    device: Device,
    checker: Device,
    { answer, misses, about }: Pending & { readonly about: NonNullable<Pending["about"]> },
    replay: Replay,
    limits: Limits,
    now: number,
  ): void {
    const verdict = about.isSeries ? seriesVerdictOf(replay, limits) : verdictOf(replay, limits);
    const heard = withVoice(about.case, { ...checker.side, verdict });
    const state = stateOf(heard, this.#checkerFor(device, heard.voices) !== null);
    if (state.kind === "open") {
      const next = { ...about, case: heard };
      device.pending.unshift({ due: device.answered + delayJobs, answer, misses, about: next });
      return;
    }
    if (state.kind === "undecided") return;
    device.standing = withEvent(device.standing, state.kind === "wrong" ? "wrong" : "cleared", now);
    // A series says nothing against the checker of its last answer.
    for (const index of about.isSeries ? [] : state.misjudged) {
      const wrong = this.#devices[Number(index)];
      if (wrong !== undefined) wrong.standing = withEvent(wrong.standing, "misjudged", now);
    }
    if (state.kind === "wrong") {
      device.isOut = true;
      device.caughtAfter = device.wrong;
    }
  }

  #learn(name: string, replay: Replay): void {
    const learned = withReplay(this.#honest.get(name) ?? noReplays, replay);
    this.#honest.set(name, learned);
    // Sorting is costly, so limits follow with every tenth replay.
    if (this.#random.below(10) === 0 || !this.#limits.has(name)) this.#limits.set(name, limitsOf(learned));
  }

  /** A device of somebody else in good standing, if there is one; null if nobody is left. */
  #checkerFor(device: Device, heard: readonly Side[]): Device | null {
    let any: Device | null = null;
    for (let tries = 0; tries < 20; tries += 1) {
      const drawn = this.#devices[this.#random.below(this.#devices.length)];
      if (drawn === undefined || drawn.isOut || !mayReplay(drawn.side, device.side, heard)) continue;
      if (!isOnProbation(drawn.standing) && lowerBoundOf(drawn.standing) > 0.5) return drawn;
      any ??= drawn;
    }
    return any;
  }

  #reportOf(checker: Device, device: Device, answer: Answer, misses: Misses): Replay {
    if (checker.partner !== null) {
      if (checker.partner === device.index) return inventedReport(answer, true);
      if (device.isHonest && this.#random.next() < slander) return inventedReport(answer, false);
    }
    const noise = checker.kind === device.kind ? 1 : noiseBetweenKinds;
    return honestReport(this.#random, answer, misses, noise);
  }
}
