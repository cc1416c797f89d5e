import type { Confinement } from "../../../../app/contract/confinement.ts";
import type { Native } from "../native.ts";
import { no, partly, yes } from "../report.ts";
import {
  allUserInterfaceLimits,
  integrityAttribute,
  integritySid,
  jobClasses,
  jobLimits,
  lowIntegrity,
  mitigations,
  tokenAccess,
  tokenIntegrityLevel,
} from "./structures.ts";

type Call = (...args: readonly unknown[]) => unknown;
type Handle = unknown;

/**
 * Confines this process: low integrity, no privileges, a job of one process without the user interface, and no other
 * programs. Each step counts by itself. A token without the right to read files would need a start by another program,
 * which Electron's utility processes do not have.
 */
export function confineWindows(native: Native): Confinement {
  const kernel32 = native.open("kernel32.dll");
  const self = (kernel32.func("void *GetCurrentProcess(void)") as () => Handle)();
  const alone = succeeds(() => enterJob(kernel32, self));
  const childless = mitigate(kernel32);
  const low = succeeds(() => lowerToken(native, self));
  return [
    low
      ? partly("files", "on Windows it can read, but not write, what this account can read")
      : no("files", "Windows refused a low integrity level"),
    no("network", "Windows confines the network only for programs in an AppContainer"),
    alone || childless ? yes("programs") : no("programs", "Windows refused the limits of a job object"),
    no("systemCalls", "Windows has no filter of system calls"),
  ];
}

function enterJob(kernel32: ReturnType<Native["open"]>, self: Handle): boolean {
  const create = kernel32.func("void *CreateJobObjectW(void *, void *)") as Call;
  const set = kernel32.func("bool SetInformationJobObject(void *, int, void *, uint32_t)") as Call;
  const assign = kernel32.func("bool AssignProcessToJobObject(void *, void *)") as Call;
  const job = create(null, null);
  const limits = jobLimits(1);
  const userInterface = Buffer.alloc(4);
  userInterface.writeUInt32LE(allUserInterfaceLimits);
  set(job, jobClasses.userInterface, userInterface, userInterface.length);
  // The job's handle stays open, as long as the process lives.
  return set(job, jobClasses.extendedLimits, limits, limits.length) === true && assign(job, self) === true;
}

/** Whether the process can start no other programs. */
function mitigate(kernel32: ReturnType<Native["open"]>): boolean {
  const set = (policy: number, flags: number): boolean =>
    succeeds(() => {
      const call = kernel32.func("bool SetProcessMitigationPolicy(int, void *, size_t)") as Call;
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(flags);
      return call(policy, bytes, bytes.length);
    });
  set(...mitigations.extensionPoints);
  set(...mitigations.fonts);
  set(...mitigations.images);
  return set(...mitigations.children);
}

function lowerToken({ open, koffi }: Native, self: Handle): boolean {
  const advapi32 = open("advapi32.dll");
  koffi.struct("TOKEN_MANDATORY_LABEL", { sid: "void *", attributes: "uint32_t" });
  const openToken = advapi32.func("bool OpenProcessToken(void *, uint32_t, _Out_ void **)") as Call;
  const adjust = advapi32.func(
    "bool AdjustTokenPrivileges(void *, bool, void *, uint32_t, void *, void *)",
  ) as Call;
  const set = advapi32.func(
    "bool SetTokenInformation(void *, int, TOKEN_MANDATORY_LABEL *, uint32_t)",
  ) as Call;
  const token: unknown[] = [null];
  if (openToken(self, tokenAccess, token) !== true) return false;
  adjust(token[0], true, null, 0, null, null);
  const sid = integritySid(lowIntegrity);
  const structure = 16;
  const label = { sid, attributes: integrityAttribute };
  return set(token[0], tokenIntegrityLevel, label, structure + sid.length) === true;
}

function succeeds(step: () => unknown): boolean {
  try {
    return step() === true;
  } catch {
    return false;
  }
}
