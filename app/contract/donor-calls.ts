import { z } from "zod";
import { ruleName, someRules } from "../policy/rule-schemas.ts";
import type { DonorSnapshot } from "./snapshot.ts";

/**
 * The one contract between the donor program and its panel. The preload, the main process, the
 * headless bridge, the panel and the tests' fake are all derived from this value.
 * Calls carry one argument, parsed by its schema before anything sees it, and answer a `Reply`.
 */
export const calls = {
  getSnapshot: { argument: z.null() },
  /** Pause for so many minutes (a year at most), until a moment (ms since the epoch), or until resumed. */
  pause: {
    argument: z.union([
      z.object({ minutes: z.number().int().min(1).max(527_040).nullable() }).strict(),
      z.object({ until: z.number().int().min(0).max(8_640_000_000_000_000) }).strict(),
    ]),
  },
  /** Finish the job under way, take no other, and pause until resumed. */
  finishThenPause: { argument: z.null() },
  /** Takes a "finish, then pause" back; else ends a pause and a "donate now". */
  resume: { argument: z.null() },
  /** Donate for so many minutes even while the computer is in use. */
  donateNow: { argument: z.object({ minutes: z.number().int().min(1).max(1_440) }) },
  enroll: { argument: z.object({ code: z.string().trim().min(4).max(200) }) },
  /** The donor's own rules: those that are named. Whether somebody sits at the machine is said when it starts. */
  setRules: { argument: someRules.omit({ requireIdle: true, otherCpuLoadHysteresis: true }) },
  /** Leaves these rules to the organization, or to the defaults, again. */
  resetRules: { argument: z.object({ names: z.array(ruleName).min(1).max(100) }) },
  /** Asks the computer for every fact again, also for those that no rule looks at. */
  refreshFacts: { argument: z.null() },
  quit: { argument: z.null() },
} as const;

export type CallName = keyof typeof calls;
export type CallArgument<Name extends CallName> = z.infer<(typeof calls)[Name]["argument"]>;

export type Reply<T = null> =
  { readonly kind: "ok"; readonly value: T } | { readonly kind: "refused"; readonly message: string };

export type CallResult<Name extends CallName> = Name extends "getSnapshot" ? Reply<DonorSnapshot> : Reply;

/** What the panel sees: one promise-returning function per call, and one stream of deltas. */
export type PanelBridge = {
  readonly [Name in CallName]: (argument: CallArgument<Name>) => Promise<CallResult<Name>>;
} & {
  /** Calls back with the changed top-level fields of the snapshot; returns the unsubscriber. */
  readonly onDelta: (listener: (delta: Partial<DonorSnapshot>) => void) => () => void;
};

/** What a donor program implements; the shells (Electron, loopback) only carry it. */
export type PanelHandlers = {
  readonly [Name in CallName]: (argument: CallArgument<Name>) => Promise<CallResult<Name>> | CallResult<Name>;
};

/** Channel names on Electron's IPC, and message kinds on the headless bridge. */
export const channels = { call: "gleaner:call", delta: "gleaner:delta" } as const;
