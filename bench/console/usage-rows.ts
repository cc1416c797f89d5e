import { convexToJson, type Value } from "convex/values";
import { type EndedJob, type Folded, foldJobs, tallyEach } from "../../app/statistics/fold.ts";
import { tokensOfDevices } from "../../app/statistics/model-tokens.ts";
import { bucketOf, spans } from "../../app/statistics/spans.ts";
import { type SubjectKind, subjectKinds } from "../../app/statistics/tally.ts";
import { type DaySum, daySumOf, monthOf, storedDay } from "../../app/usage/months.ts";
import type { Row } from "./copies.ts";

/** The ids that usage is counted by. The key at a place belongs to the member at the same place. */
export type Subjects = {
  readonly organizationId: string;
  readonly keys: readonly string[];
  readonly members: readonly string[];
  readonly devices: readonly string[];
};

/** Days and hours repeat after so many. */
const patterns = 10;
const jobsPerDay = 1_000;
const jobsPerBucket = 400;
const models = Array.from({ length: 8 }, (_, at) => `model-${String(at + 1)}b`);
const pricePerJob = 42n;

/** How far back each kind of row goes: as far as a page looks. */
const kept = { day: 90 * spans.day, hour: 8 * spans.day, short: 2 * spans.hour } as const;
const usedDays = 30;

/** Jobs of all keys and models, and of another tenth of the devices with each pattern. */
export function jobsOf({ keys, members, devices }: Subjects, pattern: number, count: number): EndedJob[] {
  return Array.from({ length: count }, (_, at): EndedJob => {
    const device = devices[(at + Math.floor((pattern * devices.length) / patterns)) % devices.length] ?? "";
    const group = `floor ${String(at % 12)}`;
    const runMs = 400 + ((at * 7_919) % 60_000);
    const failed = at % 50 === 49;
    const owner = at % keys.length;
    return {
      model: models[at % models.length] ?? "",
      key: keys[owner] ?? "",
      owner: { kind: "member", id: members[owner] ?? "" },
      lane: `chat ${models[at % models.length] ?? ""}`,
      outcome: failed ? "failed" : "succeeded",
      submittedAt: 0,
      waitMs: (at * 6_271) % 20_000,
      usage: failed ? null : { promptTokens: 200 + (at % 800), completionTokens: 50 + (at % 300) },
      micro: failed ? 0n : pricePerJob,
      energy: failed ? null : { microWh: 28_000, source: at % 3 === 0 ? "measured" : "estimated" },
      attempts: [
        {
          device,
          group,
          status: failed ? "failed" : "succeeded",
          isSteal: at % 9 === 0,
          startedAt: 0,
          endedAt: runMs,
        },
      ],
      earnings: failed ? [] : [{ device, group, micro: pricePerJob }],
    };
  });
}

/** The statistics that an organization has when it is counted up to `until`, as far back as pages look. */
export function* statisticsRows(subjects: Subjects, until: number): Generator<Row> {
  const [days, buckets] = [jobsPerDay, jobsPerBucket].map((count) =>
    Array.from({ length: patterns }, (_, at) => foldJobs(jobsOf(subjects, at, count))),
  ) as [Folded[], Folded[]];
  const end = { day: bucketOf(until, spans.day), hour: bucketOf(until, spans.hour), short: until };
  for (const span of ["day", "hour", "short"] as const) {
    const spanMs = spans[span];
    const of = span === "day" ? days : buckets;
    for (
      let startAt = bucketOf(until - kept[span], spanMs);
      startAt + spanMs <= end[span];
      startAt += spanMs
    ) {
      const folded = of[(startAt / spanMs) % patterns];
      for (const by of subjectKinds) {
        const tallies = folded?.[by] ?? [];
        yield row({ organizationId: subjects.organizationId, by, spanMs, startAt, subjects: tallies });
      }
    }
  }
}

