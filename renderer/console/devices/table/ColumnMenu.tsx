import type { ReactNode } from "react";
import { Button } from "../../../ui/controls/Button.tsx";
import { CheckMenu } from "../../../ui/controls/CheckMenu.tsx";
import { columnKeys, columnsIn, columnsText, columnTitles } from "./column-keys.ts";

type Props = {
  /** As the address has them; "" for the usual ones. */
  readonly columns: string;
  readonly onColumns: (columns: string) => void;
};

const choices = columnKeys
  .filter((key) => key !== "name")
  .map((value) => ({ value, label: columnTitles[value] }));

/** Chooses the columns of the table of devices. */
export function ColumnMenu({ columns, onColumns }: Props): ReactNode {
  return (
    <CheckMenu
      label="Columns"
      trigger={<Button>Columns</Button>}
      choices={choices}
      chosen={columnsIn(columns)}
      onChoose={(chosen) => onColumns(columnsText(chosen))}
      onReset={columns === "" ? null : () => onColumns("")}
    />
  );
}
