import type { ReactNode } from "react";
import type { JoinAddress } from "../../../app/join-command.ts";
import { configurationProfile } from "../../../app/managed/formats/profile.ts";
import { registryFile } from "../../../app/managed/formats/registry-file.ts";
import { linuxSettingsFile } from "../../../app/managed/managed-settings.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { saveFile } from "../../ui/save-file.ts";

type Props = { readonly code: string; readonly address: JoinAddress };

/** Saves a file for the management of many computers, which then join by this code without a click. */
export function ManagedFiles({ code, address: { url, pin } }: Props): ReactNode {
  const settings = {
    server: url,
    ...(pin === null ? {} : { pin }),
    code,
    ...(url.startsWith("http:") ? { insecureHttp: true } : {}),
  };
  const profile = (): string => configurationProfile(settings, crypto.getRandomValues(new Uint8Array(32)));
  const files = [
    { system: "Windows", name: "gleaner.reg", text: () => registryFile(settings) },
    { system: "macOS", name: "gleaner.mobileconfig", text: profile },
    { system: "Linux", name: "managed.json", text: () => `${JSON.stringify(settings, null, 2)}\n` },
  ];
  return (
    <div className="mt-3 grid grid-cols-1 gap-2">
      <p>Or let many computers join without a click. Your management of computers gives them a file:</p>
      <div className="flex flex-wrap gap-2">
        {files.map(({ system, name, text }) => (
          <Button
            key={name}
            size="sm"
            aria-label={`Save the file for ${system}`}
            onClick={() => saveFile(name, text())}
          >
            {system}
          </Button>
        ))}
      </div>
      <p className="text-xs">It contains the code. Its place on each computer:</p>
      <ul className="grid list-disc gap-1 pl-5 text-xs">
        <li>Windows: imported into the registry, as an administrator</li>
        <li>macOS: installed as a configuration profile by the management of your devices</li>
        <li className="wrap-anywhere">Linux: {linuxSettingsFile}, owned by root</li>
      </ul>
    </div>
  );
}
