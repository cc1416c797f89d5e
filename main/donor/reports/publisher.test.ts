import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { known, sensedFacts, unknown } from "../../../app/facts/facts.ts";
import { away, donating, now } from "../../../app/policy/decide.fixture.ts";
import { effectiveRules, noOrganizationRules } from "../../../app/policy/rule-layers.ts";
import { defaultRules } from "../../../app/policy/rules.ts";
import { createSnapshotStore, type SnapshotStore } from "../../face/snapshot-store.ts";
import { DonorJournal } from "../../journal/donor-journal.ts";
import { readJournal } from "../../journal/read-journal.ts";
import { silentLog } from "../../log.ts";
import type { Readings } from "../../sensors/base/sensor.ts";
import type { Me } from "../organization/organization.ts";
import type { Settings } from "../settings.ts";
import { type PublishedDecision, Publisher } from "./publisher.ts";
import { initialSnapshot } from "./views.ts";

const settings: Settings = { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} };
const policy = effectiveRules({ base: defaultRules, donor: {}, organization: noOrganizationRules });
const sha256 = "a".repeat(64);
const me = {
  deviceId: "device",
  name: "a laptop",
  organizationName: "an office",
  models: [{ modelId: "m", sha256 }],
  heldBack: ["later"],
} as unknown as Me;
const decision: PublishedDecision = {
  activity: donating,
  recheckAt: now + 1_000,
  facts: { ...away, power: unknown },
  readings: Object.fromEntries(
    sensedFacts.map((name) => [name, { value: unknown, source: "a test", at: now }]),
  ) as unknown as Readings,
  needs: { facts: new Set(["power", "idleSeconds"]), programs: [], running: true },
  connection: "online",
  problem: null,
  settings,
  policy,
};

let folder: string;
let journal: DonorJournal;
let snapshot: SnapshotStore;
let told: unknown[];
let followed: string[];
let publisher: Publisher;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-publisher-"));
  journal = new DonorJournal(folder, () => decision.facts, silentLog);
  const program = { name: "a laptop", version: "1.0.0", shell: "headless" } as const;
  snapshot = createSnapshotStore(initialSnapshot(program, settings, policy, null));
  told = [];
  followed = [];
  const follow = (what: string) => () => {
    followed.push(what);
    return () => void followed.push(`no ${what}`);
  };
  publisher = new Publisher({
    organization: {
      report: async (report) => void told.push(report),
      reportModels: async (models) => void told.push({ models }),
      onEarnings: follow("earnings"),
      onHistory: follow("history"),
    },
    snapshot,
    journal,
    rolledBackVersion: null,
    log: silentLog,
    plans: { speed: () => ({ prefill: 10, generate: 5, backend: "cpu" }) },
  });
});
afterEach(async () => {
  publisher.stop();
  journal.stop();
  await rm(folder, { recursive: true });
});

it("publishes a decision to the panel and the journal, and to the organization once it knows the connection", async () => {
  publisher.decided(decision);
  expect(snapshot.get()).toMatchObject({
    activity: donating,
    recheckAt: now + 1_000,
    connection: "online",
    facts: { idleSeconds: known(600), power: unknown },
    factSources: { power: { source: "a test", at: now } },
  });
  expect(await readJournal(folder)).toMatchObject([
    { kind: "activity", activity: "donating", reason: "idle" },
  ]);
  expect(told).toEqual([]);
  publisher.greeted();
  const activity = { kind: "donating", reason: "idle" };
  await vi.waitFor(() => expect(told).toEqual([{ activity, unknownFacts: ["power"] }]));
});

it("publishes the state of models to all three, and their speeds only to the organization", async () => {
  publisher.greeted();
  const view = { modelId: "m", sizeBytes: 5, state: "ready" } as const;
  publisher.modelsChanged([view], me);
  expect(snapshot.get().models).toEqual([view]);
  expect(await readJournal(folder)).toMatchObject([{ kind: "model", modelId: "m", state: "ready" }]);
  const speed = { prefill: 10, generate: 5, backend: "cpu" };
  await vi.waitFor(() => expect(told).toEqual([{ models: [{ modelId: "m", state: "ready", speed }] }]));
});

it("shows the device's organization, and nothing after the device left it", () => {
  const said = { name: "list-refused", values: ["older", "kept"] };
  publisher.memberIs(me, { fingerprint: "AbCd", problem: "Refused.", said });
  expect(snapshot.get()).toMatchObject({
    organization: {
      name: "an office",
      keyFingerprint: "AbCd",
      problem: "Refused.",
      problemSaid: said,
      heldBack: ["later"],
    },
    device: { id: "device", name: "a laptop" },
  });
  publisher.memberIs(null, { fingerprint: "AbCd", problem: null, said: null });
  expect(snapshot.get()).toMatchObject({ organization: null, device: null });
});

it("keeps showing the known name of the organization that retired the device and does not tell its name anymore", () => {
  const trust = { fingerprint: "AbCd", problem: null, said: null };
  const retired = { ...me, status: "retired", organizationName: null } as Me;
  publisher.memberIs(retired, trust);
  expect(snapshot.get()).toMatchObject({ organization: null, device: { id: "device" } });
  publisher.memberIs(me, trust);
  publisher.memberIs(retired, trust);
  expect(snapshot.get()).toMatchObject({ organization: { name: "an office" }, device: { id: "device" } });
});

it("follows the earnings of an enrolled device until it stops", () => {
  publisher.decided(decision);
  expect(followed).toEqual([]);
  publisher.enrolled();
  expect(followed.toSorted()).toEqual(["earnings", "history"]);
  publisher.stop();
  expect(followed).toContain("no earnings");
  expect(followed).toContain("no history");
});
