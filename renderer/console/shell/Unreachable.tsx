import type { ReactNode } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { FullPage } from "./FullPage.tsx";

type Props = { readonly message: string; readonly onRetry: () => void };

export function Unreachable({ message, onRetry }: Props): ReactNode {
  return (
    <FullPage title="The server does not respond">
      <p>{message}</p>
      <p>Check that the server is running and that this computer can reach it.</p>
      <div>
        <Button look="primary" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </FullPage>
  );
}
