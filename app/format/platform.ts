const systems: Readonly<Record<string, string>> = { win32: "Windows", darwin: "macOS", linux: "Linux" };

/** A device's platform, as Node.js names it, in people's words: "win32 x64" is "Windows x64". */
export function platformWords(platform: string): string {
  const [system = "", ...rest] = platform.split(" ");
  return [systems[system] ?? system, ...rest].join(" ");
}
