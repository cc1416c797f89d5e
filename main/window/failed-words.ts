/** The dialog in place of a window whose page keeps crashing. */
export function windowFailed(): { readonly message: string; readonly detail: string } {
  return {
    message: "Gleaner's window keeps crashing.",
    detail:
      "Gleaner itself still works. Its icon in the tray opens the window again. If that does not help, restart Gleaner. Its log says more.",
  };
}
