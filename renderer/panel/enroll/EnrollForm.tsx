import { type ReactNode, useState } from "react";
import { calls } from "../../../app/contract/donor-calls.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { useCall } from "../state/actions.ts";

type Props = { readonly firstError?: string };

export function EnrollForm({ firstError }: Props): ReactNode {
  const call = useCall();
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(firstError ?? null);
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (!calls.enroll.argument.safeParse({ code }).success) {
      setError("Enter the whole code. It looks like GLN-7K2M-9QXD-4WHT.");
      return;
    }
    setBusy(true);
    setError(await call("enroll", { code }));
    setBusy(false);
  };
  return (
    <Card title="Join your organization">
      <form
        noValidate
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label="Enrollment code"
          hint="Ask your administrator, who finds it in the console under Enrollment codes."
          placeholder="GLN-XXXX-XXXX-XXXX"
          autoComplete="off"
          spellCheck={false}
          value={code}
          error={error}
          onChange={(event) => {
            setCode(event.target.value);
            setError(null);
          }}
        />
        <div>
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? "Joining…" : "Join"}
          </Button>
        </div>
      </form>
    </Card>
  );
}
