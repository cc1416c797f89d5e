import type { ReactNode } from "react";
import { ReviewRules } from "./ReviewRules.tsx";
import { type PreviewedRules, useRulesPreview } from "./RulesPreview.tsx";

type Props = {
  readonly group: string;
  readonly changes: readonly string[];
  readonly draft: PreviewedRules;
  readonly onConfirm: (reason: string) => void;
  readonly onClose: () => void;
};

/** Asks before a draft of the rules is saved. */
export function SaveRules({ group, changes, draft, onConfirm, onClose }: Props): ReactNode {
  const preview = useRulesPreview(group, draft);
  return (
    <ReviewRules
      title={group === "" ? "Save the rules for all devices?" : `Save the rules for group ${group}?`}
      action="Save"
      changes={changes}
      preview={preview}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}
