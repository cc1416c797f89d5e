import type { ReactNode } from "react";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { Card } from "../../ui/Card.tsx";

const shells = { desktop: "desktop program", headless: "background service" } as const;

export function About({ snapshot }: { readonly snapshot: DonorSnapshot }): ReactNode {
  const rows = [
    ["Version", `${snapshot.version}, ${shells[snapshot.shell]}`],
    ["System", snapshot.platform],
    ...(snapshot.device === null ? [] : [["Device", snapshot.device.id]]),
  ] as const;
  return (
    <Card title="About Gleaner">
      <dl className="grid gap-1.5">
        {rows.map(([label, value]) => (
          <div key={label} className="grid grid-cols-[7rem_1fr] gap-3">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0 break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-xs text-muted">
        Prompts and answers stay in memory while a job runs, and are never written to this computer's disk.
      </p>
    </Card>
  );
}
