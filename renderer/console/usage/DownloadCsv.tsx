import type { ReactNode } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { saveFile } from "../../ui/save-file.ts";

type Props = {
  /** Undefined while the table loads. */
  readonly csv: (() => string) | undefined;
  readonly name: string;
};

/** Saves a table as a file. The browser makes it from the rows that are shown. */
export function DownloadCsv({ csv, name }: Props): ReactNode {
  return (
    <Button
      size="sm"
      disabled={csv === undefined}
      onClick={() => {
        if (csv !== undefined) saveFile(name, csv());
      }}
    >
      Download CSV
    </Button>
  );
}
