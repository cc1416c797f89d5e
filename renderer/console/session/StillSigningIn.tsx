import type { ReactNode } from "react";
import { FullPage } from "../shell/FullPage.tsx";

/** Says that the server has not answered a sign-in link yet. The page goes on when it does. */
export function StillSigningIn(): ReactNode {
  return (
    <FullPage title="The server does not respond">
      <p>It has not answered your sign-in link yet. This page goes on by itself once it does.</p>
      <p>Check that the server is running and that this computer can reach it.</p>
    </FullPage>
  );
}
