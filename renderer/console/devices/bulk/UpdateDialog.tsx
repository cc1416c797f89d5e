import type { ReactNode } from "react";
import { VersionDialog } from "../VersionDialog.tsx";

type Props = {
  /** The newest version that a device has. "" if none has told its version. */
  readonly newest: string;
  readonly onVersion: (version: string) => void;
  readonly onClose: () => void;
};

/** Asks for the version that devices are to be updated to. */
export function UpdateDialog({ newest, onVersion, onClose }: Props): ReactNode {
  return (
    <VersionDialog
      title="Ask for an update of Gleaner"
      hint="The people at these devices are asked to update to it. The devices get jobs meanwhile."
      action="Preview"
      initial={newest}
      onVersion={onVersion}
      onClose={onClose}
    />
  );
}
