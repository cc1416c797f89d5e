import type { ComputerFacts } from "../../../app/facts/facts.ts";

const words: Readonly<Record<keyof ComputerFacts, string>> = {
  idleSeconds: "last input",
  locked: "screen lock",
  displayOff: "display",
  lidClosed: "lid",
  power: "mains or battery",
  batteryPercent: "battery level",
  thermal: "thermal state",
  temperatureC: "temperature",
  otherCpuLoad: "processor load",
  otherGpuLoad: "GPU load",
  memoryFreeMb: "free memory",
  vramFreeMb: "free GPU memory",
  diskFreeMb: "free disk",
  fullScreen: "full screen",
  cameraInUse: "camera",
  microphoneInUse: "microphone",
  mediaPlaying: "media",
  excludedProgram: "running programs",
  metered: "metered network",
  networks: "network names",
};

/** The facts that a device cannot tell, in words. An unknown fact is shown by its name. Empty if it knows all or reported nothing. */
export function unknownWords(unknownFacts: readonly string[] | null): string {
  return (unknownFacts ?? [])
    .map((name) => (words as Readonly<Record<string, string>>)[name] ?? name)
    .join(", ");
}
