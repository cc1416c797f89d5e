/**
 * Copies a text that is on the page. Resolves to whether it could. If not, the text is selected, so that the person can copy it.
 * @param element contains the text
 */
export async function copyText(text: string, element: Element): Promise<boolean> {
  try {
    // Despite its type, `clipboard` is undefined on plain http from another machine. Then this line throws, too.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(element);
    // The desktop program's window may ask for no permission, and this needs none.
    // oxlint-disable-next-line typescript/no-deprecated
    return document.execCommand("copy");
  }
}
