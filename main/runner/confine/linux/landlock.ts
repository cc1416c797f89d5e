/** Landlock, with which a process gives up access for good, without privileges (landlock(7)). */

const rights = {
  execute: 1,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readFolder: 1 << 3,
  removeFolder: 1 << 4,
  removeFile: 1 << 5,
  makeFolder: 1 << 7,
  makeFile: 1 << 8,
  refer: 1 << 13,
  truncate: 1 << 14,
  deviceControl: 1 << 15,
} as const;

/** The rights that each version knows. Version 1 has bits 0 to 12. */
function fileRights(version: number): number {
  const newer = [rights.refer, rights.truncate, 0, rights.deviceControl];
  return newer.slice(0, Math.max(0, version - 1)).reduce((all, each) => all | each, (1 << 13) - 1);
}

/** The access that a rule allows below a path. */
export type Access = "read" | "run" | "device" | "write" | "ownProcess";

const read = rights.readFile | rights.readFolder;

const allowed: Readonly<Record<Access, number>> = {
  read,
  run: read | rights.execute,
  device: read | rights.writeFile | rights.deviceControl,
  // NVIDIA's driver writes the names of its threads, and finds no card if that is refused. It cuts the file off first.
  ownProcess: read | rights.writeFile | rights.truncate,
  write:
    read |
    rights.writeFile |
    rights.truncate |
    rights.makeFile |
    rights.makeFolder |
    rights.removeFile |
    rights.removeFolder |
    rights.refer,
};

const forFiles = rights.execute | rights.writeFile | rights.readFile | rights.truncate | rights.deviceControl;

/** The kernel's `struct landlock_ruleset_attr`. Nothing that it names is allowed without a rule. */
export function rulesetOf(version: number): Buffer {
  // Networking came with version 4 (bind and connect TCP), scopes with version 6 (abstract sockets and signals).
  const words = version >= 6 ? 3 : version >= 4 ? 2 : 1;
  const bytes = Buffer.alloc(words * 8);
  [fileRights(version), 3, 3].slice(0, words).forEach((word, index) => {
    bytes.writeBigUInt64LE(BigInt(word), index * 8);
  });
  return bytes;
}

/** The kernel's `struct landlock_path_beneath_attr`. */
export function ruleOf(version: number, access: Access, isFolder: boolean, descriptor: number): Buffer {
  const bytes = Buffer.alloc(12);
  const mask = fileRights(version) & (isFolder ? ~0 : forFiles);
  bytes.writeBigUInt64LE(BigInt(allowed[access] & mask), 0);
  bytes.writeInt32LE(descriptor, 8);
  return bytes;
}
