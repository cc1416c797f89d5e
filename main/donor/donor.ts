import { join } from "node:path";
import { type Connection, followConnection, notConnected } from "@gleaner/queue/worker";
import type { Facts } from "../../app/facts/facts.ts";
import { defaultRules, type Rules } from "../../app/policy/rules.ts";
import { keyFingerprint } from "../../app/signatures/catalog.ts";
import { pinnedWebSocket } from "../connection/pinned-web-socket.ts";
import { answerCalls, type DonorHandlers } from "../face/answer-call.ts";
import { createDonorHandlers } from "../face/handlers.ts";
import { openLocalSocket } from "../face/local-socket/server.ts";
import { createSnapshotStore, type SnapshotStore } from "../face/snapshot-store.ts";
import { DonorJournal } from "../journal/donor-journal.ts";
import { errorName } from "../log.ts";
import { ModelCatalog } from "../models/catalog.ts";
import { openModels } from "../models/models.ts";
import { RunningModels } from "../models/running-models.ts";
import { neededBy } from "../sensors/base/sensor.ts";
import { factsOfThisComputer } from "../sensors/this-computer.ts";
import { lockFolder } from "../store/folder-lock.ts";
import { refusalOfFolder } from "../store/folder-refusal.ts";
import { ModelBenchmark } from "../supervisor/model-benchmark.ts";
import { openRunner } from "../supervisor/open-runner.ts";
import type { DonorOptions } from "./donor-options.ts";
import { openPolicy } from "./donor-policy.ts";
import { pauseIfRequested } from "./finish-then-pause.ts";
import { InputWatch } from "./input/input-watch.ts";
import { watchForReturn } from "./input/return-watch.ts";
import { yieldsToInput } from "./input/yields-to-input.ts";
import { DonorLoop } from "./loop.ts";
import { CatalogTrust } from "./organization/catalog-trust.ts";
import { ConnectionGrace } from "./organization/connection-grace.ts";
import { Enrollment } from "./organization/enrollment.ts";
import { isInService, Member, membershipOf } from "./organization/member.ts";
import { connectOrganization, openClient } from "./organization/organization.ts";
import { ServerKey } from "./organization/server-key.ts";
import { openTrustedIdentity } from "./organization/trusted-identity.ts";
import { performEffect } from "./perform-effect.ts";
import { Publisher } from "./reports/publisher.ts";
import { initialSnapshot } from "./reports/views.ts";
import { openSettings } from "./settings.ts";
import { StartGate } from "./start-gate.ts";
import { DonatedWork } from "./work/donated-work.ts";

/** A running donor, for its shell: Electron or headless. */
export type Donor = {
  readonly handlers: DonorHandlers;
  readonly snapshot: SnapshotStore;
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
    return { ...donor, stop: () => donor.stop().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw refusalOfFolder(options.dataDir, error);
  }
}

