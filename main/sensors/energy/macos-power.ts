import { runSubprocess } from "../base/subprocess.ts";
import { streamLines } from "../base/subprocess-stream.ts";
import { plausible, type PowerFeed } from "./power-feed.ts";

/** The system renews its figures of the battery about twice a minute. */
const everyMs = 15_000;

/** The power that a Mac draws from its battery: that of the whole computer. `program`: ioreg. */
export function macBatteryFeed(program = "/usr/sbin/ioreg", pollMs = everyMs): PowerFeed {
  return (onWatts) => {
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const look = async (): Promise<void> => {
      const result = await runSubprocess(program, ["-r", "-n", "AppleSmartBattery", "-w", "0"]);
      if (ended) return;
      onWatts(result.kind === "ok" ? parseSmartBattery(result.stdout) : null);
      timer = setTimeout(() => void look(), pollMs);
    };
    void look();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  };
}

/**
 * Watts of a battery that discharges. Its current is a signed number of 64 bits that ioreg prints without a sign. The same names are also in
 * dictionaries of other properties, which are on one line.
 */
export function parseSmartBattery(text: string): number | null {
  const read = (name: string): string | undefined =>
    new RegExp(`^[ |]*"${name}" = (-?\\w+)`, "m").exec(text)?.[1];
  const signed = (name: string): number | null => {
    const digits = read(name);
    return digits !== undefined && /^-?\d{1,20}$/.test(digits)
      ? Number(BigInt.asIntN(64, BigInt(digits)))
      : null;
  };
  if (read("ExternalConnected") !== "No") return null;
  const [current, voltage] = [signed("InstantAmperage") ?? signed("Amperage"), signed("Voltage")];
  if (current === null || voltage === null) return null;
  return plausible((-current * voltage) / 1e6);
}

const sampleMs = 5_000;

/**
 * The power of a Mac's processors with their graphics, by powermetrics. It refuses everybody but root. It ends when nobody reads its output
 * anymore.
 */
export function powermetricsFeed(program = "/usr/bin/powermetrics"): PowerFeed {
  const args = ["--samplers", "cpu_power,gpu_power", "--sample-rate", String(sampleMs), "--buffer-size", "1"];
  return (onWatts) =>
    streamLines(program, args, (line) => {
      const watts = parsePowermetrics(line);
      if (watts !== null) onWatts(watts);
    });
}

/**
 * Watts in a line of powermetrics: of Apple's processors "Combined Power (CPU + GPU + ANE): 1290 mW", in earlier versions "Package Power",
 * and of Intel's "Intel energy model derived package power (CPUs+GT+SA): 2.48W".
 */
export function parsePowermetrics(line: string): number | null {
  const found =
    /^(?:Combined|Package|Intel energy model derived package) power\b[^:]*: ([\d.]{1,12}) ?(m?W)$/i.exec(
      line.trim(),
    );
  return found === null ? null : plausible(Number(found[1]) / (found[2] === "mW" ? 1_000 : 1));
}
