import { createSocket } from "node:dgram";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { Confinement } from "../../../app/contract/confinement.ts";
import type { ToRunner } from "../../../app/contract/runner.ts";
import { confinementVariable } from "../../../app/contract/runner-start.ts";
import { isRecord } from "../../../app/json.ts";
import { silentLog } from "../../log.ts";
import type { Targets } from "../../runner/confine/attempts.fixture.ts";
import { chat, demoModel, planOf, runnerEntry } from "../../runner/runner.fixture.ts";
import { RunnerSupervisor } from "../supervisor.ts";
import { forkRunner } from "./fork-runner.ts";

const entry = fileURLToPath(new URL("../../runner/confine/attempts.fixture.ts", import.meta.url));
/** Signals and abstract sockets are out of reach since Linux 6.12. Older kernels leave gaps, which the report names. */
const [major = 0, minor = 0] = release().split(".").map(Number);
const confines = process.platform === "linux" && (major > 6 || (major === 6 && minor >= 12));
/** A part of each test's name, so that the results tell why it was skipped. */
const skipped = confines
  ? ""
  : ` (skipped: needs Linux 6.12 or later, this is ${process.platform} ${release()})`;
/** A newer kernel that does not confine fails these tests. They are never skipped there. */
const itConfined = it.runIf(confines);

async function listen(server: Server, at: object): Promise<void> {
  server.listen(at);
  await once(server, "listening");
  onTestFinished(() => void server.close());
}

/** A person's folder with a key, a folder of models, and sockets that listen. */
async function makeTargets(): Promise<Targets> {
  const home = await mkdtemp(join(tmpdir(), "gleaner-home-"));
  onTestFinished(() => rm(home, { recursive: true }));
  await mkdir(join(home, ".ssh"));
  await mkdir(join(home, "models"));
  await writeFile(join(home, ".ssh/id_ed25519"), "secret");
  const model = join(home, "models/model.gguf");
  await copyFile((await demoModel()).path, model);
  const tcp = createServer();
  await listen(tcp, { port: 0, host: "127.0.0.1" });
  await listen(createServer(), { path: join(home, "socket") });
  const abstractSocket = `\0gleaner-${process.pid}`;
  await listen(createServer(), { path: abstractSocket });
  const udp = createSocket("udp4");
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  onTestFinished(() => void udp.close());
  return {
    secret: join(home, ".ssh/id_ed25519"),
    program: entry,
    model,
    outside: join(home, "written"),
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    socket: join(home, "socket"),
    abstractSocket,
    otherPid: process.pid,
  };
}

/** Starts the fixture, which confines itself as a runner does. Resolves to what it got, and what it could reach. */
async function tryEverything(targets: Targets, off: boolean) {
  const order = { read: [join(targets.model, "..")], cache: null, off };
  const child = forkRunner(entry)(confinementVariable(order));
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

itConfined(`reaches nothing outside of the confinement${skipped}`, { timeout: 60_000 }, async () => {
  const targets = await makeTargets();
  const { confinement, outcomes } = await tryEverything(targets, false);
  expect(confinement.map(({ confined }) => confined)).toEqual(["yes", "yes", "yes", "yes"]);
  expect(Object.entries(outcomes).filter(([, code]) => !refusals.includes(code))).toEqual([]);
  expect(Object.keys(outcomes).length).toBeGreaterThan(25);
});

itConfined(
  `reaches all of it when its owner has switched that off${skipped}`,
  { timeout: 60_000 },
  async () => {
    const targets = await makeTargets();
    const { confinement, outcomes } = await tryEverything(targets, true);
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

itConfined(`reads only the models that it was told${skipped}`, { timeout: 60_000 }, async () => {
  const model = await demoModel();
  const folder = await mkdtemp(join(tmpdir(), "gleaner-models-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const other = { ...model, path: join(folder, "other.gguf") };
  await copyFile(model.path, other.path);
  const supervisor = new RunnerSupervisor(
    () => forkRunner(runnerEntry)(confinementVariable({ read: [model.path], cache: null, off: false })),
    silentLog,
  );
  onTestFinished(() => supervisor.stop());
  const events = { loaded: () => undefined, text: () => undefined, measured: () => undefined };
  const run = (file: typeof model, attemptId: string) =>
    supervisor.run(
      { attemptId, model: file, work: { kind: "chat", request: chat("Hello") }, plan: planOf(file) },
      events,
    );
  expect(await run(model, "own")).toMatchObject({ kind: "done" });
  expect(await run(other, "other")).toMatchObject({ kind: "failed", error: { code: "model_unavailable" } });
});
