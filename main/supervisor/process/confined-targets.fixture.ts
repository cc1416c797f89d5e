import { createSocket } from "node:dgram";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Targets } from "../../runner/confine/attempts.fixture.ts";
import { native } from "../../runner/confine/native.ts";
import { demoModel } from "../../runner/runner.fixture.ts";

async function listen(server: Server, at: object): Promise<void> {
  server.listen(at);
  await once(server, "listening");
  onTestFinished(() => void server.close());
}

/**
 * A person's folder with a key, a folder of models, sockets that listen, and an open file.
 * @param program the file of the process that is confined.
 */
export async function makeTargets(program: string): Promise<Targets> {
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
    program,
    model,
    outside: join(home, "written"),
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    socket: join(home, "socket"),
    abstractSocket,
    otherPid: process.pid,
    inherited: openForChildren(join(home, "inherited")),
  };
}

/** A number that is free in tests, and that other files do not get. */
const inheritedNumber = 400;

/** Opens a file as a shell does: programs that this one starts inherit it. Node's own files are not inherited. */
function openForChildren(path: string): Targets["inherited"] {
  const text = "inherited";
  writeFileSync(path, text);
  const descriptor = openSync(path, "r");
  native()?.open(null).func("int dup2(int, int)")(descriptor, inheritedNumber);
  closeSync(descriptor);
  onTestFinished(() => closeSync(inheritedNumber));
  return { descriptor: inheritedNumber, text };
}
