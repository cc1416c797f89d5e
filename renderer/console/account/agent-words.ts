/** Browsers, with their marks in a user agent. Most browsers also name others, so the order counts. */
const browsers = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const systems = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** A session's browser and system, such as "Firefox on Linux". */
export function agentWords(agent: string | null): string {
  if (agent === null) return "Unknown browser";
  const named = (marks: readonly (readonly [string, string])[]): string | undefined =>
    marks.find(([mark]) => agent.includes(mark))?.[1];
  const system = named(systems);
  const browser = named(browsers) ?? "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
