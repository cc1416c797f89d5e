import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { useSession } from "../data/session-context.ts";

type Props = {
  readonly group: string;
  readonly version: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks before an earlier version of the rules is restored, and shows what will change on the devices. */
export function RestorePolicy({ group, version, onConfirm, onClose }: Props): ReactNode {
  const changes = useQuery(api.console.policy.restorePreview, { session: useSession(), group, version });
  return <RestoreView changes={changes} version={version} onConfirm={onConfirm} onClose={onClose} />;
}

type ViewProps = Omit<Props, "group"> & { readonly changes: readonly string[] | undefined };

export function RestoreView({ changes, version, onConfirm, onClose }: ViewProps): ReactNode {
  const reset = version === 0;
  return (
    <Confirm
      title={reset ? "Reset all rules?" : `Restore version ${String(version)}?`}
      action={reset ? "Reset rules" : "Restore"}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {changes === undefined ? <p>Looking up what will change…</p> : null}
      {changes?.length === 0 ? <p>Nothing changes: these rules are in force now.</p> : null}
      <ul aria-label="Changes" className="grid max-h-80 list-disc gap-1 overflow-auto pl-4">
        {(changes ?? []).map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      <p className="mt-2">Devices follow within seconds. You can undo this.</p>
    </Confirm>
  );
}
