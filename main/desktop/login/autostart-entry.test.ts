import { describe, expect, it } from "vitest";
import { autostartEntry, isTurnedOff } from "./autostart-entry.ts";

const valueOf = (entry: string, key: string): string | undefined =>
  new RegExp(`^${key}=(.*)$`, "m").exec(entry)?.[1];

describe("autostartEntry", () => {
  it("starts the program without a window", () => {
    expect(autostartEntry(["/opt/Gleaner/gleaner-desktop", "--hidden"])).toBe(
      [
        "[Desktop Entry]",
        "Type=Application",
        "Name=Gleaner",
        "Comment=Donates this computer's idle time to its organization's own LLM jobs.",
        "Exec=/opt/Gleaner/gleaner-desktop --hidden",
        "TryExec=/opt/Gleaner/gleaner-desktop",
        "Terminal=false",
        "StartupNotify=false",
        "X-GNOME-Autostart-enabled=true",
        "",
      ].join("\n"),
    );
  });

  it.each([
    ["a space", "/home/ada/My Apps/gleaner", String.raw`"/home/ada/My Apps/gleaner"`],
    ["a percent sign", "/opt/100%/gleaner", "/opt/100%%/gleaner"],
    ["a double quote", '/opt/"a"', String.raw`"/opt/\\"a\\""`],
    ["a single quote", "/opt/ada's", `"/opt/ada's"`],
    ["a dollar and a backquote", "/opt/$a`b", '"/opt/\\\\$a\\\\`b"'],
    ["a backslash", String.raw`/opt/a\b`, String.raw`"/opt/a\\\\b"`],
    ["a semicolon", "/opt/a;b", '"/opt/a;b"'],
    ["a line break", "/opt/a\nExec=evil", String.raw`"/opt/a\nExec=evil"`],
    ["letters beyond ASCII", "/home/jürgen/gleaner", "/home/jürgen/gleaner"],
  ])("quotes a path with %s", (_what, path, exec) => {
    expect(valueOf(autostartEntry([path]), "Exec")).toBe(exec);
  });

  it("keeps an empty argument and quotes each one", () => {
    expect(valueOf(autostartEntry(["/p", "", "--data", "/a b"]), "Exec")).toBe('/p "" --data "/a b"');
  });

  it("does not quote the path of TryExec, which is no command", () => {
    expect(valueOf(autostartEntry(["/My Apps/100%"]), "TryExec")).toBe("/My Apps/100%");
    expect(valueOf(autostartEntry([String.raw`/a\b`]), "TryExec")).toBe(String.raw`/a\\b`);
  });
});

it("knows an entry that the desktop's settings turned off", () => {
  const entry = autostartEntry(["/p"]);
  expect(isTurnedOff(entry)).toBe(false);
  expect(isTurnedOff(`${entry}Hidden=true\n`)).toBe(true);
  expect(isTurnedOff(entry.replace("enabled=true", "enabled=false"))).toBe(true);
  expect(isTurnedOff(`${entry}# Hidden=true\n`)).toBe(false);
});
