import { type ReactNode, useState } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { PayloadLook } from "../data/rows.ts";

type Props = {
  readonly isAllowed: boolean;
  /** Null until the member looks. */
  readonly seen: PayloadLook | null;
  readonly onLook: () => void;
  readonly onHide: () => void;
  /** Whether the organization lets owners look; null for those who do not decide it. */
  readonly ownersMayLook: boolean | null;
  readonly onAccess: (ownersMayLook: boolean) => void;
};

/** The request and the answer, for those who may look at them. */
export function JobPayload(props: Props): ReactNode {
  const { isAllowed, seen, onLook, onHide, ownersMayLook, onAccess } = props;
  const [asking, setAsking] = useState(false);
  return (
    <Card
      title="Request and answer"
      aside={
        isAllowed ? (
          <Button size="sm" onClick={seen === null ? onLook : onHide}>
            {seen === null ? "Show" : "Hide"}
          </Button>
        ) : null
      }
    >
      {seen === null ? (
        <p className="text-muted">
          {isAllowed
            ? "Each look is recorded in the audit trail."
            : "Only the job's requester may look at them."}
        </p>
      ) : (
        <div className="grid gap-4">
          <Parts title="Request" parts={seen.request} empty="The request was deleted." />
          <Parts title="Answer" parts={seen.answer} empty="There is no answer, or it was deleted." />
        </div>
      )}
      {ownersMayLook === null ? null : (
        <p className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-1 text-xs text-muted">
          {ownersMayLook ? "Owners may look at all jobs." : "Owners may look only at jobs of their own keys."}
          <Button size="sm" look="quiet" className="-mx-2.5" onClick={() => setAsking(true)}>
            Change…
          </Button>
        </p>
      )}
      {asking ? (
        <Confirm
          title={ownersMayLook === true ? "End the access of owners?" : "Let owners look at all jobs?"}
          action={ownersMayLook === true ? "End access" : "Allow"}
          onConfirm={() => onAccess(ownersMayLook !== true)}
          onClose={() => setAsking(false)}
        >
          {ownersMayLook === true
            ? "Then only the requester of a job may look at its request and its answer."
            : "Then every owner may look at the requests and answers of everybody. Each look is recorded in the audit trail. You can undo this."}
        </Confirm>
      ) : null}
    </Card>
  );
}

type PartsProps = { readonly title: string; readonly parts: PayloadLook["request"]; readonly empty: string };

function Parts({ title, parts, empty }: PartsProps): ReactNode {
  return (
    <section aria-label={title} className="grid gap-2">
      <h3 className="font-medium">{title}</h3>
      {parts === null ? <p className="text-muted">{empty}</p> : null}
      {(parts ?? []).map((part, at) => (
        <div key={at} className="grid gap-1">
          <p className="text-xs text-muted">{part.from}</p>
          <pre
            tabIndex={0}
            aria-label={`${title}, ${part.from}`}
            className="max-h-80 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
          >
            {part.text}
          </pre>
        </div>
      ))}
    </section>
  );
}
