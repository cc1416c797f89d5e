/** Structures and numbers of Windows' API (winnt.h), for 64-bit processors. */

/** The identity of an integrity level: S-1-16-LEVEL. */
export function integritySid(level: number): Buffer {
  const bytes = Buffer.alloc(12);
  // Revision 1, one part below the authority 16 (SECURITY_MANDATORY_LABEL_AUTHORITY, big-endian).
  bytes.set([1, 1, 0, 0, 0, 0, 0, 16]);
  bytes.writeUInt32LE(level, 8);
  return bytes;
}

/** SECURITY_MANDATORY_LOW_RID: such a process may write hardly anything that belongs to its user. */
export const lowIntegrity = 0x1000;

/** JOBOBJECT_EXTENDED_LIMIT_INFORMATION: at most this many processes, and no dialog after a crash. */
export function jobLimits(processes: number): Buffer {
  const bytes = Buffer.alloc(144);
  const activeProcess = 0x8;
  const dieOnUnhandledException = 0x400;
  bytes.writeUInt32LE(activeProcess | dieOnUnhandledException, 16);
  bytes.writeUInt32LE(processes, 40);
  return bytes;
}

/** Classes of SetInformationJobObject. */
export const jobClasses = { userInterface: 4, extendedLimits: 9 } as const;

/** JOB_OBJECT_UILIMIT_*: no handles of others, clipboard, settings, desktop, atoms, and no end of the session. */
export const allUserInterfaceLimits = 0xff;

/** SetProcessMitigationPolicy: the policy's number, and its flags. */
export const mitigations = {
  /** No code of other programs through the window system. */
  extensionPoints: [6, 0x1],
  /** No fonts but the system's. */
  fonts: [9, 0x1],
  /** No libraries from other computers or written by low processes; the system's own folder first. */
  images: [10, 0x7],
  /** No other programs. */
  children: [13, 0x1],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

/** TOKEN_ADJUST_DEFAULT, TOKEN_ADJUST_PRIVILEGES, TOKEN_QUERY. */
export const tokenAccess = 0x80 | 0x20 | 0x8;
/** TOKEN_INFORMATION_CLASS.TokenIntegrityLevel */
export const tokenIntegrityLevel = 25;
/** SE_GROUP_INTEGRITY */
export const integrityAttribute = 0x20;

/** PROCESS_POWER_THROTTLING_STATE: efficiency ("EcoQoS"), which keeps a process to efficient cores at low frequency. */
export function powerThrottling(): Buffer {
  const bytes = Buffer.alloc(12);
  const executionSpeed = 1;
  [1, executionSpeed, executionSpeed].forEach((word, index) => bytes.writeUInt32LE(word, index * 4));
  return bytes;
}

/** PROCESS_INFORMATION_CLASS.ProcessPowerThrottling */
export const processPowerThrottling = 4;

/** Numbers that keep Windows from writing or sending the memory of a process that crashes. */
export const crashReporting = {
  /**
   * SetErrorMode: SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX (no Windows Error Reporting), SEM_NOOPENFILEERRORBOX.
   * Node's own start has cleared the second one.
   */
  errorMode: 0x1 | 0x2 | 0x8000,
  /** WerSetFlags: WER_FAULT_REPORTING_FLAG_NOHEAP, WER_FAULT_REPORTING_NO_UI. A report has no heap, if there is one. */
  reporting: 0x1 | 0x20,
  /** _set_abort_behavior: _WRITE_ABORT_MSG, _CALL_REPORTFAULT. llama.cpp's failed checks end with abort(). */
  abort: 0x1 | 0x2,
} as const;
