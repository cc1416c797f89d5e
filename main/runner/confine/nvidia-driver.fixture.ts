import { closeSync, openSync, readdirSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { confinementOrder } from "../../../app/contract/runner-start.ts";
import { confineLinux } from "./linux/confine-linux.ts";
import { native } from "./native.ts";

/** The computer's devices, and one of NVIDIA's. As for a real one, the second start cannot list them. */
function withCard(folder: string): readonly string[] {
  try {
    return [...readdirSync(folder), ...(folder === "/dev" ? ["nvidiactl"] : [])];
  } catch {
    return [];
  }
}

const calls = native();
if (calls === null) throw new Error("this test needs native calls");
const order = confinementOrder(process.env);
const confinement = confineLinux(calls, order, fileURLToPath(import.meta.url), undefined, withCard);

const libc = calls.open(null);
const socket = libc.func("int socket(int, int, int)") as (...args: readonly number[]) => number;
const connect = libc.func("int connect(int, void *, int)") as (
  descriptor: number,
  address: Buffer,
  length: number,
) => number;

function outcomeOf(result: number): string {
  if (result >= 0) return "allowed";
  const number = calls?.errno();
  return Object.entries(constants.errno).find(([, value]) => value === number)?.[0] ?? String(number);
}

function nameThread(): string {
  try {
    // The driver cuts the file off, as this does. Any thread of the process would do.
    closeSync(openSync(`/proc/self/task/${process.pid}/comm`, "w"));
    return "allowed";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

/** AF_UNIX and AF_INET, SOCK_STREAM, and SOCK_SEQPACKET | SOCK_CLOEXEC. */
const [unix, internet, stream, packets] = [1, 2, 1, 0x8_0005] as const;
const address = Buffer.alloc(110);
address.writeUInt16LE(unix);
address.write("/tmp/nvidia-mps/control", 2);

/** What NVIDIA's driver does when CUDA starts (seen with driver 580). */
const descriptor = socket(unix, packets, 0);
process.send?.({
  confined: confinement.map(({ confined }) => confined),
  nameThread: nameThread(),
  makeSocket: outcomeOf(descriptor),
  connect: outcomeOf(connect(descriptor, address, address.length)),
  makeInternetSocket: outcomeOf(socket(internet, stream, 0)),
});
