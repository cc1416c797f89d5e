/**
 * Programs of the classic BPF, in which a seccomp filter is written (seccomp(2)). They see the number of a system call
 * and its arguments, but no memory behind a pointer.
 */

/** One instruction; `yes` and `no` name the label to jump to. */
type Instruction = {
  readonly code: number;
  readonly value: number;
  readonly yes?: string;
  readonly no?: string;
};

/** A place in the program, or an instruction. */
type Line = { readonly label: string } | Instruction;

const codes = { load: 0x20, and: 0x54, jumpIfEqual: 0x15, jumpIfAtLeast: 0x35, return: 0x06 } as const;

/** Offsets in the kernel's `struct seccomp_data`. The lower half of an argument: both systems are little-endian. */
export const seccompData = {
  number: 0,
  architecture: 4,
  argument: (index: number): number => 16 + 8 * index,
} as const;

export const load = (offset: number): Line => ({ code: codes.load, value: offset });
export const and = (mask: number): Line => ({ code: codes.and, value: mask });
export const label = (name: string): Line => ({ label: name });
export const give = (value: number): Line => ({ code: codes.return, value });

/** Jumps to `yes` if the loaded value is this one, and otherwise to `no`. A missing label is the next line. */
export function ifEqual(value: number, yes?: string, no?: string): Line {
  return jump(codes.jumpIfEqual, value, yes, no);
}

/** The same if the loaded value is at least this one, without a sign. */
export function ifAtLeast(value: number, yes?: string, no?: string): Line {
  return jump(codes.jumpIfAtLeast, value, yes, no);
}

function jump(code: number, value: number, yes?: string, no?: string): Line {
  const line: { -readonly [Key in keyof Instruction]: Instruction[Key] } = { code, value };
  if (yes !== undefined) line.yes = yes;
  if (no !== undefined) line.no = no;
  return line;
}

/** The kernel's `struct sock_filter[]`. Throws if a label is missing, or more than 255 instructions ahead. */
export function assemble(lines: readonly Line[]): Buffer {
  const places = new Map<string, number>();
  const program: Instruction[] = [];
  for (const line of lines) {
    if ("label" in line) places.set(line.label, program.length);
    else program.push(line);
  }
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(({ code, value, yes, no }, index) => {
    const distance = (name: string | undefined): number => {
      if (name === undefined) return 0;
      const far = (places.get(name) ?? Number.NaN) - index - 1;
      if (!(far >= 0 && far <= 255)) throw new Error(`label ${name} is out of reach`);
      return far;
    };
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(distance(yes), index * 8 + 2);
    bytes.writeUInt8(distance(no), index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
