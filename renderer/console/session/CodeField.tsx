import type { ChangeEvent, ReactNode } from "react";
import { Field } from "../../ui/controls/Field.tsx";

export const wrongCodeWords =
  "This code is wrong, or was used already. An app’s next code comes within 30 seconds.";

type Props = {
  readonly value: string;
  readonly error: string | null;
  readonly autoFocus?: boolean;
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void;
};

/** Asks for a code of the member's second factor. */
export function CodeField(props: Props): ReactNode {
  return (
    <Field
      label="Code"
      hint="Six digits of your authenticator app, or one of your recovery codes."
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={30}
      {...props}
    />
  );
}
