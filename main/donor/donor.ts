import { join } from "node:path";
import { refused } from "../../app/contract/donor-calls.ts";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import type { Facts } from "../../app/facts/facts.ts";
import { noManagedSettings } from "../../app/managed/managed-settings.ts";
import { defaultRules, type Rules } from "../../app/policy/rules.ts";
import { answerCalls, type DonorHandlers } from "../face/answer-call.ts";
import { createDonorHandlers } from "../face/handlers.ts";
import { openLocalSocket } from "../face/local-socket/server.ts";
import { createSnapshotStore, type SnapshotStore } from "../face/snapshot-store.ts";
import { DonorJournal } from "../journal/donor-journal.ts";
import { ModelCatalog } from "../models/catalog.ts";
import { openModels } from "../models/models.ts";
import { RunningModels } from "../models/running-models.ts";
import { neededBy } from "../sensors/base/sensor.ts";
import { factsOfThisComputer } from "../sensors/this-computer.ts";
import { dataNames } from "../store/data-names.ts";
import { lockFolder } from "../store/folder-lock.ts";
import { refusalOfFolder } from "../store/folder-refusal.ts";
import { StartRefusal } from "../store/start-refusal.ts";
import { ModelBenchmark } from "../supervisor/model-benchmark.ts";
import { openRunner } from "../supervisor/open-runner.ts";
import { type Comfort, openComfort } from "./comfort/comfort.ts";
import { ComfortReport } from "./comfort/comfort-report.ts";
import type { DonorOptions } from "./donor-options.ts";
import { openPolicy } from "./donor-policy.ts";
import { pauseIfRequested } from "./finish-then-pause.ts";
import { InputWatch } from "./input/input-watch.ts";
import { watchForReturn } from "./input/return-watch.ts";
import { yieldsToInput } from "./input/yields-to-input.ts";
import { Deregistration } from "./leave/deregistration.ts";
import { eraseData } from "./leave/erase-data.ts";
import { DonorLoop } from "./loop.ts";
import { Membership } from "./organization/membership.ts";
import { openOrganization } from "./organization/open-organization.ts";
import type { Me } from "./organization/organization.ts";
import { PolicyPreviews } from "./organization/policy-previews.ts";
import { performEffect } from "./perform-effect.ts";
import { PastJobs } from "./reports/past-jobs.ts";
import { Publisher } from "./reports/publisher.ts";
import { thisComputer } from "./reports/this-computer.ts";
import { initialSnapshot } from "./reports/views.ts";
import { openSettings } from "./settings.ts";
import { StartGate } from "./start-gate.ts";
import { DonatedWork } from "./work/donated-work.ts";
import { EnergyWatch } from "./work/energy-watch.ts";
import { FreeVram, sightOf } from "./work/free-vram.ts";
import { GpuWatch } from "./work/gpu-watch.ts";

/** A running donor, for its shell: Electron or headless. */
export type Donor = {
  readonly handlers: DonorHandlers;
  readonly snapshot: SnapshotStore;
  /** Whether device.json has an enrollment. The backend may have forgotten it. */
  readonly hasEnrollment: () => boolean;
  /** Call this when the computer wakes up from sleep, which only the shell hears. */
  readonly resumed: () => void;
  /** Releases jobs, says goodbye and ends the runner, within 2.5 s. */
  readonly stop: () => Promise<void>;
};

/** The time limit for releasing jobs and saying goodbye. */
const goodbyeWithinMs = 2_000;

/**
 * Starts the donor and locks its folder. Throws a `StartRefusal` if another program holds the lock or the
 * folder cannot be used.
 */
export async function startDonor(options: DonorOptions): Promise<Donor> {
  const lock = await lockFolder(options.dataDir).catch((error: unknown) => {
    throw refusalOfFolder(options.dataDir, error);
  });
  try {
    const donor = await assembleDonor(options);
    const stop = async (): Promise<void> => {
      try {
        await donor.stop();
      } finally {
        await lock.release();
      }
    };
    return { ...donor, stop };
  } catch (error) {
    await lock.release();
    throw refusalOfFolder(options.dataDir, error);
  }
}

