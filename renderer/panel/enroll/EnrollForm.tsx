import { type ReactNode, useState } from "react";
import { calls } from "../../../app/contract/donor-calls.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { useCall } from "../state/actions.ts";

type Props = { readonly initialError?: string };

export function EnrollForm({ initialError }: Props): ReactNode {
  const call = useCall();
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(initialError ?? null);
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (!calls.enroll.argument.safeParse({ code }).success) {
      setError("Enter the full code, e.g. GLN-7K2M-9QXD-4WHT.");
      return;
    }
    setBusy(true);
    setError(await call("enroll", { code }));
    setBusy(false);
  };
  return (
    <Card title="Join your organization">
      <Form onSubmit={() => void submit()}>
        <Field
          label="Enrollment code"
          hint="Ask your administrator for a code. They create it in the console."
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
      </Form>
    </Card>
  );
}
