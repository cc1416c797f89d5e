/** The entry with which a desktop of Linux starts a program when its user logs in, as the specifications of freedesktop.org have it. */
export function autostartEntry(command: readonly [program: string, ...args: string[]]): string {
  return [
    "[Desktop Entry]",
    "Type=Application",
    "Name=Gleaner",
    "Comment=Donates this computer's idle time to its organization's own LLM jobs.",
    `Exec=${escaped(command.map(quoted).join(" "))}`,
    // Without it, an entry whose program was removed would fail at each login.
    `TryExec=${escaped(command[0])}`,
    "Terminal=false",
    "StartupNotify=false",
    "X-GNOME-Autostart-enabled=true",
    "",
  ].join("\n");
}

/** Whether its user turned an entry off in the desktop's settings. */
export function isTurnedOff(entry: string): boolean {
  return /^\s*(?:Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(entry);
}

/** One argument of a command. `%` begins a code that the desktop replaces, so that a plain one is doubled. */
function quoted(argument: string): string {
  const plain = argument.replaceAll("%", "%%");
  if (plain !== "" && !/[\s"'\\><~|&;$*?#()`]/.test(plain)) return plain;
  return `"${plain.replace(/["`$\\]/g, (character) => `\\${character}`)}"`;
}

/** A value of the type string. These escapes are read before the quotes of a command. */
function escaped(value: string): string {
  return value
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\r", "\\r")
    .replace(/^ /, "\\s");
}
