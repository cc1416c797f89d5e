import type { ReactNode } from "react";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { useAct } from "../state/actions.ts";

/** Asks once whether Gleaner starts at login. Shows nothing after a choice, or if the organization has made it. */
export function StartAtLogin({ snapshot }: { readonly snapshot: DonorSnapshot }): ReactNode {
  const act = useAct();
  const { device, startAtLogin = null, ruleLayers } = snapshot;
  if (device === null || startAtLogin === null || ruleLayers.from.startAtLogin !== "default") return null;
  return (
    <Card title="Start Gleaner when you log in?">
      <p className="text-muted">It starts without a window. You can change this in the settings.</p>
      <div className="mt-3 flex gap-2">
        <Button onClick={() => act("setRules", { startAtLogin: true })}>Yes</Button>
        <Button onClick={() => act("setRules", { startAtLogin: false })}>No</Button>
      </div>
    </Card>
  );
}
