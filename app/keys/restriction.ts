/** A request that stopped the runner of a device: llama.cpp crashed or hung on it. The device says so. */
export type RunnerStop = {
  /** ms epoch. */
  readonly at: number;
  readonly deviceId: string;
  readonly jobId: string;
  /** Whether the request had a grammar, a schema or tools. */
  readonly constrained: boolean;
};

/** The harm that an API key's requests have done to devices lately. */
export type KeyRecord = {
  /** Oldest first. */
  readonly runnerStops?: readonly RunnerStop[] | undefined;
  /** The ends of its jobs whose answers did not meet their schema, ms epoch and oldest first. Each job that met its own took the oldest out. */
  readonly unmetSchemas?: readonly number[] | undefined;
};

/**
 * Which requests of an API key are refused. `constrained`: those with a grammar, a schema or tools. `checked`: those whose
 * finished answer a device checks.
 */
export type Restriction = {
  readonly of: "constrained" | "checked" | "all";
  /** ms epoch. */
  readonly until: number;
};

export const restrictionRules = {
  /**
   * The number of stops that restricts a key. Those of the device that has most of them do not count. One request that
   * fails on two devices is below this, and so is one device that blames every request.
   */
  others: 2,
  /**
   * The number of jobs without an answer that met its schema, beyond those with one, that restricts a key. Each has cost a
   * device up to three answers, and its requester nothing.
   */
  unmet: 20,
  /** Older stops and jobs do not count. */
  withinMs: 3_600_000,
  /** Further stops of one device replace its oldest ones, so that the list is short. */
  perDevice: 4,
} as const;

/** Adds a stop to a key's list, and leaves out what does not count anymore. */
export function withStop(stops: readonly RunnerStop[], added: RunnerStop): RunnerStop[] {
  const recent = stops.filter(({ at }) => at > added.at - restrictionRules.withinMs);
  const same = recent.filter(
    ({ deviceId, constrained }) => deviceId === added.deviceId && constrained === added.constrained,
  );
  const replaced = new Set(same.slice(0, Math.max(0, same.length + 1 - restrictionRules.perDevice)));
  return [...recent.filter((stop) => !replaced.has(stop)), added];
}

/** Removes the stops by a job. Another device has answered it, so the device that stopped was the cause. */
export function withoutJob(stops: readonly RunnerStop[], jobId: string): RunnerStop[] {
  return stops.filter((stop) => stop.jobId !== jobId);
}

/** Adds a job that ended because no answer met its schema. */
export function withUnmet(unmet: readonly number[], at: number): number[] {
  const recent = unmet.filter((each) => each > at - restrictionRules.withinMs);
  return [...recent, at].slice(-restrictionRules.unmet);
}

/**
 * How a key is restricted now; null if it is not. Plain requests that stop runners restrict all requests, because nothing
 * tells which of them will. It ends when too few stops or jobs are within the last hour.
 */
export function restrictionOf(
  { runnerStops: stops = [], unmetSchemas = [] }: KeyRecord,
  now: number,
): Restriction | null {
  for (const requests of ["all", "constrained"] as const) {
    const until = endOf(stops.filter(({ constrained }) => constrained === (requests === "constrained")));
    if (until > now) return { of: requests, until };
  }
  const until = (unmetSchemas.at(-restrictionRules.unmet) ?? -Infinity) + restrictionRules.withinMs;
  return until > now ? { of: "checked", until } : null;
}

/** When too few of the stops will be left, in ms since the epoch; 0 if there are too few already. */
function endOf(stops: readonly RunnerStop[]): number {
  const last = stops.findLast((_, place) => isEnough(stops.slice(place)));
  return last === undefined ? 0 : last.at + restrictionRules.withinMs;
}

function isEnough(stops: readonly RunnerStop[]): boolean {
  const counts = new Map<string, number>();
  for (const { deviceId } of stops) counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1);
  return stops.length - Math.max(0, ...counts.values()) >= restrictionRules.others;
}

/** A request: whether it has a grammar, a schema or tools, and how many answers a device may have to write until one is right. */
type Asked = { readonly constrained?: boolean | undefined; readonly tries?: number | undefined };

/** Whether a restriction applies to a request. */
export function isRestricted(
  restriction: Restriction | null,
  { constrained = false, tries = 1 }: Asked,
): boolean {
  if (restriction === null) return false;
  return restriction.of === "all" || (restriction.of === "checked" ? tries > 1 : constrained);
}

const minuteMs = 60_000;

/**
 * "Requests of this API key with a grammar, … are refused until 2027-01-15 09:12 UTC."
 * @param format formats the end, in ms since the epoch: a page shows the reader's own time.
 */
export function restrictionWords({ of, until }: Restriction, format = formatUtc): string {
  // Rounded up, so that nobody comes back too early.
  const end = format(Math.ceil(until / minuteMs) * minuteMs);
  switch (of) {
    case "checked":
      return `Too few answers to this API key met the strict schemas of its requests. Requests with rules that no grammar can enforce, such as a bound or a pattern, are refused until ${end}.`;
    case "constrained":
      return `Requests of this API key with a grammar, a JSON schema or tools stopped the model's program on several devices. Such requests are refused until ${end}.`;
    case "all":
      return `Requests of this API key stopped the model's program on several devices. Its requests are refused until ${end}.`;
  }
}

function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The same for the requester, with what to do. */
export function restrictionAdvice(restriction: Restriction): string {
  return `${restrictionWords(restriction)} ${remedies[restriction.of]} Ask your administrator, who can lift this in the console.`;
}

const remedies: Readonly<Record<Restriction["of"], string>> = {
  all: "After that, send shorter prompts or use another model.",
  constrained: "Simplify the grammar, schema or tools; requests without them are accepted.",
  checked: "Leave those rules out, or use another model after that; requests without them are accepted.",
};
