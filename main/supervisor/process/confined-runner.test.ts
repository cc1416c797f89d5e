import { existsSync, readFileSync } from "node:fs";
import { chmod, chown, copyFile, mkdtemp, rm } from "node:fs/promises";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Confinement, confinementGaps } from "../../../app/contract/confinement.ts";
import type { ModelFile, ToRunner } from "../../../app/contract/runner.ts";
import { confinementVariable } from "../../../app/contract/runner-start.ts";
import { isRecord } from "../../../app/json.ts";
import { silentLog } from "../../log.ts";
import type { Targets } from "../../runner/confine/attempts.fixture.ts";
import { landlockVariable } from "../../runner/confine/landlock-of-test.fixture.ts";
import { chat, demoModel, planOf, runnerEntry } from "../../runner/runner.fixture.ts";
import { RunnerSupervisor } from "../supervisor.ts";
import { bubblewrap, withoutBubblewrap } from "./bubblewrap.fixture.ts";
import { makeTargets } from "./confined-targets.fixture.ts";
import { forkRunner } from "./fork-runner.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../runner/confine/${path}`, import.meta.url));
const entry = at("attempts.fixture.ts");
const refusedFilters = fileURLToPath(
  new URL("../../runner/confine/refused-filters.fixture.ts", import.meta.url),
);
const nvidiaDriver = fileURLToPath(new URL("../../runner/confine/nvidia-driver.fixture.ts", import.meta.url));
/** Landlock keeps files from being cut off since Linux 6.2. Older kernels leave gaps, which the report names. */
const [major = 0, minor = 0] = release().split(".").map(Number);
const confines = process.platform === "linux" && (major > 6 || (major === 6 && minor >= 2));
/** A part of each test's name, so that the results tell why it was skipped. */
const skipped = confines
  ? ""
  : ` (skipped: needs Linux 6.2 or later, this is ${process.platform} ${release()})`;
/** A newer kernel that does not confine fails these tests. They are never skipped there. */
const itConfined = it.runIf(confines);

type Surroundings = {
  readonly off?: boolean;
  readonly bubblewrap?: string | null;
  /** The kernel's own version if it is not given. */
  readonly landlock?: number;
};

/** Starts the fixture, which confines itself as a runner does. Resolves to what it got, and what it could reach. */
async function tryEverything(
  targets: Targets,
  { off = false, bubblewrap = null, landlock }: Surroundings = {},
) {
  const order = { read: [join(targets.model, "..")], cache: null, bubblewrap, off };
  const older = landlock === undefined ? {} : landlockVariable(landlock);
  const child = forkRunner(entry)({ ...confinementVariable(order), ...older });
  onTestFinished(() => child.kill());
  return new Promise<{ confinement: Confinement; outcomes: Record<string, string> }>((resolve, reject) => {
    let confinement: Confinement = [];
    child.onExit((exit) => reject(new Error(`it ended: ${JSON.stringify(exit)}`)));
    child.onMessage((message) => {
      if (isRecord(message) && "confinement" in message) {
        confinement = message["confinement"] as Confinement;
        child.send(targets as unknown as ToRunner);
      } else resolve({ confinement, outcomes: message as Record<string, string> });
    });
  });
}

const refusals = ["EACCES", "EPERM"];
/** NVIDIA's driver needs all of the process's folder in /proc, and the list of connections is in there. */
const nvidia = existsSync("/dev/nvidiactl");
/** With that driver, nothing is where a Unix socket would be. */
const unixConnects = ["unixConnect", "abstractConnect"];

/** The attempts that something else than a refusal answered. */
function reached(outcomes: Readonly<Record<string, string>>, refused: readonly string[]) {
  return Object.entries(outcomes).filter(
    ([name, code]) =>
      !refused.includes(code) &&
      !(nvidia && (name === "readConnections" || (code === "ENOENT" && unixConnects.includes(name)))),
  );
}

