import { join } from "node:path";
import type { PanelHandlers } from "../../app/contract/ipc.ts";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { assertNever } from "../../app/assert-never.ts";
import type { Activity, Effect } from "../../app/policy/decision.ts";
import type { Facts } from "../../app/policy/facts.ts";
import { defaultRules, type Rules } from "../../app/policy/rules.ts";
import { ModelMeasuring } from "../control/measure-models.ts";
import { openControl } from "../control/open-control.ts";
import { DonorJournal } from "../journal/donor-journal.ts";
import { errorName, type Log } from "../log.ts";
import { ModelCatalogue } from "../models/catalogue.ts";
import { openModels } from "../models/models.ts";
import { fetchModel } from "../models/fetch-model.ts";
import { removeModel } from "../models/remove-model.ts";
import { RunningModels } from "../models/running-models.ts";
import { createPanelHandlers } from "../panel-handlers.ts";
import type { SpawnRunner } from "../runner/child.ts";
import { cudaEnvironment } from "../runner/cuda-folder.ts";
import { gpuEnvironment } from "../runner/gpu-environment.ts";
import { memoryForModels } from "../runner/memory-for-models.ts";
import { ModelKnowledge } from "../runner/model-knowledge.ts";
import { ModelPlans } from "../runner/model-plans.ts";
import { RunnerSupervisor } from "../runner/supervisor.ts";
import { runnerThreads } from "../runner/threads.ts";
import type { OwnCpuTime } from "../sensors/cpu-load.ts";
import { gatherFacts } from "../sensors/facts.ts";
import type { IdleSensor } from "../sensors/idle.ts";
import { neededBy } from "../sensors/needed.ts";
import { ownCpuTime } from "../sensors/own-cpu-time.ts";
import { platformSensors } from "../sensors/platform-sensors.ts";
import type { Sensor } from "../sensors/sensor.ts";
import { createSnapshotStore, type SnapshotStore } from "../snapshot-store.ts";
import { lockFolder } from "../store/folder-lock.ts";
import { StartRefusal } from "../store/start-refusal.ts";
import { type Connection, followConnection, notConnected } from "../worker/connection.ts";
import { ActivityReport } from "./activity-report.ts";
import { connect } from "./connect.ts";
import { ConnectionGrace } from "./connection-grace.ts";
import { DonatedWork } from "./donated-work.ts";
import { openPolicy } from "./donor-policy.ts";
import { EarningsFeed } from "./earnings-feed.ts";
import { Enrolling } from "./enrolling.ts";
import { FirstLook } from "./first-look.ts";
import { openIdentity } from "./identity.ts";
import { InputWatch } from "./input-watch.ts";
import { DonorLoop, type WakeReason } from "./loop.ts";
import { Member } from "./member.ts";
import { membershipOf } from "./membership.ts";
import { organizationOf } from "./organization.ts";
import { ModelReport, reportedModels } from "./model-report.ts";
import { watchForReturn } from "./return-watch.ts";
import { openSettings } from "./settings.ts";
import { unknownFacts } from "./unknown-facts.ts";
import { factsView, initialSnapshot, settingsView, sourcesView } from "./views.ts";

export type DonorOptions = {
  /** The donor's own folder: device.json and settings.json live there. */
  readonly dataDir: string;
  readonly backendUrl: string;
  /** What the organization calls this device. */
  readonly name: string;
  readonly version: string;
  readonly shell: DonorSnapshot["shell"];
  readonly spawnRunner: SpawnRunner;
  readonly idle: IdleSensor;
  /** Sources of facts that only the shell has: asked before all others. */
  readonly shellSensors?: readonly Sensor[];
  /** CPU time of this program and its runner, where the shell knows it: asked on other systems than Linux. */
  readonly ownCpuTime?: OwnCpuTime;
  /** Model files that came with the program. */
  readonly bundledModels: readonly ModelFile[];
  /** This start's own defaults, e.g. `requireIdle: false` for a machine at which nobody sits. */
  readonly baseRules?: Partial<Rules>;
  readonly webSocketConstructor?: typeof WebSocket;
  readonly log: Log;
  readonly onQuit: () => void;
};

/** A running donor, as a shell (Electron's or the headless one) holds it. */
export type Donor = {
  readonly handlers: PanelHandlers;
  readonly snapshot: SnapshotStore;
  /** Something happened that only the shell hears of: `power`, `lock`, `input`. */
  readonly wake: (reason: WakeReason) => void;
  /** Gives jobs back, says goodbye, ends the runner: within 2.5 s. */
  readonly stop: () => Promise<void>;
};

/** How long jobs and goodbye may take at the end. */
const leaveWithinMs = 2_000;