/** How far those statistics are counted: up to `countedTo`. Owners are counted from the first of them on. */
export function progressRow({ organizationId }: Subjects, countedTo: number): Row {
  const [hoursTo, daysTo] = [bucketOf(countedTo, spans.hour), bucketOf(countedTo, spans.day)];
  return row({ organizationId, countedTo, hoursTo, daysTo, usageFrom: daysTo - kept.day });
}

/** The months of the organization. They are imported before its first job is counted there. */
export function* organizationMonths(subjects: Subjects, now: number): Generator<Row> {
  for (const month of monthRows(subjects, now, "all")) yield { ...month, subject: subjects.organizationId };
}

/** The months of its keys, members and devices. */
export function* subjectMonths(subjects: Subjects, now: number): Generator<Row> {
  for (const kind of ["key", "member", "device"] as const) yield* monthRows(subjects, now, kind);
}

/** The days of its members, by key and by model. */
export function* ownDays(subjects: Subjects, now: number): Generator<Row> {
  const { organizationId, members } = subjects;
  const jobs = jobsOf(subjects, 0, jobsPerDay);
  const byOwner = Map.groupBy(jobs, ({ owner }) => owner?.id ?? "");
  for (const owner of members) {
    const own = byOwner.get(owner) ?? [];
    const [keys, byModel] = [tallyEach("key", own), tallyEach("model", own)];
    for (const startAt of daysBefore(now))
      yield row({ organizationId, owner, startAt, keys, models: byModel });
  }
}

function* monthRows(subjects: Subjects, now: number, kind: SubjectKind): Generator<Row> {
  const tallies = Array.from({ length: patterns }, (_, at) =>
    tallyEach(kind, jobsOf(subjects, at, jobsPerDay)),
  );
  const byModel = Array.from({ length: patterns }, (_, at) =>
    kind === "device" ? tokensOfDevices(jobsOf(subjects, at, jobsPerDay)) : null,
  );
  const bySubject = new Map<string, DaySum[]>();
  for (const startAt of daysBefore(now)) {
    const pattern = (startAt / spans.day) % patterns;
    for (const { subject, tally } of tallies[pattern] ?? []) {
      const known = bySubject.get(subject);
      const sum = storedDay(daySumOf(startAt, tally, byModel[pattern]?.get(subject)));
      if (known === undefined) bySubject.set(subject, [sum]);
      else known.push(sum);
    }
  }
  for (const [subject, sums] of bySubject) {
    const byMonth = Map.groupBy(sums, (day) => monthOf(day.startAt));
    for (const [startAt, days] of byMonth)
      yield row({ organizationId: subjects.organizationId, subject, startAt, days });
  }
}

/** The whole days before today, oldest first. */
function daysBefore(now: number): readonly number[] {
  const today = bucketOf(now, spans.day);
  return Array.from({ length: usedDays }, (_, at) => today - (usedDays - at) * spans.day);
}

const depthSubjects = 10;

/** The depth of the queue in each minute of the last eight days, up to this hour: of all jobs, and of some models and keys. */
export function* depthRows({ organizationId, keys }: Subjects, now: number): Generator<Row> {
  const of = [
    { by: "all", subject: "" },
    ...models.map((subject) => ({ by: "model", subject })),
    ...keys.slice(0, depthSubjects).map((subject) => ({ by: "key", subject })),
  ];
  const thisHour = bucketOf(now, spans.hour);
  for (let startAt = thisHour - kept.hour; startAt < thisHour; startAt += spans.hour) {
    const samples = Array.from({ length: 60 }, (_, minute) => ({
      at: startAt + minute * 60_000,
      ready: minute % 7,
      waiting: minute % 3,
      running: minute % 11,
    }));
    for (const each of of) yield row({ organizationId, ...each, startAt, samples });
  }
}

/** A row as exports have it, with integers of 64 bits. */
export function row(fields: Readonly<Record<string, unknown>>): Row {
  return convexToJson(fields as Value) as Row;
}
