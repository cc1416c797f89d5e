import { describe, expect, it } from "vitest";
import { ringFilter, systemCallFilter, verdicts } from "./filter.ts";
import { callsOf, processorOf } from "./system-calls.ts";

type SystemCall = {
  readonly number: number;
  readonly args?: readonly number[];
  readonly architecture?: number;
};

const audits = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

/** Runs a program as the kernel does (seccomp(2)); only the instructions that filters here use. */
function run(program: Buffer, processor: "x64" | "arm64", call: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.architecture ?? audits[processor], 4);
  (call.args ?? []).forEach((value, index) => data.writeUInt32LE(value >>> 0, 16 + 8 * index));
  let held = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8);
    const [yes, no] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) held = data.readUInt32LE(value);
    else if (code === 0x54) held = (held & value) >>> 0;
    else if (code === 0x15) at += held === value ? yes : no;
    else if (code === 0x35) at += held >= value ? yes : no;
    else if (code === 0x06) return value;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program has no end");
}

const ownPid = 4_711;

describe.each(["x64", "arm64"] as const)("the filter of system calls on %s", (processor) => {
  const { denied, sockets, checked } = callsOf(processor);
  const filter = systemCallFilter(processor, ownPid, false);
  const withUnix = systemCallFilter(processor, ownPid, true);
  const verdict = (call: SystemCall, program = filter): string =>
    Object.entries(verdicts).find(([, value]) => value === run(program, processor, call))?.[0] ?? "none";

  it("refuses calls that reach other programs, the network or the kernel's rarely used parts", () => {
    expect(new Set([...denied, ...sockets].map((number) => verdict({ number })))).toEqual(new Set(["deny"]));
    // 9 and 222 are mmap, 0 and 63 read.
    for (const number of processor === "x64" ? [0, 1, 9, 202] : [63, 64, 98, 222]) {
      expect(verdict({ number })).toBe("allow");
    }
  });

  it("refuses calls of another processor or calling convention", () => {
    expect(verdict({ number: 1, architecture: 0x4000_0003 })).toBe("deny");
    expect(verdict({ number: 0x4000_0001 })).toBe("deny");
  });

  it("lets the process make threads, but no processes", () => {
    expect(verdict({ number: checked.clone, args: [0x3d_0f00] })).toBe("allow");
    expect(verdict({ number: checked.clone, args: [0x1200_0011] })).toBe("deny");
    expect(verdict({ number: checked.clone3 })).toBe("unknownCall");
  });

  it("lets the process signal and limit itself only", () => {
    for (const number of [checked.kill, checked.tgkill]) {
      expect(verdict({ number, args: [ownPid] })).toBe("allow");
      for (const other of [1, 0, -1]) expect(verdict({ number, args: [other] })).toBe("deny");
    }
    expect(verdict({ number: checked.prlimit64, args: [0] })).toBe("allow");
    expect(verdict({ number: checked.prlimit64, args: [ownPid] })).toBe("allow");
    expect(verdict({ number: checked.prlimit64, args: [1] })).toBe("deny");
  });

  it("types nothing into a terminal", () => {
    expect(verdict({ number: checked.ioctl, args: [2, 0x5412] })).toBe("deny");
    expect(verdict({ number: checked.ioctl, args: [2, 0x541c] })).toBe("deny");
    expect(verdict({ number: checked.ioctl, args: [2, 0x5401] })).toBe("allow");
  });

  it("changes no attributes of files, and leaves drivers their commands", () => {
    // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY, FAT_IOCTL_SET_ATTRIBUTES, BTRFS_IOC_SNAP_DESTROY.
    for (const command of [0x4008_6602, 0x401c_5820, 0x4080_6685, 0x4004_7211, 0x5000_940f]) {
      expect(verdict({ number: checked.ioctl, args: [9, command] })).toBe("deny");
    }
    // Terminals, DRM, NVIDIA, its shared memory (two), KFD and DXG.
    for (const command of [0x5421, 0xc010_6400, 0xc020_462a, 0x3000_0001, 37, 0x8008_4b01, 0xc010_4702]) {
      expect(verdict({ number: checked.ioctl, args: [9, command] })).toBe("allow");
    }
  });

  it("sends no signals by open files, and delays and watches nobody", () => {
    for (const command of [8, 10, 15, 1_024, 1_026]) {
      expect(verdict({ number: checked.fcntl, args: [9, command] })).toBe("deny");
    }
    // The flags of files, duplicates and seals.
    for (const command of [1, 2, 3, 4, 1_030, 1_033]) {
      expect(verdict({ number: checked.fcntl, args: [9, command] })).toBe("allow");
    }
    for (const command of [0x8901, 0x8902]) {
      expect(verdict({ number: checked.ioctl, args: [9, command] })).toBe("deny");
    }
  });

  it("names its threads, but shares no core with others", () => {
    expect(verdict({ number: checked.prctl, args: [15] })).toBe("allow");
    expect(verdict({ number: checked.prctl, args: [62, 2, ownPid] })).toBe("deny");
  });

  it("makes no socket, but Unix sockets without a connection where CUDA needs them", () => {
    const stream = { number: checked.socket, args: [1, 0x8_0001] };
    expect(verdict(stream)).toBe("deny");
    expect(verdict(stream, withUnix)).toBe("allow");
    expect(verdict({ number: checked.socket, args: [1, 2] }, withUnix)).toBe("deny");
    expect(verdict({ number: checked.socket, args: [2, 1] }, withUnix)).toBe("deny");
    expect(verdict({ number: checked.socket, args: [10, 1] }, withUnix)).toBe("deny");
    expect(sockets.map((number) => verdict({ number }, withUnix))).toEqual(sockets.map(() => "allow"));
    const connect = { number: processor === "x64" ? 42 : 203 };
    expect(verdict(connect)).toBe("deny");
    expect(verdict(connect, withUnix)).toBe("noFile");
  });

  it("first refuses only to make rings", () => {
    const first = ringFilter(processor);
    expect(verdict({ number: 425 }, first)).toBe("deny");
    expect(verdict({ number: 426 }, first)).toBe("allow");
    expect(verdict({ number: processor === "x64" ? 59 : 221 }, first)).toBe("allow");
  });
});

it("knows the numbers of two processors only", () => {
  expect(["x64", "arm64", "ia32", "riscv64"].map(processorOf)).toEqual(["x64", "arm64", null, null]);
});
