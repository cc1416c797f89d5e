import { assertNever } from "../assert-never.ts";
import type { OrganizationRules } from "./rule-layers.ts";
import { ruleWords } from "./rule-words.ts";
import { type RuleName, ruleNames, type Rules, type ScheduleWindow } from "./rules.ts";

/** A rule's value in words, e.g. "5 minutes" or "no limit". */
export function sayRule<Name extends RuleName>(name: Name, value: Rules[Name]): string {
  // Each arm knows its rule's type; TypeScript does not narrow a generic value by its name.
  const set = { name, value } as { [Each in RuleName]: { name: Each; value: Rules[Each] } }[RuleName];
  switch (set.name) {
    case "requireIdle":
    case "idleWhenLocked":
    case "allowOnBattery":
    case "quiet":
    case "holdOnFullScreen":
    case "holdOnCall":
    case "holdOnMedia":
    case "shareModels":
      return set.value ? "yes" : "no";
    case "allowDonateNow":
    case "allowMetered":
      return set.value ? "allowed" : "not allowed";
    case "idleAfterSeconds":
      return seconds(set.value);
    case "modelWarmSeconds":
      return set.value === 0 ? "not at all" : seconds(set.value);
    case "batteryFloorPercent":
      return `${String(set.value)} %`;
    case "maxOtherCpuLoad":
    case "otherCpuLoadHysteresis":
    case "maxOtherGpuLoad":
      return `${String(Math.round(set.value * 100))} %`;
    case "maxTemperatureC":
      return set.value === null ? "no limit" : `${String(set.value)} °C`;
    case "minFreeMemoryMb":
    case "diskQuotaMb":
    case "minFreeDiskMb":
      return mebibytes(set.value);
    case "networkBudgetMbPerDay":
      return set.value === null ? "no limit" : mebibytes(set.value);
    case "downloadKbps":
      return set.value === null ? "no limit" : `${count(set.value)} kbit/s`;
    case "excludedPrograms":
      return set.value.length === 0 ? "none" : set.value.join(", ");
    case "requiredNetworks":
      return set.value.length === 0 ? "any" : set.value.join(", ");
    case "gpus":
      return (
        set.value
          .filter(({ allow }) => !allow)
          .map(({ index }) => String(index))
          .join(", ") || "none"
      );
    case "idle":
    case "inUse":
      return limits(set.value);
    case "schedule":
      return set.value === null ? "at any hour" : set.value.map(window).join(", ") || "never";
    default:
      return assertNever(set);
  }
}

/** What an organization changed, one sentence for each rule. */
export function ruleChanges(before: OrganizationRules, after: OrganizationRules): string[] {
  return ruleNames.flatMap((name) => {
    const [was, is] = [saySet(before, name), saySet(after, name)];
    return was === is ? [] : [`${ruleWords[name].title}: ${was} → ${is}`];
  });
}

function saySet({ values, locked }: OrganizationRules, name: RuleName): string {
  const value = values[name];
  const said = value === undefined ? "as it comes" : sayRule(name, value);
  return locked.includes(name) ? `${said}, locked` : said;
}

function limits(value: Rules["idle"] | Rules["inUse"]): string {
  if ("mode" in value && value.mode === "off") return "nothing";
  const threads = value.threads === null ? "all cores but one" : plural(value.threads, "thread");
  const memory = value.memoryMb === null ? "what memory is free" : `${mebibytes(value.memoryMb)} of memory`;
  return `${threads}, ${value.gpu ? "GPU" : "no GPU"}, ${memory}`;
}

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

function window({ days: on, fromMinute, toMinute }: ScheduleWindow): string {
  const named = on.length === 7 ? "daily" : on.map((day) => days[day] ?? "?").join(" ");
  return `${named} ${clock(fromMinute)}–${clock(toMinute)}`;
}

function clock(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

function seconds(value: number): string {
  if (value % 3_600 === 0 && value > 0) return plural(value / 3_600, "hour");
  return value % 60 === 0 && value > 0 ? plural(value / 60, "minute") : plural(value, "second");
}

function mebibytes(value: number): string {
  return value >= 1_024 && value % 1_024 === 0 ? `${count(value / 1_024)} GiB` : `${count(value)} MiB`;
}

function plural(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : `${noun}s`}`;
}

/** With commas between the thousands: the language that app/ is written in knows no locales. */
function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** What a donor is told of a rule in their settings. `value`: the one that holds unless they choose another. */
export function donorSees<Name extends RuleName>(
  name: Name,
  { value, set, locked }: { readonly value: Rules[Name]; readonly set: boolean; readonly locked: boolean },
): string {
  const said = sayRule(name, value);
  if (locked) return `Your organization decides: ${said}.`;
  return set
    ? `Your organization suggests: ${said}. You may choose otherwise.`
    : `You choose; until then: ${said}.`;
}
