import { type IdleSensor, unknownIdle } from "./base/idle.ts";
import { linuxIdle } from "./linux/linux-idle.ts";

/** @param shell what the shell knows of input; null: a shell without a desktop. */
export function platformIdle(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  shell: IdleSensor | null,
): IdleSensor {
  return platform === "linux" ? linuxIdle(env, shell) : (shell ?? unknownIdle);
}
