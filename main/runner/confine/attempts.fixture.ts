import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  fchmodSync,
  fchownSync,
  futimesSync,
  lutimesSync,
  openSync,
  readFileSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import * as z from "zod";
import { type Attempts, refusal, systemCalls } from "./attempted-calls.fixture.ts";
import { confineProcess } from "./confine.ts";
import { landlockOfTest } from "./landlock-of-test.fixture.ts";

/** The files, sockets and processes that this process must not reach. */
export type Targets = z.infer<typeof targets>;
const targets = z.object({
  secret: z.string(),
  program: z.string(),
  model: z.string(),
  outside: z.string(),
  tcpPort: z.number(),
  udpPort: z.number(),
  socket: z.string(),
  abstractSocket: z.string(),
  otherPid: z.number(),
  /** A file that was open in the program that started the donor. */
  inherited: z.object({ descriptor: z.number(), text: z.string() }),
});

const inWorker = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { readFileSync } = require("node:fs");
  try { readFileSync(workerData); parentPort.postMessage(null); }
  catch (error) { parentPort.postMessage(error.code); }`;

function attemptsAt(at: Targets): Attempts {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const ofModel = (change: (model: number) => void): void => {
    const model = openSync(at.model, "r");
    try {
      change(model);
    } finally {
      closeSync(model);
    }
  };
  const toSocket = async (options: { path: string } | { port: number; host: string }) => {
    const socket = connect(options);
    await once(socket, "connect");
    socket.destroy();
  };
  return {
    readSecret: () => readFileSync(at.secret),
    // In a thread of Node's pool, and in a worker with a V8 of its own.
    readSecretInPool: () => readFile(at.secret),
    readSecretInWorker: async () => {
      const worker = new Worker(inWorker, { eval: true, workerData: at.secret });
      const [code] = (await once(worker, "message")) as [string | null];
      if (code !== null) throw refusal(code);
    },
    readAccounts: () => readFileSync("/etc/passwd"),
    readOtherCommandLine: () => readFileSync(`/proc/${at.otherPid}/cmdline`),
    readOtherEnvironment: () => readFileSync(`/proc/${at.otherPid}/environ`),
    readInherited: () => {
      if (textOf(at.inherited.descriptor) !== at.inherited.text) throw refusal("EACCES");
    },
    // bubblewrap shows a network with no connections.
    readConnections: () => {
      const port = at.tcpPort.toString(16).toUpperCase().padStart(4, "0");
      if (!readFileSync("/proc/net/tcp", "utf8").includes(`:${port} `)) throw refusal("ENOENT");
    },
    watchFolder: () => watch(dirname(at.secret)).close(),
    changeMode: () => chmodSync(at.secret, 0o4755),
    changeModeOfOpen: () => ofModel((model) => fchmodSync(model, 0o600)),
    changeOwner: () => chownSync(at.secret, own.uid, own.gid),
    changeOwnerOfOpen: () => ofModel((model) => fchownSync(model, own.uid, own.gid)),
    changeTimes: () => utimesSync(at.secret, 1, 1),
    changeTimesOfOpen: () => ofModel((model) => futimesSync(model, 1, 1)),
    changeTimesOfLink: () => lutimesSync(at.secret, 1, 1),
    useCapability: () => {
      const status = readFileSync("/proc/self/status", "utf8");
      if (!/^Cap(?:Inh|Prm|Eff|Amb):\s*0*[1-9a-f]/m.test(status)) throw refusal("EPERM");
    },
    writeOutside: () => writeFileSync(at.outside, "x"),
    writeModel: () => closeSync(openSync(at.model, "r+")),
    writeProgram: () => closeSync(openSync(at.program, "r+")),
    tcpConnect: () => toSocket({ port: at.tcpPort, host: "127.0.0.1" }),
    tcpListen: async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      server.close();
    },
    udpSend: () =>
      new Promise<void>((resolve, reject) => {
        const socket = createSocket("udp4");
        socket.on("error", reject);
        socket.send("x", at.udpPort, "127.0.0.1", (error) => (error === null ? resolve() : reject(error)));
      }),
    unixConnect: () => toSocket({ path: at.socket }),
    abstractConnect: () => toSocket({ path: at.abstractSocket }),
    exec: () => {
      const { error } = spawnSync("/bin/true");
      if (error !== undefined) throw error;
    },
    ...systemCalls(at),
  };
}

/** Null if nothing is open under that number. */
function textOf(descriptor: number): string | null {
  try {
    return readFileSync(descriptor, "utf8");
  } catch {
    return null;
  }
}

async function tryAll(attempts: Attempts): Promise<Readonly<Record<string, string>>> {
  const outcomes: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      outcomes[name] = "allowed";
    } catch (error) {
      outcomes[name] = String((error as { code?: unknown }).code);
    }
  }
  return outcomes;
}

/** Confines itself as the runner does, and then tries everything. Sends the outcomes by their names. */
process.on("message", (message) => {
  void tryAll(attemptsAt(targets.parse(message))).then((outcomes) => process.send?.(outcomes));
});
const entry = fileURLToPath(import.meta.url);
process.send?.({ confinement: confineProcess(entry, landlockOfTest(process.env)) });
