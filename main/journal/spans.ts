import { assertNever } from "../../app/assert-never.ts";
import type { SpanState } from "../../app/contract/span-words.ts";
import { aliveEveryMs } from "../../app/policy/replay/replay.ts";
import type { JournalEntry, JournalFacts } from "./entry.ts";

/** Lasts from `from` until just before `to`, in ms since the epoch. */
export type Span = SpanState & {
  readonly from: number;
  readonly to: number;
  /** The facts that mattered at its start. */
  readonly facts: JournalFacts;
};

type State = SpanState & { readonly facts: JournalFacts };

const state = (kind: SpanState["kind"], reason: string): State => ({ kind, reason, facts: {} });

const notRecorded = state("unknown", "not-recorded");
const starting = state("standby", "starting");
const stopped = state("not-running", "stopped");
/** The donor ended without a last entry: a crash, a kill or a power cut. */
const cutOff = state("not-running", "cut-off");
const suspended = state("asleep", "suspended");
/** The donor was silent for long and then continued: the computer slept without an event. */
const silent = state("asleep", "silent");

/** After a longer silence the donor did not run. */
const silentAfterMs = 2.5 * aliveEveryMs;

/**
 * Divides the time from `since` until `now` into spans without gaps. Neighbors differ.
 *
 * @param running whether the donor runs now. If not, it ran at most until its last entry.
 */
export function spansOf(
  entries: readonly JournalEntry[],
  since: number,
  now: number,
  running = true,
): readonly Span[] {
  const spans: Span[] = [];
  const add = (from: number, to: number, added: State): void => {
    const begin = Math.max(from, since);
    const end = Math.min(to, now);
    if (end <= begin) return;
    const last = spans.at(-1);
    if (last?.kind === added.kind && last.reason === added.reason) {
      spans[spans.length - 1] = { ...last, to: end };
    } else {
      spans.push({ from: begin, to: end, ...added });
    }
  };

  let current = notRecorded;
  let beforeSleep = notRecorded;
  let at = Math.min(since, entries[0]?.at ?? since);
  for (const entry of inOrder(entries, now)) {
    add(at, entry.at, betweenEntries(current, entry, entry.at - at));
    at = entry.at;
    switch (entry.kind) {
      case "activity":
        if (entry.reason === suspended.reason) {
          if (current.kind !== "asleep") beforeSleep = current;
          current = suspended;
        } else {
          current = { kind: entry.activity, reason: entry.reason, facts: entry.facts };
        }
        break;
      case "lifecycle":
        if (entry.event === "suspend" && current.kind !== "asleep") beforeSleep = current;
        current = afterLifecycle(entry.event, current, beforeSleep);
        break;
      case "facts":
      case "jobs":
      case "model":
      case "comfort":
        break;
      default:
        assertNever(entry);
    }
  }
  const ended = isAwake(current) && (!running || now - at > silentAfterMs);
  add(at, now, ended ? cutOff : current);
  return spans;
}

/** The state between the previous entry and this one. */
function betweenEntries(current: State, entry: JournalEntry, ms: number): State {
  if (!isAwake(current)) return current.kind === "asleep" && isStart(entry) ? cutOff : current;
  if (isStart(entry)) return cutOff;
  return ms > silentAfterMs ? silent : current;
}

function afterLifecycle(
  event: Extract<JournalEntry, { kind: "lifecycle" }>["event"],
  current: State,
  beforeSleep: State,
): State {
  switch (event) {
    case "start":
      return starting;
    case "stop":
      return stopped;
    case "suspend":
      return suspended;
    case "resume":
      return current.kind === "asleep" ? beforeSleep : current;
    default:
      return assertNever(event);
  }
}

function isStart(entry: JournalEntry): boolean {
  return entry.kind === "lifecycle" && entry.event === "start";
}

function isAwake({ kind }: State): boolean {
  return kind === "donating" || kind === "standby";
}

/** If the clock was set back, later entries are right: earlier ones move to the time of the next. */
function inOrder(entries: readonly JournalEntry[], now: number): readonly JournalEntry[] {
  let next = now;
  return entries
    .toReversed()
    .map((entry) => {
      next = Math.min(next, entry.at);
      return entry.at === next ? entry : { ...entry, at: next };
    })
    .toReversed();
}
