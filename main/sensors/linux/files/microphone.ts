import { join } from "node:path";
import { type Known, known, unknown } from "../../../../app/facts/facts.ts";
import { listFolder, readText } from "../../base/read-file.ts";
import type { Sensor } from "../../base/sensor.ts";

/**
 * A microphone is in use when a sound card records. PipeWire and PulseAudio open the card only while a program
 * listens, so this detects them, too. Wireless headsets are not sound cards, so this does not detect them.
 */
export function microphoneSensor(folder = "/proc/asound"): Sensor {
  return {
    source: folder,
    facts: ["microphoneInUse"],
    everyMs: 10_000,
    sample: () => ({ microphoneInUse: readCapture(folder) }),
  };
}

function readCapture(folder: string): Known<boolean> {
  const found = listFolder(folder)
    .filter((name) => /^card\d+$/.test(name))
    .flatMap((card) => recorders(join(folder, card)));
  // Without a sound card, a wireless microphone may still be in use.
  return found.length === 0 ? unknown : known(found.some((status) => status.includes("state: RUNNING")));
}

function recorders(card: string): readonly string[] {
  return listFolder(card)
    .filter((name) => /^pcm\d+c$/.test(name))
    .flatMap((device) =>
      listFolder(join(card, device))
        .filter((name) => /^sub\d+$/.test(name))
        .map((sub) => readText(join(card, device, sub, "status")) ?? ""),
    );
}
