import type { FunctionReturnType } from "convex/server";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { NameDialog } from "../../ui/overlays/NameDialog.tsx";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { RowAction } from "../../ui/RowAction.tsx";
import { useAct, useLongAct } from "../data/session-context.ts";
import { passkeyProblem } from "./offered.ts";
import { deviceErrorWords, makePasskey, thisPage } from "./use-passkeys.ts";

export type PasskeyRow = FunctionReturnType<typeof api.console.access.signIn.own>["passkeys"][number];

/** The member's passkeys. */
export function PasskeysCard({ passkeys }: { readonly passkeys: readonly PasskeyRow[] }): ReactNode {
  const toast = useToast();
  const begin = useLongAct(api.console.access.passkeys.beginAdd);
  const add = useLongAct(api.console.access.passkeys.add);
  const rename = useAct(api.console.access.signIn.renamePasskey);
  const remove = useAct(api.console.access.signIn.removePasskey);
  const make = async (name: string): Promise<boolean> => {
    const answers: FunctionReturnType<typeof api.console.access.passkeys.beginAdd>[] = [];
    const begun = await begin({ page: thisPage() }, (answer) => {
      answers.push(answer);
      return null;
    });
    const [options] = answers;
    if (!begun || options === undefined) return false;
    try {
      return await add({ name, registration: await makePasskey(options) }, `The passkey ${name} was added.`);
    } catch (error) {
      toast(deviceErrorWords(error) ?? "This device made no passkey.", "bad");
      return false;
    }
  };
  return (
    <PasskeysView
      passkeys={passkeys}
      problem={passkeyProblem(window)}
      onAdd={make}
      onRename={({ passkeyId }, name) => rename({ passkeyId, name }, "The passkey was renamed.")}
      onRemove={({ passkeyId, name }) => void remove({ passkeyId }, `The passkey ${name} was removed.`)}
    />
  );
}

type ViewProps = {
  readonly passkeys: readonly PasskeyRow[];
  /** Why this page cannot use passkeys; null if it can. */
  readonly problem: string | null;
  /** Both resolve to whether it worked. */
  readonly onAdd: (name: string) => Promise<boolean>;
  readonly onRename: (passkey: PasskeyRow, name: string) => Promise<boolean>;
  readonly onRemove: (passkey: PasskeyRow) => void;
};

export function PasskeysView({ passkeys, problem, onAdd, onRename, onRemove }: ViewProps): ReactNode {
  const [isAdding, setIsAdding] = useState(false);
  const [renamed, setRenamed] = useState<PasskeyRow | null>(null);
  const [removed, setRemoved] = useState<PasskeyRow | null>(null);
  return (
    <>
      <Card
        title="Passkeys"
        aside={
          problem !== null ? null : (
            <Button size="sm" onClick={() => setIsAdding(true)}>
              Add a passkey
            </Button>
          )
        }
      >
        <p className="text-muted">
          {problem ??
            "Your device signs you in with your fingerprint, your face or its PIN. No password and no code are needed then."}
        </p>
        {passkeys.length === 0 ? null : (
          <ul aria-label="Passkeys" className="mt-3 grid divide-y divide-line border-t border-line">
            {passkeys.map((passkey) => (
              <li
                key={passkey.passkeyId}
                className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 pt-2 pb-1"
              >
                <div className="min-w-0 wrap-anywhere">
                  <p className="font-medium">{passkey.name}</p>
                  <p className="text-xs text-muted">
                    Added <RelativeTime at={passkey.createdAt} />,{" "}
                    {passkey.usedAt === null ? (
                      "not used yet"
                    ) : (
                      <>
                        used <RelativeTime at={passkey.usedAt} />
                      </>
                    )}
                  </p>
                </div>
                <div className="flex gap-1">
                  <RowAction verb="Rename" object={passkey.name} onClick={() => setRenamed(passkey)} />
                  <RowAction verb="Remove" object={passkey.name} onClick={() => setRemoved(passkey)} />
                </div>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {isAdding ? (
        <NameDialog
          title="Add a passkey"
          action="Continue"
          initial=""
          onSave={onAdd}
          onClose={() => setIsAdding(false)}
        />
      ) : null}
      {renamed === null ? null : (
        <NameDialog
          title={`Rename ${renamed.name}`}
          action="Rename"
          initial={renamed.name}
          onSave={(name) => onRename(renamed, name)}
          onClose={() => setRenamed(null)}
        />
      )}
      {removed === null ? null : (
        <Confirm
          title={`Remove ${removed.name}?`}
          action="Remove"
          danger
          onConfirm={() => onRemove(removed)}
          onClose={() => setRemoved(null)}
        >
          Nobody signs in with this passkey anymore. Remove it from the device, too.
        </Confirm>
      )}
    </>
  );
}
