import { networkInterfaces } from "node:os";
import { known } from "../../../app/facts/facts.ts";
import { readText } from "../base/read-file.ts";
import type { Sensor } from "../base/sensor.ts";

/** Active interfaces and the network's DNS suffixes. They suffice to recognize an office network or a VPN. */
export function networkNamesSensor(resolver = "/etc/resolv.conf"): Sensor {
  return {
    source: "network interfaces and DNS suffixes",
    facts: ["networks"],
    everyMs: 30_000,
    sample: () => ({ networks: known(networkNames(resolver)) }),
  };
}

/** Available on every system at no cost. */
export function networkNames(resolver = "/etc/resolv.conf"): readonly string[] {
  return [...interfaceNames(networkInterfaces()), ...parseDnsSuffixes(readText(resolver) ?? "")];
}

export function interfaceNames(all: ReturnType<typeof networkInterfaces>): readonly string[] {
  return Object.entries(all).flatMap(([name, addresses]) =>
    addresses?.some(({ internal }) => !internal) === true ? [name] : [],
  );
}

/** `search` and `domain` in a resolver's file (resolv.conf(5)). */
export function parseDnsSuffixes(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => /^(search|domain)\s/.test(line));
  const names = lines.flatMap((line) => line.trim().split(/\s+/).slice(1));
  return [...new Set(names.filter((name) => name !== "."))];
}