/** Composes the donor and starts it. */
async function assembleDonor(options: DonorOptions): Promise<Donor> {
  const { managed = noManagedSettings, log } = options;
  if (managed.requireKeychain === true && options.keyVault === null) {
    throw new StartRefusal(startSentence("keychain-required"));
  }
  const opened = await openOrganization(options);
  const { identity, organization, client } = opened;
  const settings = await openSettings(join(options.dataDir, dataNames.settings), log);
  const policy = await openPolicy({
    path: join(options.dataDir, dataNames.policy),
    base: { ...defaultRules, ...options.baseRules },
    own: () => settings.current().rules,
    managed: managed.rules,
    log,
  });
  const ownRules = (): Rules => policy.current().rules;

  const modelsFolder = join(options.dataDir, dataNames.models);
  const { runner, plans, knowledge, threads } = await openRunner({
    dataDir: options.dataDir,
    spawnRunner: options.spawnRunner,
    models: [modelsFolder, ...options.bundledModels.map(({ path }) => path)],
    log,
    deniedGpus: () => work.deniedGpus,
    memory: () => ({ found: sensors.read().memoryFreeMb, leaveMb: ownRules().minFreeMemoryMb }),
    gpu: { vramMb: () => freeVram.mb, look: () => freeVram.look() },
    // The last sample may be old and exclude the memory that the process held.
    onEnded: () => {
      void sensors.sample("memoryFreeMb");
      // The supervisor forgets the process after this call.
      setImmediate(() => gpuWatch.runnerEnded());
    },
    onRested: () => work.runnerRested(),
    onConfined: (confinement) => snapshot.update({ confinement }),
  });
  const comfort: Comfort = await openComfort({
    path: join(options.dataDir, dataNames.comfort),
    mostThreads: threads,
    onHour: () => {
      snapshot.update({ comfort: comfort.view });
      comfortReport.hourEnded();
    },
    onTightened: (tightening) => {
      log("info", "comfort.tightened", { step: tightening.step, broken: tightening.cause?.part ?? null });
      journal.tightened(tightening);
      snapshot.update({ comfort: comfort.view });
      loop.wake("comfort");
    },
    log,
  });
  /** The rules in force: as tight as the comfort of the last hours demands. */
  const rules = (): Rules => comfort.narrow(ownRules());
  const catalog = new ModelCatalog(log);
  const { deviceKey, signer } = identity.current();
  const sensors = factsOfThisComputer({
    dataDir: options.dataDir,
    idle: options.idle,
    shellSensors: options.shellSensors ?? [],
    ownCpuTime: options.ownCpuTime,
    runnerPid: () => runner.pid,
    log,
  });
  const snapshot = createSnapshotStore({
    ...initialSnapshot(options, settings.current(), policy.current(), identity.current().enrollment),
    keyStorage: identity.keyStorage,
    comfort: comfort.view,
  });
  const membership: Membership = new Membership({
    options,
    opened,
    onConnection: () => {
      if (startGate.update()) loop.wake("connection");
    },
    onMember,
    onEnrolled: () => {
      publisher.enrolled();
      previews.follow();
    },
    wake: (reason) => loop.wake(reason),
  });

  const running = new RunningModels(() => runner.pid !== undefined);
  const models = await openModels({
    folder: modelsFolder,
    catalog,
    log,
    pieces: (sha256) => organization.modelPieces(sha256),
    running: () => running.now(),
    onChange: showModels,
  });
  const gpuWatch = new GpuWatch({
    isRunning: () => runner.pid !== undefined,
    sample: () => sensors.need(neededBy(rules(), true)),
    onChange: () => loop.wake("sample"),
  });
  const freeVram = new FreeVram({
    look: async () => sightOf(await sensors.lookAtGpu(), rules(), runner.pid !== undefined),
    isAllowed: () => membership.me?.limits?.gpu !== false,
    isWanted: () => work.wantsGpu,
    onChange: () => work.gpuChanged(),
  });
  const journal = new DonorJournal(options.dataDir, () => facts(), log);
  const { rolledBackVersion = null } = options;
  const publisher = new Publisher({ organization, snapshot, journal, plans, rolledBackVersion, log });
  const previews = new PolicyPreviews({
    organization,
    dataDir: options.dataDir,
    rules: ownRules,
    rulesUnder: policy.under,
    log,
  });
  const comfortReport = new ComfortReport({ organization, comfort, log });
  const energy = new EnergyWatch({
    hardware: () => work.hardware,
    idle: () => options.idle.sample(),
    cardJoules: () => runner.cardJoules(),
    isRunning: () => runner.pid !== undefined,
    power: () => facts().power,
  });
  const work: DonatedWork = new DonatedWork({
    client,
    deviceKey,
    runner,
    catalog,
    threads,
    plans,
    log,
    version: options.version,
    wanted: () => membership.me?.models ?? [],
    onUse: (sha256) => {
      running.used(sha256);
      models.store.used(sha256);
    },
    usedAt: (sha256) => models.store.usedAt(sha256),
    aroundWarmUp: async ({ sha256 }, load) => {
      running.used(sha256);
      await gpuWatch.during(load);
    },
    onWork: (view) => snapshot.update({ work: view }),
    onGreeted: () => {
      publisher.greeted();
      comfortReport.greeted();
    },
    around: (handler) =>
      signer.signed(journal.jobsOf(gpuWatch.checked(energy.metered(handler))), () => {
        const { deviceId = "", resultVersion = 1 } = membership.me ?? {};
        return { deviceId, resultVersion };
      }),
  });
  const facts = (): Facts => {
    const now = Date.now();
    const { pause, donateNowUntil, finishThenPause } = settings.current();
    return {
      now,
      ...sensors.read(),
      ...membership.facts,
      pause,
      finishThenPause,
      donateNowUntil,
      gpuSampled: gpuWatch.isSampled,
      modelReady: work.usableModels.length > 0,
    };
  };
  /** The longest time between an input and its decision, in ms. 0: no input led to this decision. */
  let noticedWithinMs = 0;
  const input = new InputWatch(
    options.idle,
    (withinMs) => {
      noticedWithinMs = withinMs;
      loop.wake("input");
      noticedWithinMs = 0;
    },
    (lateMs) => comfort.delayed(lateMs, snapshot.get().work !== null),
  );
  const loop = new DonorLoop({
    facts,
    rules,
    perform: (effect) => {
      const { modelWarmSeconds } = rules();
      const noticedMs = noticedWithinMs;
      const onStopped = (tookMs: number): void => comfort.yielded(noticedMs + tookMs);
      performEffect(effect, { work, modelWarmSeconds, onFinished, onStopped, log });
      if (effect.kind === "accept")
        void (effect.limits.gpu ? freeVram.look() : Promise.resolve()).then(() => work.warmUp());
    },
    onDecision: (activity, seen, recheckAt) => {
      input.watch(yieldsToInput(activity, models.store.downloads.active !== null, rules()), seen.idleSeconds);
      if (activity.kind === "donating" && seen.gpuSampled) {
        const isRunning = runner.pid !== undefined;
        const isFree = activity.limits.gpuHeldBy === undefined;
        freeVram.saw({ freeMb: seen.vramFreeMb, isRunning, isFree });
      }
      comfort.decided(activity, seen, rules());
      const needs = neededBy(rules(), gpuWatch.isNeeded);
      void sensors.need(needs);
      if (activity.kind === "standby") onFinished();
      publisher.decided({
        activity,
        recheckAt,
        facts: seen,
        needs,
        readings: sensors.readings(),
        connection: membership.isConnected ? "online" : startGate.everConnected ? "offline" : "connecting",
        problem: membership.problem,
        settings: settings.current(),
        policy: policy.current(),
      });
      models.update(seen, rules());
      showModels();
    },
    log,
  });

  const startGate = new StartGate({
    connected: () => membership.isConnected,
    known: () => membership.isKnown,
    begin: () => loop.start(),
  });

  function showModels(): void {
    const { me } = membership;
    const views = (me?.models ?? []).map((model) => models.store.view(model));
    publisher.modelsChanged(views, me);
  }

  /** The last job has ended. */
  function onFinished(): void {
    if (pauseIfRequested(settings, log)) loop.wake("settings");
  }

  function onMember(me: Me | null): void {
    publisher.memberIs(me, opened.catalogTrust);
    if (me !== null) {
      policy.organizationSays(me.policy);
      models.offer(me.models, me.sharing);
    }
    freeVram.update();
    work.wantedChanged(membership.isWanted);
    if (startGate.update()) loop.wake("enrollment");
  }

  catalog.onChange(() => {
    work.modelsChanged();
    models.store.filesChanged();
    loop.wake("models");
  });
  journal.start(options.version);
  for (const file of options.bundledModels) void catalog.add(file);
  await sensors.start(neededBy(rules(), false), () => loop.wake("sample"));
  membership.start();

  const benchmark = new ModelBenchmark({
    runner,
    plans,
    snapshot,
    models: () => work.usableModels,
    watchForReturn: (onReturn) => watchForReturn(options.idle, onReturn),
  });
  let halted: Promise<void> | null = null;
  /** Gives the jobs back, and ends everything but the connection and the terminal's socket. */
  const halt = (): Promise<void> =>
    (halted ??= (async () => {
      startGate.stop();
      catalog.stop();
      loop.stop();
      input.watch(false);
      freeVram.stop();
      sensors.stop();
      energy.stop();
      publisher.stop();
      comfortReport.stop();
      previews.stop();
      membership.stop();
      await Promise.all([work.stop(goodbyeWithinMs), models.stop()]);
      journal.stop();
      await Promise.all([knowledge, settings, policy, comfort, identity].map((store) => store.close()));
    })());
  const deregistration = new Deregistration({
    organization: () => identity.current().enrollment?.organizationName ?? null,
    device: () => snapshot.get().device?.name ?? options.name,
    halt,
    tell: () => organization.leave(),
    erase: () => eraseData(options.dataDir, log),
    onLeft: options.onLeft,
    log,
  });
  const ownHandlers = createDonorHandlers({
    folder: options.dataDir,
    snapshot,
    settings,
    policy: policy.current,
    onSettings: () => loop.wake("settings"),
    refreshFacts: () => sensors.sampleAll(rules().excludedPrograms),
    readings: () => sensors.readings(),
    computer: () =>
      thisComputer({
        backendUrl: options.backend.url,
        gpuMemoryMb: plans.vramMb,
        speeds: models.store.list().flatMap(({ sha256 }) => plans.speed(sha256) ?? []),
      }),
    models: {
      list: () =>
        models.store.list().map((model) => ({
          ...model,
          isBundled: models.store.isBundled(model),
          speed: plans.speed(model.sha256),
        })),
      remove: models.remove,
      fetch: models.fetch,
    },
    pastJobs: new PastJobs({ organization, isConnected: () => membership.isConnected, log }),
    bench: (modelId, gone) => benchmark.measure(modelId, gone),
    enroll: (code) => membership.enroll(code),
    leave: () => deregistration.leave(),
    restartToUpdate: options.restartToUpdate ?? (() => refused("This donor does not update itself.")),
    quit: options.onQuit,
    log,
  });
  const handlers = deregistration.guarded(ownHandlers);
  const socket = await openLocalSocket(options.dataDir, answerCalls("terminal", handlers, log), log);

  return {
    handlers,
    snapshot,
    hasEnrollment: () => identity.current().enrollment !== null,
    resumed: () => {
      void sensors.sample("power", "batteryPercent");
      loop.wake("power");
    },
    stop: async () => {
      await socket.close();
      await halt();
      await Promise.race([client.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
    },
  };
}
