/** "3 h 12 min", "41 min", "12 s", "2 d 3 h": two units at most. */
export function lengthInWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds === 0 && ms > 0) return "< 1 s";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(ms / 3_600_000);
  return joined(Math.floor(hours / 24), "d", hours % 24, "h");
}

function joined(many: number, unit: string, few: number, smaller: string): string {
  return few === 0 ? `${many} ${unit}` : `${many} ${unit} ${few} ${smaller}`;
}

/** "17:30"; of another day "Mon 23 Nov 17:30". In the process's time zone. */
export function momentInWords(at: number, now: number): string {
  const moment = new Date(at);
  const time = `${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`;
  if (moment.toDateString() === new Date(now).toDateString()) return time;
  const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
  return `${day.format(moment).replace(",", "")} ${time}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

type FactValue = string | number | boolean | null | readonly string[];

type FactWords = { readonly label: string; readonly say?: (value: number) => string };

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const megabytes = (mb: number): string => (mb < 1_024 ? `${mb} MiB` : `${(mb / 1_024).toFixed(1)} GiB`);

const facts: Readonly<Record<string, FactWords>> = {
  idleSeconds: { label: "since the last input", say: (value) => lengthInWords(value * 1_000) },
  locked: { label: "screen locked" },
  displayOff: { label: "display off" },
  lidClosed: { label: "lid closed" },
  suspended: { label: "going to sleep" },
  power: { label: "power" },
  batteryPercent: { label: "battery", say: (value) => `${Math.round(value)} %` },
  thermal: { label: "heat" },
  temperatureC: { label: "temperature", say: (value) => `${Math.round(value)} °C` },
  otherCpuLoad: { label: "processor load of others", say: percent },
  otherGpuLoad: { label: "GPU load of others", say: percent },
  memoryFreeMb: { label: "memory free", say: megabytes },
  vramFreeMb: { label: "GPU memory free", say: megabytes },
  diskFreeMb: { label: "disk free", say: megabytes },
  fullScreen: { label: "full screen" },
  cameraInUse: { label: "camera in use" },
  microphoneInUse: { label: "microphone in use" },
  mediaPlaying: { label: "media playing" },
  excludedProgram: { label: "excluded program" },
  metered: { label: "metered network" },
  networks: { label: "networks" },
  minuteOfWeek: { label: "time of the week", say: timeOfWeek },
};

/** What a fact is called; of another version's, its name. */
export function factLabel(name: string): string {
  return wordsFor(name)?.label ?? name;
}

/** Where it matters, with what it is taken for. */
export function unknownInWords(name: string): string {
  return name === "metered" ? "unknown: counts as not metered" : "unknown";
}

/** A fact's value as a person reads it. Null stands for "none" where the fact is known. */
export function factInWords(name: string, value: FactValue): string {
  if (typeof value === "number") return wordsFor(name)?.say?.(value) ?? String(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null) return "none";
  if (typeof value === "string") return value === "ac" ? "mains" : value;
  return value.length === 0 ? "none" : value.join(", ");
}

function wordsFor(name: string): FactWords | undefined {
  return Object.hasOwn(facts, name) ? facts[name] : undefined;
}

function timeOfWeek(minute: number): string {
  const day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][Math.floor(minute / 1_440)] ?? "";
  return `${day} ${twoDigits(Math.floor(minute / 60) % 24)}:${twoDigits(minute % 60)}`;
}

/** Columns under each other, two blanks between; the last is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