itConfined(`reaches nothing outside of the confinement${skipped}`, async () => {
  const targets = await makeTargets(entry);
  const { confinement, outcomes } = await tryEverything(targets);
  expect(confinement.map(({ confined }) => confined)).toEqual(["yes", "yes", "yes", "yes"]);
  expect(reached(outcomes, refusals)).toEqual([]);
  expect(Object.keys(outcomes).length).toBeGreaterThan(65);
});

itConfined(
  `reaches all of it when its owner has switched that off${skipped}`,
  { timeout: 60_000 },
  async () => {
    const targets = await makeTargets(entry);
    const { confinement, outcomes } = await tryEverything(targets, { off: true });
    expect(confinement.map(({ confined }) => confined)).toEqual(["no", "no", "no", "no"]);
    const names = [
      "readSecret",
      "readSecretInWorker",
      "writeOutside",
      "tcpConnect",
      "udpSend",
      "unixConnect",
      "exec",
    ];
    expect(names.map((name) => outcomes[name])).toEqual(names.map(() => "allowed"));
  },
);

it.runIf(confines).each([3, 4, 5])(
  `reaches nothing with Landlock %i of an older kernel${skipped}`,
  async (landlock) => {
    const { confinement, outcomes } = await tryEverything(await makeTargets(entry), { landlock });
    expect(confinement.map(({ confined }) => confined)).toEqual(["yes", "yes", "yes", "yes"]);
    expect(reached(outcomes, refusals)).toEqual([]);
  },
);

const wraps = withoutBubblewrap === "";
/** Of a file that is not bound, bubblewrap shows nothing. */
const absences = [...refusals, "ENOENT", "EROFS"];

describe.runIf(wraps)(`bubblewrap on a kernel without Landlock${withoutBubblewrap}`, () => {
  it.each([0, 2])("reaches nothing, with Landlock %i", async (landlock) => {
    const targets = await makeTargets(entry);
    const { confinement, outcomes } = await tryEverything(targets, { landlock, bubblewrap });
    expect(confinement.map(({ confined }) => confined)).toEqual(["yes", "yes", "yes", "yes"]);
    expect(reached(outcomes, absences)).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThan(65);
    expect(existsSync(targets.outside)).toBe(false);
  });

  it("goes on without it where it may not be used, and says so", async () => {
    const forbidden = await tryEverything(await makeTargets(entry), {
      landlock: 0,
      bubblewrap: "/bin/false",
    });
    expect(forbidden.confinement.map(({ confined }) => confined)).toEqual(["no", "yes", "yes", "yes"]);
    expect(confinementGaps(forbidden.confinement)[0]).toMatch(/bubblewrap does not work here \(status 1\)/);
    expect(forbidden.outcomes).toMatchObject({ readSecret: "allowed", tcpConnect: "EPERM", exec: "EPERM" });
  });

  it("says that it is not installed", async () => {
    const { confinement } = await tryEverything(await makeTargets(entry), { landlock: 2 });
    expect(confinementGaps(confinement)[0]).toMatch(/bubblewrap would close this gap, but is not installed/);
  });
});

itConfined(`lets NVIDIA's driver start, where there is a card${skipped}`, async () => {
  const child = forkRunner(nvidiaDriver)({
    ...confinementVariable({ read: [], cache: null, bubblewrap: null, off: false }),
  });
  onTestFinished(() => child.kill());
  const outcomes = new Promise((resolve) => child.onMessage(resolve));
  expect(await outcomes).toEqual({
    confined: ["yes", "yes", "yes", "yes"],
    nameThread: "allowed",
    makeSocket: "allowed",
    connect: "ENOENT",
    makeInternetSocket: "EPERM",
  });
});

