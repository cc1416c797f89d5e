import type { ReactNode } from "react";
import { Button } from "../../ui/controls/Button.tsx";

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
        if (csv !== undefined) save(csv(), name);
      }}
    >
      Download CSV
    </Button>
  );
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
