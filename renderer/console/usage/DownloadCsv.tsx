import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { messageOf } from "../data/refusal.ts";

type Props = {
  /** Undefined while the table loads. It may read the rows that the page does not show. */
  readonly csv: (() => string | Promise<string>) | undefined;
  readonly name: string;
};

/** Saves a table as a file, which the browser makes. */
export function DownloadCsv({ csv, name }: Props): ReactNode {
  const toast = useToast();
  const [isReading, setIsReading] = useState(false);
  const save = async (): Promise<void> => {
    if (csv === undefined) return;
    setIsReading(true);
    try {
      saveFile(name, await csv());
    } catch (error) {
      toast(messageOf(error), "bad");
    } finally {
      setIsReading(false);
    }
  };
  return (
    <Button size="sm" disabled={csv === undefined || isReading} onClick={() => void save()}>
      Download CSV
    </Button>
  );
}