/** Two files with the same model. The runner may read the first. */
async function twoModels() {
  const model = await demoModel();
  const folder = await mkdtemp(join(tmpdir(), "gleaner-models-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const other = { ...model, path: join(folder, "other.gguf") };
  await copyFile(model.path, other.path);
  return { model, other };
}

function openSupervisor(program: string, env: Readonly<Record<string, string>>) {
  let confined: Confinement | null = null as Confinement | null;
  const supervisor = new RunnerSupervisor(() => forkRunner(program)(env), silentLog, {
    onConfined: (confinement) => (confined = confinement),
  });
  onTestFinished(() => supervisor.stop());
  const events = { loaded: () => undefined, text: () => undefined, measured: () => undefined };
  const run = (model: ModelFile, attemptId: string) =>
    supervisor.run(
      { attemptId, model, work: { kind: "chat", request: chat("Hello") }, plan: planOf(model) },
      events,
    );
  return { supervisor, confined: () => confined, run };
}

const refusedModel = { kind: "failed", error: { code: "model_unavailable" } };

itConfined(`reads only the models that it was told${skipped}`, async () => {
  const { model, other } = await twoModels();
  const order = { read: [model.path], cache: null, bubblewrap: null, off: false };
  const { run } = openSupervisor(runnerEntry, confinementVariable(order));
  expect(await run(model, "own")).toMatchObject({ kind: "done" });
  expect(await run(other, "other")).toMatchObject(refusedModel);
});

/** Only a root can give a folder to somebody else. */
const isRoot = process.getuid?.() === 0;

it.runIf(confines && isRoot)(
  `keeps a root's right to read where the models are in somebody else's private folder${skipped}`,
  async () => {
    const { other: model } = await twoModels();
    await chown(join(model.path, ".."), 54_321, 54_321);
    await chmod(join(model.path, ".."), 0o700);
    const order = { read: [model.path], cache: null, bubblewrap: null, off: false };
    const { run, supervisor } = openSupervisor(runnerEntry, confinementVariable(order));
    expect(await run(model, "private")).toMatchObject({ kind: "done" });
    const status = readFileSync(`/proc/${supervisor.pid}/status`, "utf8");
    // CAP_DAC_READ_SEARCH, by which it can still open no file that Landlock refuses.
    expect(/^CapEff:\s*(\w+)$/m.exec(status)?.[1]).toMatch(/^0*4$/);
  },
);

itConfined(
  `does jobs where the kernel takes no filter of system calls, and says so${skipped}`,
  { timeout: 60_000 },
  async () => {
    const { model, other } = await twoModels();
    const order = { read: [model.path], cache: null, bubblewrap: null, off: false };
    const { confined, run } = openSupervisor(refusedFilters, confinementVariable(order));
    expect(await run(model, "own")).toMatchObject({ kind: "done" });
    expect(await run(other, "other")).toMatchObject(refusedModel);
    const parts = confined() ?? [];
    expect(parts.map((part) => part.confined)).toEqual(["yes", expect.any(String), "no", "no"]);
    expect(confinementGaps(parts).at(-1)).toMatch(/the kernel took no filter of system calls/);
  },
);

it.runIf(wraps)(
  `does jobs in bubblewrap, and frees its memory when it is stopped${withoutBubblewrap}`,
  async () => {
    const { model, other } = await twoModels();
    const order = { read: [model.path], cache: null, bubblewrap, off: false };
    const env = { ...confinementVariable(order), ...landlockVariable(0) };
    const { supervisor, confined, run } = openSupervisor(at("older-kernel.fixture.ts"), env);
    expect(await run(model, "own")).toMatchObject({ kind: "done" });
    expect(await run(other, "other")).toMatchObject(refusedModel);
    expect(confined()?.map((part) => part.confined)).toEqual(["yes", "yes", "yes", "yes"]);
    // The process with the model, and not bubblewrap's own: its load and memory are what counts.
    const pid = supervisor.pid ?? -1;
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0]).toBe(process.execPath);
    await supervisor.stop();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  },
);