/** Composes the donor and starts it. */
async function assembleDonor(options: DonorOptions): Promise<Donor> {
  const { log } = options;
  const { identity, trust: backendTrust } = await openTrustedIdentity(
    join(options.dataDir, "device.json"),
    options.backend,
    log,
  );
  const settings = await openSettings(join(options.dataDir, "settings.json"), log);
  const policy = await openPolicy({
    path: join(options.dataDir, "policy.json"),
    base: { ...defaultRules, ...options.baseRules },
    own: () => settings.current().rules,
    log,
  });
  const rules = (): Rules => policy.current().rules;

  const modelsFolder = join(options.dataDir, "models");
  const { runner, plans, knowledge, threads } = await openRunner({
    dataDir: options.dataDir,
    spawnRunner: options.spawnRunner,
    models: [modelsFolder, ...options.bundledModels.map(({ path }) => path)],
    log,
    deniedGpus: () => work.deniedGpus,
    memory: () => ({ found: sensors.read().memoryFreeMb, leaveMb: rules().minFreeMemoryMb }),
    // The last sample may be old and exclude the memory that the process held.
    onEnded: () => void sensors.sample("memoryFreeMb"),
    onConfined: (confinement) => snapshot.update({ confinement }),
  });
  const catalog = new ModelCatalog(log);
  const { deviceKey, signer } = identity.current();
  const trust = new CatalogTrust({
    pinned: () => identity.current().organizationKey,
    pin: (key) => {
      log("info", "organization-key.accepted", { key: keyFingerprint(key.publicKey), version: key.version });
      identity.pin(key).catch((error: unknown) => {
        log("error", "identity.not-saved", { error: errorName(error) });
      });
    },
    log,
  });
  const serverKey = new ServerKey(log);
  const webSocket =
    backendTrust.pin === null || !options.backend.url.startsWith("https:")
      ? options.webSocketConstructor
      : pinnedWebSocket(backendTrust.pin, (key) => serverKey.seen(key));
  const client = openClient(options.backend.url, webSocket);
  const organization = connectOrganization(client, identity.current(), trust, log);
  const sensors = factsOfThisComputer({
    dataDir: options.dataDir,
    idle: options.idle,
    shellSensors: options.shellSensors ?? [],
    ownCpuTime: options.ownCpuTime,
    runnerPid: () => runner.pid,
  });
  const snapshot = createSnapshotStore(
    initialSnapshot(options, settings.current(), policy.current(), identity.current().enrollment),
  );
  const grace = new ConnectionGrace(() => loop.wake("connection"));
  const member = new Member(organization, onMember);
  let connection: Connection = notConnected;

  const running = new RunningModels(() => runner.pid !== undefined);
  const models = await openModels({
    folder: modelsFolder,
    catalog,
    log,
    pieces: (sha256) => organization.modelPieces(sha256),
    running: () => running.now(),
    onChange: showModels,
  });
  const journal = new DonorJournal(options.dataDir, () => facts(), log);
  const publisher = new Publisher({ organization, snapshot, journal, plans, log });
  const work: DonatedWork = new DonatedWork({
    client,
    deviceKey,
    runner,
    catalog,
    threads,
    plans,
    log,
    version: options.version,
    wanted: () => member.me?.models ?? [],
    onUse: (sha256) => {
      running.used(sha256);
      models.store.used(sha256);
    },
    onWork: (view) => snapshot.update({ work: view }),
    onGreeted: () => publisher.greeted(),
    around: (handler) => signer.signed(journal.jobsOf(handler), () => member.me?.deviceId ?? ""),
  });
  const onEnrolled = (): void => {
    member.enrolled();
    publisher.enrolled();
  };
  const enrollment = new Enrollment({
    organization,
    identity,
    backendTrust,
    name: options.name,
    connected: () => connection.connected,
    onEnrolled: () => {
      onEnrolled();
      loop.wake("enrollment");
    },
    log,
  });

  const facts = (): Facts => {
    const now = Date.now();
    const { pause, donateNowUntil, finishThenPause } = settings.current();
    return {
      now,
      ...sensors.read(),
      connection: grace.fact === "offline" && serverKey.isWrong ? "wrong-server" : grace.fact,
      membership: membershipOf(identity.current().enrollment, member),
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
    perform: (effect) => {
      const { modelWarmSeconds } = rules();
      performEffect(effect, { work, modelWarmSeconds, onFinished, log });
    },
    onDecision: (activity, seen, recheckAt) => {
      input.watch(yieldsToInput(activity, models.store.downloads.active !== null, rules()), seen.idleSeconds);
      const needs = neededBy(rules(), activity.kind === "donating");
      sensors.need(needs);
      if (activity.kind === "standby") onFinished();
      publisher.decided({
        activity,
        recheckAt,
        facts: seen,
        needs,
        readings: sensors.readings(),
        connection: connection.connected ? "online" : startGate.everConnected ? "offline" : "connecting",
        settings: settings.current(),
        policy: policy.current(),
      });
      models.update(seen, rules());
      showModels();
    },
    log,
  });

  const startGate = new StartGate({
    connected: () => connection.connected,
    known: () => member.me !== null || member.unknownHere || identity.current().enrollment === null,
    begin: () => loop.start(),
  });

  function showModels(): void {
    const { me } = member;
    const views = (me?.models ?? []).map((model) => models.store.view(model));
    publisher.modelsChanged(views, me);
  }

  /** The last job has ended. */
  function onFinished(): void {
    if (pauseIfRequested(settings, log)) loop.wake("settings");
  }

  function onConnection(next: Connection): void {
    connection = next;
    grace.update(next);
    if (startGate.update()) loop.wake("connection");
  }

  function onMember(): void {
    const { me } = member;
    publisher.memberIs(me, trust);
    if (me !== null) {
      policy.organizationSays(me.policy);
      models.offer(me.models, me.sharing);
      void enrollment.remember(me);
      if (me.signingKey === null) void enrollment.registerSigningKey();
      else if (me.signingKey !== signer.publicKey)
        log("error", "signing-key.differs", { use: "enroll again" });
    }
    // The organization refuses results that this device cannot sign.
    work.wantedChanged(isInService(me) && me?.signingKey === signer.publicKey);
    if (startGate.update()) loop.wake("enrollment");
  }

  serverKey.onChange(() => loop.wake("connection"));
  catalog.onChange(() => {
    work.modelsChanged();
    models.store.filesChanged();
    loop.wake("models");
  });
  journal.start(options.version);
  for (const file of options.bundledModels) void catalog.add(file);
  await sensors.start(neededBy(rules(), false), () => loop.wake("sample"));
  const unfollow = followConnection(client, onConnection);
  if (identity.current().enrollment !== null) onEnrolled();

  const benchmark = new ModelBenchmark({
    runner,
    plans,
    snapshot,
    models: () => work.usableModels,
    watchForReturn: (onReturn) => watchForReturn(options.idle, onReturn),
  });
  const handlers = createDonorHandlers({
    folder: options.dataDir,
    snapshot,
    settings,
    policy: policy.current,
    onSettings: () => loop.wake("settings"),
    refreshFacts: () => sensors.sampleAll(rules().excludedPrograms),
    readings: () => sensors.readings(),
    models: {
      list: () => models.store.list().map((model) => ({ ...model, speed: plans.speed(model.sha256) })),
      remove: models.remove,
      fetch: models.fetch,
    },
    bench: (modelId, gone) => benchmark.measure(modelId, gone),
    enroll: (code) => enrollment.enroll(code),
    quit: options.onQuit,
    log,
  });
  const socket = await openLocalSocket(options.dataDir, answerCalls("terminal", handlers, log), log);

  return {
    handlers,
    snapshot,
    resumed: () => {
      void sensors.sample("power", "batteryPercent");
      loop.wake("power");
    },
    stop: async () => {
      await socket.close();
      startGate.stop();
      catalog.stop();
      loop.stop();
      input.watch(false);
      sensors.stop();
      grace.stop();
      publisher.stop();
      member.stop();
      unfollow();
      await Promise.all([work.stop(goodbyeWithinMs), models.stop()]);
      await knowledge.flush();
      journal.stop();
      await Promise.race([client.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
    },
  };
}
