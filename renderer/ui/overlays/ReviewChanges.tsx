import type { ReactNode } from "react";
import { Confirm } from "./Confirm.tsx";

/** A value that will change, in words. */
export type Change = {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** The things that the change touches now. Undefined while they are looked up. */
  readonly reach?: string | undefined;
};

type Props = {
  readonly title: string;
  readonly changes: readonly Change[];
  /** Says what the changes touch together. */
  readonly children: ReactNode;
  readonly onSave: () => void;
  /** Leads back to the fields. */
  readonly onBack: () => void;
};

/** Asks before values are saved: the old and the new ones, and what they touch. */
export function ReviewChanges({ title, changes, children, onSave, onBack }: Props): ReactNode {
  return (
    <Confirm title={title} action="Save" cancel="Back" onConfirm={onSave} onClose={onBack}>
      <ul aria-label="Changes" className="mb-3 grid gap-2">
        {changes.map(({ name, before, after, reach }) => (
          <li key={name}>
            <p className="flex flex-wrap justify-between gap-x-3 text-ink">
              <span>{name}</span>
              <span className="font-medium tabular-nums">
                {before} → {after}
              </span>
            </p>
            {reach === undefined ? null : <p className="text-xs">{reach}</p>}
          </li>
        ))}
      </ul>
      <div className="grid gap-2">{children}</div>
    </Confirm>
  );
}
