import type { ReactNode } from "react";
import type { RuleLayer } from "../../../app/policy/rule-layers.ts";
import { Button } from "../../ui/controls/Button.tsx";

type Props = {
  readonly layer: RuleLayer;
  readonly locked: boolean;
  readonly title: string;
  readonly onUndo: () => void;
};

/** Shows who set a rule. Donors can undo their own choice. */
export function DecidedBy({ layer, locked, title, onUndo }: Props): ReactNode {
  return (
    <p className="flex min-h-5 items-center gap-1 text-xs text-faint">
      {locked ? <Lock /> : null}
      {locked ? "Set by your organization" : words[layer]}
      {layer === "donor" ? (
        <Button
          size="sm"
          look="quiet"
          className="h-5 px-1.5"
          aria-label={`Undo my choice: ${title}`}
          onClick={onUndo}
        >
          Undo
        </Button>
      ) : null}
    </p>
  );
}

const words: Readonly<Record<RuleLayer, string>> = {
  default: "Default",
  donor: "Your choice",
  organization: "Suggested by your organization",
};

function Lock(): ReactNode {
  return (
    <svg aria-hidden viewBox="0 0 12 12" className="size-3 fill-current">
      <path d="M3.5 5V3.8a2.5 2.5 0 0 1 5 0V5H9a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm1.2 0h2.6V3.8a1.3 1.3 0 0 0-2.6 0z" />
    </svg>
  );
}
