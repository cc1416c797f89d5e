import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import { systemProgram } from "../../system-programs.ts";
import type { Found, Sensor } from "../base/sensor.ts";
import { runSubprocess } from "../base/subprocess.ts";

const store = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\CapabilityAccessManager\\ConsentStore";

/**
 * Windows records when each program last used the camera and the microphone. A use without an end is going on now.
 * Starts a subprocess every two minutes while a rule depends on calls.
 */
export const consentStoreSensor: Sensor = {
  source: "Windows' list of programs with camera and microphone",
  facts: ["cameraInUse", "microphoneInUse"],
  everyMs: 120_000,
  subprocessEveryMs: 120_000,
  sample: async () => {
    const args = ["query", store, "/s", "/v", "LastUsedTimeStop"];
    const result = await runSubprocess(systemProgram("reg", "win32"), args, { maxBytes: 2 * 1024 * 1024 });
    return result.kind === "ok" ? parseConsentStore(result.stdout) : {};
  },
};

/** Lines of keys, each followed by its value: `LastUsedTimeStop    REG_QWORD    0x0` while it is in use. */
export function parseConsentStore(text: string): Found {
  let key = "";
  const used = new Map<string, boolean>();
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("HKEY_")) key = line.toLowerCase();
    const value = /^\s+LastUsedTimeStop\s+REG_QWORD\s+0x([0-9a-f]+)/i.exec(line)?.[1];
    const capability = /\\consentstore\\(webcam|microphone)(\\|$)/.exec(key)?.[1];
    if (value === undefined || capability === undefined) continue;
    used.set(capability, used.get(capability) === true || Number.parseInt(value, 16) === 0);
  }
  const state = (capability: string): Known<boolean> => {
    const inUse = used.get(capability);
    return inUse === undefined ? unknown : known(inUse);
  };
  return { cameraInUse: state("webcam"), microphoneInUse: state("microphone") };
}
