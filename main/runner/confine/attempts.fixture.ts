import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import koffi from "koffi";
import { z } from "zod";
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
});

type Attempts = Readonly<Record<string, () => unknown>>;

/** Numbers of Linux on x64 and arm64. */
const callNumbers = {
  x64: { ptrace: 101, kill: 62, processVmReadv: 310, ioUringSetup: 425, bpf: 321, userfaultfd: 323 },
  arm64: { ptrace: 117, kill: 129, processVmReadv: 270, ioUringSetup: 425, bpf: 280, userfaultfd: 282 },
} as const;
const moreNumbers = {
  x64: { keyctl: 250, unshare: 272, perfEventOpen: 298, clone: 56, execve: 59, pidfdOpen: 434, mount: 165 },
  arm64: { keyctl: 219, unshare: 97, perfEventOpen: 241, clone: 220, execve: 221, pidfdOpen: 434, mount: 40 },
} as const;

function systemCalls(pid: number): Attempts {
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  const numbers = { ...callNumbers[arch], ...moreNumbers[arch] };
  const syscall = koffi.load(null).func("long syscall(long, long, long, long, long, long, long)");
  const attempt = (number: number, ...args: readonly number[]) => {
    return () => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args;
      if (Number(syscall(number, a, b, c, d, e, f)) !== -1) return;
      const code = Object.entries(constants.errno).find(([, value]) => value === koffi.errno())?.[0];
      throw Object.assign(new Error("refused"), { code });
    };
  };
  return {
    // None does harm where it is allowed: 0x4200 sets options of a process that is not traced, signal 0 only asks,
    // 0x800 is no valid flag by itself. 0x10000000 is CLONE_NEWUSER.
    ptrace: attempt(numbers.ptrace, 0x4200, pid),
    kill: attempt(numbers.kill, pid, 0),
    killEverything: attempt(numbers.kill, -1, 0),
    processVmReadv: attempt(numbers.processVmReadv, pid),
    pidfdOpen: attempt(numbers.pidfdOpen, pid),
    ioUring: attempt(numbers.ioUringSetup, 8, 0),
    bpf: attempt(numbers.bpf, 0, 0, 0),
    userfaultfd: attempt(numbers.userfaultfd, 1),
    keyctl: attempt(numbers.keyctl, 0, -3, 0),
    unshare: attempt(numbers.unshare, 0x10000000),
    perfEventOpen: attempt(numbers.perfEventOpen, 0, 0, -1, -1, 0),
    mount: attempt(numbers.mount, 0, 0, 0, 0, 0),
    clone: attempt(numbers.clone, 0x800),
    execve: attempt(numbers.execve, 0, 0, 0),
  };
}

const inWorker = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { readFileSync } = require("node:fs");
  try { readFileSync(workerData); parentPort.postMessage(null); }
  catch (error) { parentPort.postMessage(error.code); }`;

function attemptsAt(at: Targets): Attempts {
  const rejects = (code: unknown): never => {
    throw Object.assign(new Error("refused"), { code });
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
      if (code !== null) rejects(code);
    },
    readAccounts: () => readFileSync("/etc/passwd"),
    readOtherCommandLine: () => readFileSync(`/proc/${at.otherPid}/cmdline`),
    readOtherEnvironment: () => readFileSync(`/proc/${at.otherPid}/environ`),
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
    ...systemCalls(at.otherPid),
  };
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
