import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useSession } from "../data/session-context.ts";
import { ReviewRules } from "./ReviewRules.tsx";
import { useRulesPreview } from "./RulesPreview.tsx";

type Props = {
  readonly group: string;
  readonly version: number;
  readonly onConfirm: (reason: string) => void;
  readonly onClose: () => void;
};

/** Asks before an earlier version of the rules is restored, and shows what will change on the devices. */
export function RestorePolicy({ group, version, onConfirm, onClose }: Props): ReactNode {
  const changes = useQuery(api.console.policy.restorePreview, { session: useSession(), group, version });
  const preview = useRulesPreview(group, { version });
  const reset = version === 0;
  return (
    <ReviewRules
      title={reset ? "Reset all rules?" : `Restore version ${String(version)}?`}
      action={reset ? "Reset rules" : "Restore"}
      changes={changes}
      preview={preview}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}