/** Starts the donor, alone in its folder. Throws a `StartRefusal` where that cannot be. */
export async function startDonor(options: DonorOptions): Promise<Donor> {
  const lock = await lockFolder(options.dataDir).catch((error: unknown) => {
    throw refusalOfFolder(options.dataDir, error);
  });
  try {
    const donor = await assembleDonor(options);
    return { ...donor, stop: () => donor.stop().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw refusalOfFolder(options.dataDir, error);
  }
}

/** What the file system refuses, its person can do something about. */
function refusalOfFolder(folder: string, error: unknown): unknown {
  if (error instanceof StartRefusal || !(error instanceof Error) || !("syscall" in error)) return error;
  const path = (error as NodeJS.ErrnoException).path ?? folder;
  return path.startsWith(folder)
    ? new StartRefusal(
        `${path} cannot be used (${error.message}). Make room for it, or choose another folder.`,
        {
          cause: error,
        },
      )
    : error;
}

/** Whether it lets go, or stands still, at the next input. Asked for by its person, it goes on under their hands. */
function yieldsToInput(activity: Activity): boolean {
  if (activity.kind === "holding" || activity.limits.stillSince !== null) return false;
  return ["idle", "within-limits", "finishing"].includes(activity.reason);
}

/** Builds the donor out of its parts and starts it. */
async function assembleDonor(options: DonorOptions): Promise<Donor> {
  const { log } = options;
  const identity = await openIdentity(join(options.dataDir, "device.json"), log);
  const settings = await openSettings(join(options.dataDir, "settings.json"), log);
  const policy = await openPolicy({
    path: join(options.dataDir, "policy.json"),
    base: { ...defaultRules, ...options.baseRules },
    own: () => settings.current().rules,
    log,
  });
  const rules = (): Rules => policy.current().rules;
  const threads = await runnerThreads();

  const runner: RunnerSupervisor = new RunnerSupervisor(
    () =>
      options.spawnRunner({
        ...gpuEnvironment(work.deniedGpus),
        ...cudaEnvironment(options.dataDir, process.env),
      }),
    log,
  );
  const knowledge = await ModelKnowledge.open(join(options.dataDir, "models.json"), log);
  const plans = new ModelPlans({
    ...{ knowledge, threads, log },
    inspect: (model) => runner.inspect(model),
    memoryBytes: () => memoryForModels(runner.pid),
    sequences: process.env["GLEANER_SEQUENCES"],
  });
  const catalogue = new ModelCatalogue(log);
  const { deviceKey } = identity.current();
  const client = connect(options.backendUrl, options.webSocketConstructor);
  const organization = organizationOf(client, deviceKey, log);
  const measured = ownCpuTime(() => runner.pid);
  const ownTime = process.platform === "linux" ? measured : (options.ownCpuTime ?? measured);
  const sensors = gatherFacts({
    idle: options.idle,
    others: platformSensors({
      platform: process.platform,
      env: process.env,
      dataDir: options.dataDir,
      ownCpuTime: ownTime,
      runnerPid: () => runner.pid,
      shell: options.shellSensors ?? [],
    }),
  });
  const snapshot = createSnapshotStore(
    initialSnapshot(options, settings.current(), policy.current(), identity.current().enrolment),
  );
  const grace = new ConnectionGrace(() => loop.wake("connection"));
  const earnings = new EarningsFeed(organization, snapshot);
  const reports = new ActivityReport(organization, log);
  const modelReports = new ModelReport(organization, log);
  const member = new Member(organization, onMember);
  let connection: Connection = notConnected;

  const running = new RunningModels(() => runner.pid !== undefined);
  const models = await openModels({
    ...{ folder: join(options.dataDir, "models"), catalogue, log },
    pieces: (sha256) => organization.modelPieces(sha256),
    running: () => running.now(),
    onChange: showModels,
  });
  const journal = new DonorJournal(options.dataDir, () => facts(), log);
  const work: DonatedWork = new DonatedWork({
    ...{ client, deviceKey, runner, catalogue, threads, plans, log },
    version: options.version,
    wanted: () => member.me?.models ?? [],
    onUse: (sha256) => {
      running.used(sha256);
      models.store.used(sha256);
    },
    onWork: (view) => snapshot.update({ work: view }),
    onGreeted: () => {
      reports.greeted();
      modelReports.greeted();
    },
    around: (handler) => journal.jobsOf(handler),
  });
  const onEnrolled = (): void => {
    member.enrolled();
    earnings.enrolled();
  };
  const enrolling = new Enrolling({
    organization,
    identity,
    name: options.name,
    connected: () => connection.connected,
    onEnrolled: () => {
      onEnrolled();
      loop.wake("enrolment");
    },
    log,
  });

  const facts = (): Facts => {
    const now = Date.now();
    const { pause, donateNowUntil, finishThenPause } = settings.current();
    return {
      now,
      ...sensors.read(),
      connection: grace.fact,
      membership: membershipOf(identity.current().enrolment, member),
      pause,
      finishThenPause,
      donateNowUntil,
      modelReady: work.usableModels.length > 0,
    };
  };
  const input = new InputWatch(options.idle, () => loop.wake("input"));
  const loop = new DonorLoop({
    facts,
    rules,
    perform,
    onLook: (activity, seen, recheckAt) => {
      const { requireIdle, inUse } = rules();
      // A download that waits for an idle network gives it back at the first input, too.
      const yieldsNetwork = models.store.active !== null && requireIdle && inUse.mode === "off";
      input.watch(yieldsToInput(activity) || yieldsNetwork);
      const needs = neededBy(rules(), activity.kind === "donating");
      sensors.need(needs);
      reports.setActivity(activity, unknownFacts(seen, needs));
      journal.looked(activity, seen);
      if (activity.kind === "holding") pauseIfAsked();
      earnings.follow(seen.now);
      const readings = sensors.readings();
      snapshot.update({
        activity,
        recheckAt,
        facts: factsView(seen, readings),
        factSources: sourcesView(readings),
        connection: connection.connected ? "online" : first.everConnected ? "offline" : "connecting",
        ...settingsView(settings.current(), policy.current(), seen.now),
      });
      models.look(seen, rules());
      showModels();
    },
    log,
  });

  const first = new FirstLook({
    connected: () => connection.connected,
    known: () => member.me !== null || member.unknownHere || identity.current().enrolment === null,
    begin: () => loop.start(),
  });

  /** Where the organization's models stand here, to all who want to know. */
  function showModels(): void {
    const views = (member.me?.models ?? []).map((model) => models.store.view(model));
    snapshot.update({ models: views });
    journal.models(views);
    modelReports.setModels(reportedModels(views, member.me, (sha256) => plans.speed(sha256)));
  }

  /** Of "finish, then pause": nothing runs any more. */
  function pauseIfAsked(): void {
    if (!settings.current().finishThenPause) return;
    const paused = { finishThenPause: false, donateNowUntil: null, pause: { until: null } };
    const saved = settings.change(paused);
    saved.catch((error: unknown) => log("error", "settings.not-saved", { error: errorName(error) }));
    loop.wake("settings");
  }

  function perform(effect: Effect): void {
    switch (effect.kind) {
      case "accept":
        work.accept(effect.limits);
        return;
      case "limit":
        work.limit(effect.limits);
        return;
      case "finish":
        void work.finish().then(pauseIfAsked);
        return;
      case "yield": {
        const startedAt = performance.now();
        void work.yield(effect.reason, rules().modelWarmSeconds).then(() => {
          const tookMs = Math.round(performance.now() - startedAt);
          log("info", "donor.yielded", { reason: effect.reason, tookMs });
        });
        return;
      }
      default:
        return assertNever(effect);
    }
  }

  function onConnection(next: Connection): void {
    connection = next;
    grace.update(next);
    if (first.consider()) loop.wake("connection");
  }

  function onMember(): void {
    const { me } = member;
    if (me !== null) {
      snapshot.update({
        organization: { name: me.organizationName },
        device: { id: me.deviceId, name: me.name },
      });
      policy.organizationSays(me.policy);
      models.offer(me.models, me.sharing);
      void enrolling.remember(me);
    } else {
      snapshot.update({ organization: null, device: null });
    }
    work.wantedChanged(me?.status === "active");
    if (first.consider()) loop.wake("enrolment");
  }

  catalogue.onChange(() => {
    work.modelsChanged();
    models.store.filesChanged();
    loop.wake("models");
  });
  journal.start(options.version);
  for (const file of options.bundledModels) void catalogue.add(file);
  await sensors.start(neededBy(rules(), false), () => loop.wake("sample"));
  const unfollow = followConnection(client, onConnection);
  if (identity.current().enrolment !== null) onEnrolled();

  const changes = { settings, policy: policy.current, onSettings: () => loop.wake("settings"), log };
  const handlers = createPanelHandlers({
    ...changes,
    snapshot,
    refreshFacts: () => sensors.sampleAll(rules().excludedPrograms),
    enroll: (code) => enrolling.enroll(code),
    quit: options.onQuit,
  });
  const control = await openControl(
    {
      ...{ folder: options.dataDir, snapshot, panel: handlers },
      measuring: new ModelMeasuring({
        ...{ runner, plans, snapshot },
        models: () => work.usableModels,
        watchForReturn: (onReturn) => watchForReturn(options.idle, onReturn),
      }),
      readings: async () => {
        await sensors.sampleAll(rules().excludedPrograms);
        return sensors.readings();
      },
      models: {
        list: () => models.store.list().map((model) => ({ ...model, speed: plans.speed(model.sha256) })),
        remove: (modelId) => removeModel(models.store, modelId),
        fetch: (modelId) => fetchModel(models.store, modelId),
      },
    },
    log,
  );

  return {
    handlers,
    snapshot,
    wake: (reason) => {
      if (reason === "power") void sensors.sample("power", "batteryPercent");
      loop.wake(reason);
    },
    stop: async () => {
      await control.close();
      first.stop();
      catalogue.stop();
      loop.stop();
      input.watch(false);
      sensors.stop();
      grace.stop();
      earnings.stop();
      reports.stop();
      modelReports.stop();
      member.stop();
      unfollow();
      await Promise.all([work.stop(leaveWithinMs), models.stop()]);
      await knowledge.flush();
      journal.stop();
      await Promise.race([client.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
    },
  };
}
