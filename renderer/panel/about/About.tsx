import type { ReactNode } from "react";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { platformWords } from "../../../app/format/platform.ts";
import { Card } from "../../ui/Card.tsx";
import { Diagnostics } from "./Diagnostics.tsx";
import { sayKeyStorage, shellWords } from "./program-words.ts";
import { Updates } from "./Updates.tsx";

type Props = { readonly snapshot: DonorSnapshot; readonly areDiagnosticsShown?: boolean };

/** Facts about the program and this computer, and a text for support. */
export function About({ snapshot, areDiagnosticsShown = false }: Props): ReactNode {
  const rows = [
    ["Version", `${snapshot.version}, ${shellWords[snapshot.shell]}`],
    ["System", platformWords(snapshot.platform)],
    ...(snapshot.device === null ? [] : [["Device ID", snapshot.device.id]]),
  ] as const;
  const keyStorage = sayKeyStorage(snapshot);
  return (
    <div className="grid gap-3">
      <Card title="About Gleaner">
        <dl className="grid gap-1.5">
          {rows.map(([label, value]) => (
            <div key={label} className="grid grid-cols-[7rem_1fr] gap-x-3 max-[20rem]:grid-cols-1">
              <dt className="text-muted">{label}</dt>
              <dd className="min-w-0 break-all">{value}</dd>
            </div>
          ))}
        </dl>
        {keyStorage === null ? null : <p className="mt-3 text-xs text-muted">{keyStorage}</p>}
        <p className="mt-3 text-xs text-muted">
          Prompts and answers stay in memory. They are never written to this computer's disk.
        </p>
      </Card>
      {snapshot.updates === undefined ? null : <Updates updates={snapshot.updates} />}
      <Diagnostics snapshot={snapshot} initialShown={areDiagnosticsShown} />
    </div>
  );
}
